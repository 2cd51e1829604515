/* logic_net.h - the network of gates that reads pictures: what its bits are, how it is wired, and
 * the circuit that it becomes.
 *
 * A pixel is a bit for each of a few brightnesses that it may reach. Gates read the inner pixels
 * only: the border is empty. Bit (level, pixel) is input level * pixels + pixel of the circuit;
 * its outputs are as many for each class, and the class with the most ones is the answer. */
#ifndef WEFT_LOGIC_NETWORK_H
#define WEFT_LOGIC_NETWORK_H

#include "network.h"

#include <weft/logic.h>

enum { LOGIC_NET_LAYERS = 6 };

/* x [n, rows * columns] in 0 .. 1 -> [n, outputs]: counts, over a scale. */
weft_tensor logic_net_record(weft_state *s, weft_tensor x, const network *n);
float logic_net_scale(const network *n);

/* The gates of the state at their word; NULL: weft_error. */
weft_circuit *logic_net_circuit(weft_state *s, const network *n);

/* pixels [pictures, rows * columns] -> bits [inputs of the circuit, WEFT_WORDS(pictures)] */
int64_t logic_net_inputs(const network *n);
weft_err logic_net_bits(weft_ctx *c, const network *n, const uint8_t *pixels, int64_t pictures,
                        uint64_t *bits);

#endif
