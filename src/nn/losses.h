/* losses.h - what the losses share: from a loss for each element to one for all. */
#ifndef WEFT_NN_LOSSES_H
#define WEFT_NN_LOSSES_H

#include "weft/nn.h"

weft_tensor losses_reduce(weft_tensor each, weft_reduction r);

#endif
