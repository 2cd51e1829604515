/* moments.c - mean and standard deviation of a field, all in one or channel by channel.
 *
 * Bytes are summed as integers, so exactly; floats in double, in the order of rows, the variance
 * in a second pass. */
#include "data/set.h"

#include <math.h>
#include <string.h>

data_channels data_channels_of(weft_shape dims, bool channels_last) {
    data_channels c = {.outer = 1, .channels = 1, .inner = 1};
    int64_t count = 1;
    for (int i = 0; i < dims.rank; i++) count *= dims.n[i];
    if (dims.rank == 1) c.channels = count;
    else if (dims.rank == 3) c.channels = dims.n[channels_last ? 2 : 0];
    if (dims.rank == 3 && channels_last) c.outer = count / c.channels;
    else c.inner = count / c.channels;
    return c;
}

bool data_is_picture(const weft_field *f) {
    const bool byte = f->dtype == WEFT_U8 || f->dtype == WEFT_I8;
    return byte && (f->dims.rank == 2 || f->dims.rank == 3);
}

/* Sum of the values and of their squares over one stretch of bytes, at most 2^15 long. Signed bytes
 * come with 128 added, which turns their order into that of unsigned ones. */
static void moments_bytes(const unsigned char *p, int64_t n, unsigned char turn, uint64_t *sum,
                          uint64_t *squares) {
    enum { BLOCK = 16 }; /* a loop of known length is made of vectors */
    uint32_t s = 0, q = 0;
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK)
        for (int k = 0; k < BLOCK; k++) {
            const uint32_t v = p[i + k] ^ turn;
            s += v;
            q += v * v;
        }
    for (; i < n; i++) {
        const uint32_t v = p[i] ^ turn;
        s += v;
        q += v * v;
    }
    *sum += s;
    *squares += q;
}

static void moments_of_bytes(const weft_data *d, const weft_field *f, data_channels c, int64_t k,
                             double *mean, double *variance) {
    enum { STRETCH = 1 << 15 };
    const bool is_signed = f->dtype == WEFT_I8;
    uint64_t sum = 0, squares = 0;
    for (int64_t row = 0; row < d->rows; row++)
        for (int64_t o = 0; o < c.outer; o++) {
            const unsigned char *p = (const unsigned char *)f->rows + (size_t)row * f->row_bytes +
                                     (o * c.channels + k) * c.inner;
            for (int64_t i = 0; i < c.inner; i += STRETCH)
                moments_bytes(p + i, c.inner - i < STRETCH ? c.inner - i : STRETCH,
                              is_signed ? 0x80 : 0, &sum, &squares);
        }
    const double n = (double)d->rows * (double)(c.outer * c.inner);
    const double m = (double)sum / n;
    *mean = (m - (is_signed ? 128 : 0)) / 255;
    *variance = ((double)squares / n - m * m) / (255.0 * 255.0);
}

/* Sum of (value - from)^power over a channel. */
static double moments_sum(const weft_data *d, const weft_field *f, data_channels c, int64_t k,
                          double from, bool squared) {
    double sum = 0;
    for (int64_t row = 0; row < d->rows; row++)
        for (int64_t o = 0; o < c.outer; o++) {
            const char *p = (const char *)f->rows + (size_t)row * f->row_bytes +
                            (size_t)((o * c.channels + k) * c.inner) * sizeof(float);
            for (int64_t i = 0; i < c.inner; i++, p += sizeof(float)) {
                float v;
                memcpy(&v, p, sizeof v);
                sum += squared ? (v - from) * (v - from) : v - from;
            }
        }
    return sum;
}

weft_err weft_data_moments(const weft_data *d, size_t field, bool channels_last, float *mean,
                           float *std, size_t n) {
    if (!d || field >= d->count || !mean || !std)
        return weft_fail(d ? d->ctx : NULL, WEFT_ARGUMENT,
                         "weft_data_moments: no set, no field %zu, or no place for the results",
                         field);
    const weft_field *const f = &d->field[field];
    if (f->dtype != WEFT_F32 && !data_is_picture(f))
        return weft_fail(d->ctx, WEFT_DTYPE,
                         "weft_data_moments: field \"%s\" is %s of rank %d; it must be f32 or a "
                         "picture of bytes",
                         f->name, weft_dtype_name(f->dtype), f->dims.rank);
    data_channels c = data_channels_of(f->dims, channels_last);
    if (n != 1 && n != (size_t)c.channels)
        return weft_fail(d->ctx, WEFT_ARGUMENT,
                         "weft_data_moments: %zu means of field \"%s\"; it has 1 or %lld", n,
                         f->name, (long long)c.channels);
    if (n == 1) c = (data_channels){1, 1, c.outer * c.channels * c.inner};
    for (int64_t k = 0; k < c.channels; k++) {
        double m, v;
        if (f->dtype == WEFT_F32) {
            const double count = (double)d->rows * (double)(c.outer * c.inner);
            m = moments_sum(d, f, c, k, 0, false) / count;
            v = moments_sum(d, f, c, k, m, true) / count;
        } else {
            moments_of_bytes(d, f, c, k, &m, &v);
        }
        mean[k] = (float)m;
        std[k] = v > 0 ? (float)sqrt(v) : 0;
    }
    return WEFT_OK;
}
