/* edges.h - what the files of this folder have for each other: for every row of lanes.def the
 * function beyond the lane's reach. */
#ifndef WEFT_SPECIAL_EDGES_H
#define WEFT_SPECIAL_EDGES_H

#define LANES(name, low, high, least, calm) double edge_##name(double x);
#include "lanes.def"

#endif
