/* peak.h - what this machine does at best, measured: the yardstick of a benchmark's rate. */
#ifndef WEFT_PEAK_H
#define WEFT_PEAK_H

#include <stddef.h>

/* Of one core, with the vectors that weft_device_isa names; 0: unknown. */
double peak_gflops(const char *isa); /* multiply and add                        */
double peak_copy_gbs(const char *isa,
                     size_t footprint); /* one half of so much memory to the other */
double peak_scale_gbs(const char *isa,
                      size_t footprint); /* so much memory in place                 */

#endif
