/* scale.c - ticks at 1, 2 or 5 times a power of ten, and their labels. */
#include "scale.h"
#include "base/text.h"

#include <weft/io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 1, 2 or 5 times a power of ten, so that at most `wanted` of them make the span. */
static double scale_apart(double span, int wanted) {
    const double rough = span / wanted, power = pow(10, floor(log10(rough)));
    const double by = rough / power;
    return power * (by <= 1 ? 1 : by <= 2 ? 2 : by <= 5 ? 5 : 10);
}

static void scale_add(scale *s, double v) {
    if (s->ticks < SCALE_TICKS) s->tick[s->ticks++] = v;
}

static void scale_linear(scale *s, int wanted, bool widen) {
    s->apart = scale_apart(s->high - s->low, wanted);
    if (s->steps) s->apart = fmax(1, s->apart); /* there is no half a step */
    /* A hair of slack, for ends that are ticks but for rounding. */
    const double slack = 1e-9;
    double from = ceil(s->low / s->apart - slack), to = floor(s->high / s->apart + slack);
    if (widen) {
        from = floor(s->low / s->apart + slack), to = ceil(s->high / s->apart - slack);
        s->low = from * s->apart, s->high = to * s->apart;
    }
    for (double k = from; k <= to && s->ticks < SCALE_TICKS; k++) scale_add(s, k * s->apart);
}

/* Whole decades when there are many, else 1, 2 and 5 in each. */
static void scale_log(scale *s) {
    static const double digit[] = {1, 2, 5};
    const double slack = 1e-9;
    const int low = (int)floor(s->low + slack), high = (int)ceil(s->high - slack);
    const int decades = high - low;
    if (decades > 3) {
        const int apart = (decades + 6) / 7;
        for (int k = low; k < high + apart; k += apart) scale_add(s, pow(10, k));
    } else {
        double lowest = low, highest = high;
        for (int k = low; k <= high; k++)
            for (int i = 0; i < 3; i++) {
                const double at = k + log10(digit[i]);
                if (at <= s->low + slack) lowest = at;
                if (at >= s->high - slack && highest > at) highest = at;
            }
        for (int k = low; k <= high; k++)
            for (int i = 0; i < 3; i++) {
                const double at = k + log10(digit[i]);
                if (at >= lowest - slack && at <= highest + slack) scale_add(s, pow(10, at));
            }
    }
    s->low = log10(s->tick[0]);
    s->high = log10(s->tick[s->ticks - 1]);
}

scale scale_values(double low, double high, bool log) {
    scale s = {.low = low, .high = high, .log = log};
    if (!(high - low > 1e-9 * fmax(fabs(low), fabs(high)))) { /* constant: some room around it */
        const double room = low == 0 ? 1 : fabs(low) * 0.1;
        s.low -= room, s.high += room;
        s.log = false;
    }
    if (s.log) {
        s.low = log10(low), s.high = log10(high);
        scale_log(&s);
    } else scale_linear(&s, 5, true);
    return s;
}

scale scale_steps(double low, double high) {
    scale s = {.low = low, .high = high, .steps = true};
    if (low > 0 && low < 0.5 * high) s.low = 0;
    if (!(s.high > s.low)) s.low -= 1, s.high += 1;
    scale_linear(&s, 6, false);
    return s;
}

double scale_at(const scale *s, double v) {
    const double x = s->log ? log10(v) : v;
    return (x - s->low) / (s->high - s->low);
}

/* ---- labels ---- */

void scale_power(char *text, size_t bytes, double v) {
    static const char *const raised[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    int power = (int)floor(log10(fabs(v)) + 1e-9);
    char mantissa[32], number[16];
    number_text(mantissa, sizeof mantissa, 'g', 4, fabs(v) / pow(10, power));
    const bool one = strcmp(mantissa, "1") == 0;
    int n = snprintf(text, bytes, "%s%s%s10%s", v < 0 ? "\xe2\x88\x92" : "", one ? "" : mantissa,
                     one ? "" : "\xc2\xb7", power < 0 ? "\xe2\x81\xbb" : "");
    snprintf(number, sizeof number, "%d", power < 0 ? -power : power);
    for (const char *p = number; *p && n > 0 && (size_t)n < bytes; p++)
        n += snprintf(text + n, bytes - (size_t)n, "%s", raised[*p - '0']);
}

double scale_bytes(double most, const char **unit) {
    /* Spaces that do not break; in octal, since B is a digit of the other kind. */
    static const char *const units[] = {"\302\240B", "\302\240kB", "\302\240MB", "\302\240GB",
                                        "\302\240TB"};
    int i = 0;
    double by = 1;
    for (; most / by >= 1000 && i < 4; i++) by *= 1000;
    *unit = units[i];
    return by;
}

const char *scale_label(const scale *s, int tick, char *text, size_t bytes) {
    double v = s->tick[tick], apart = s->apart;
    const double most = fmax(fabs(s->tick[0]), fabs(s->tick[s->ticks - 1]));
    const char *unit = "";
    if (s->percent) {
        v *= 100, apart *= 100, unit = "\xc2\xa0%"; /* a space that does not break */
    } else if (s->bytes) {
        const double by = scale_bytes(most, &unit);
        v /= by, apart /= by;
    } else if (s->steps && most >= 1e4) {
        const bool millions = most >= 1e7;
        const double by = millions ? 1e6 : 1e3;
        v /= by, apart /= by, unit = v == 0 ? "" : millions ? "M" : "k";
    } else if (fabs(v) > 0 && (most >= 1e6 || most < 1e-3 || (s->log && v < 1e-3))) {
        scale_power(text, bytes, v);
        return text;
    }
    const double smallest = s->log ? v : apart;
    const int decimals = (int)fmax(0, fmin(12, -floor(log10(smallest) + 1e-9)));
    char number[64];
    number_text(number, sizeof number, 'f', v == 0 ? 0 : decimals, fabs(v));
    snprintf(text, bytes, "%s%s%s", v < 0 ? "\xe2\x88\x92" : "", number, unit);
    return text;
}
