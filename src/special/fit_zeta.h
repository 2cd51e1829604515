/* fit_zeta.h - Riemann's zeta function around 0.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_ZETA_H
#define WEFT_SPECIAL_FIT_ZETA_H

#include "lane.h"

LANE_BEGIN

/* (s - 1) zeta(s), -1 <= s < 1: 2^-53.3 */
LANE double fit_zeta(double t) {
    double r = 0x1.48f20ea4fd89bp-44;
    r = r * t + -0x1.291bba91ea099p-43;
    r = r * t + -0x1.4997e8d9165b1p-37;
    r = r * t + 0x1.5df743bd9b6afp-33;
    r = r * t + -0x1.239140bd63315p-30;
    r = r * t + -0x1.4d8aff233800bp-28;
    r = r * t + 0x1.767ab1d98ddadp-23;
    r = r * t + -0x1.8a89438680a09p-20;
    r = r * t + -0x1.57769cd2ee63ap-21;
    r = r * t + 0x1.0132991572b9cp-13;
    r = r * t + -0x1.daf32a61645e9p-11;
    r = r * t + -0x1.39a8e10bc9681p-9;
    r = r * t + 0x1.590bb8df981f9p-4;
    r = r * t + 0x1.acfe390c97d69p-2;
    r = r * t + 0x1.0000000000000p-1;
    return r;
}

LANE_END

#endif
