/* fit_lambert.h - Lambert's W around its branch point.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_LAMBERT_H
#define WEFT_SPECIAL_FIT_LAMBERT_H

#include "lane.h"

LANE_BEGIN

/* W(x), p = +-sqrt(2 (e x + 1)): 2^-56.0 */
LANE double fit_lambert(double t) {
    double r = -0x1.8ff27c90cf6c5p-14;
    r = r * t + 0x1.297294e9e9afdp-13;
    r = r * t + -0x1.d26ec02d33bcep-14;
    r = r * t + 0x1.5e9990056bbd6p-13;
    r = r * t + -0x1.37f90209c3a76p-12;
    r = r * t + 0x1.d77ce555d6ad0p-12;
    r = r * t + -0x1.5ff363ee0f6c2p-11;
    r = r * t + 0x1.0cbaf49db6b3bp-10;
    r = r * t + -0x1.9d672102c14e7p-10;
    r = r * t + 0x1.3ff211ad14c53p-9;
    r = r * t + -0x1.f38dc8364a972p-9;
    r = r * t + 0x1.8a2b2c7fd95b8p-8;
    r = r * t + -0x1.3b2056be4e4afp-7;
    r = r * t + 0x1.002c98df9cf99p-6;
    r = r * t + -0x1.a9bbcb240336cp-6;
    r = r * t + 0x1.6c901e5680ffcp-5;
    r = r * t + -0x1.4629b7f0d4f81p-4;
    r = r * t + 0x1.38e38e38e3fcep-3;
    r = r * t + -0x1.5555555555554p-2;
    r = r * t + 0x1.fffffffffffffp-1;
    r = r * t + -0x1.0000000000000p+0;
    return r;
}

LANE_END

#endif
