/* fit_elementary.h - what logarithm, exponential and circle functions are made of.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_ELEMENTARY_H
#define WEFT_SPECIAL_FIT_ELEMENTARY_H

#include "lane.h"

LANE_BEGIN

/* ln 2; the first part has 40 bits */
#define FIT_LN2_1 0x1.62e42fefa2000p-1
#define FIT_LN2_2 0x1.9ef35793c7673p-41

/* pi / 2; the first parts have 28 bits */
#define FIT_HALF_PI_1 0x1.921fb54000000p+0
#define FIT_HALF_PI_2 0x1.10b4610000000p-30
#define FIT_HALF_PI_3 0x1.a62633145c06ep-58

/* 1 / ln 2 */
#define FIT_PER_LN2 0x1.71547652b82fep+0

/* 2 / pi */
#define FIT_PER_HALF_PI 0x1.45f306dc9c883p-1

/* (2 atanh(s) / s - 2) / s^2 by z = s^2: 2^-60.9 */
LANE double fit_atanh(double t) {
    double r = 0x1.0c135adcf3011p-3;
    r = r * t + 0x1.0fbd140544b63p-3;
    r = r * t + 0x1.3b1c43c68eb6dp-3;
    r = r * t + 0x1.745cf8c09a9d4p-3;
    r = r * t + 0x1.c71c7201fc0e6p-3;
    r = r * t + 0x1.249249247670ap-2;
    r = r * t + 0x1.9999999999a3ap-2;
    r = r * t + 0x1.5555555555555p-1;
    return r;
}

/* (e^r - 1 - r) / r^2: 2^-62.3 */
LANE double fit_exp(double t) {
    double r = 0x1.1f75a3caadff5p-29;
    r = r * t + 0x1.af5282aacdb2ep-26;
    r = r * t + 0x1.27e4da1e12fb1p-22;
    r = r * t + 0x1.71ddfff6573d6p-19;
    r = r * t + 0x1.a01a01a74077ap-16;
    r = r * t + 0x1.a01a01ac9de9ep-13;
    r = r * t + 0x1.6c16c16c16214p-10;
    r = r * t + 0x1.111111110ff8bp-7;
    r = r * t + 0x1.5555555555556p-5;
    r = r * t + 0x1.5555555555557p-3;
    r = r * t + 0x1.0000000000000p-1;
    return r;
}

/* (sin(r) / r - 1) / r^2 by z = r^2: 2^-57.2 */
LANE double fit_sin(double t) {
    double r = -0x1.aabefe6f81d04p-41;
    r = r * t + 0x1.6120e0a1eb430p-33;
    r = r * t + -0x1.ae6453407d38cp-26;
    r = r * t + 0x1.71de3a53e11d5p-19;
    r = r * t + -0x1.a01a01a0194e7p-13;
    r = r * t + 0x1.111111111110fp-7;
    r = r * t + -0x1.5555555555555p-3;
    return r;
}

/* (cos(r) - 1 + r^2 / 2) / r^4 by z = r^2: 2^-60.0 */
LANE double fit_cos(double t) {
    double r = -0x1.902cba00b784cp-37;
    r = r * t + 0x1.1eeaf2dbafc7fp-29;
    r = r * t + -0x1.27e4f9a0ac94bp-22;
    r = r * t + 0x1.a01a019eededfp-16;
    r = r * t + -0x1.6c16c16c167b8p-10;
    r = r * t + 0x1.5555555555555p-5;
    return r;
}

/* sin(pi r) / r by z = r^2: 2^-54.5 */
LANE double fit_sinpi(double t) {
    double r = 0x1.9d462020fcc78p-21;
    r = r * t + -0x1.6f7acdb8f6580p-16;
    r = r * t + 0x1.e8f3675ee37ddp-12;
    r = r * t + -0x1.e3074dfaf87afp-8;
    r = r * t + 0x1.5078348551854p-4;
    r = r * t + -0x1.32d2cce627c86p-1;
    r = r * t + 0x1.466bc6775aa7dp+1;
    r = r * t + -0x1.4abbce625be52p+2;
    r = r * t + 0x1.921fb54442d18p+1;
    return r;
}

LANE_END

#endif
