/* cube.h - what the files about the 2x2x2 cube share. */
#ifndef WEFT_RL_CUBE_H
#define WEFT_RL_CUBE_H

#include "rl/turns.h"

enum { CUBE_CORNERS = 7, CUBE_ORDERS = 5040, CUBE_TWISTS = 729 };

uint32_t cube_order_rank(const uint8_t piece[CUBE_CORNERS]);
uint32_t cube_twist_rank(const uint8_t twist[CUBE_CORNERS]);

#endif
