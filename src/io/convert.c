/* convert.c - values of one element type as another, exactly or not at all for integers.
 *
 * Values go through a chunk of doubles, or of 64-bit integers where the source is whole. Without
 * a result the same work only checks. */
#include "base/reader.h"
#include "io/archive.h"
#include <math.h>
#include <string.h>

enum { CONVERT_CHUNK = 256 };

/* ---- 16-bit floats ---- */

static double convert_bf16(uint16_t h) {
    uint32_t u = (uint32_t)h << 16;
    float v;
    memcpy(&v, &u, 4);
    return v;
}

static double convert_f16(uint16_t h) {
    uint32_t u = (uint32_t)(h & 0x7fff) << 13;
    float v;
    if ((h & 0x7c00) == 0x7c00) {
        u |= 0x7f800000; /* infinity or nan */
        memcpy(&v, &u, 4);
    } else {
        memcpy(&v, &u, 4);
        v *= 0x1p112f; /* the difference of the exponents' biases; right for subnormals too */
    }
    return h & 0x8000 ? -v : v;
}

/* To nearest even, from the double at once. A number is q 2^(e - mantissa) with q in
 * [2^mantissa, 2^(mantissa + 1)), or less at the lowest exponent; its bits are q plus the exponent,
 * and a carry runs on into infinity by itself. */
static uint16_t convert_small(double v, int mantissa, int bias) {
    const uint32_t infinite = (2u * (uint32_t)bias + 1) << mantissa;
    uint32_t sign = signbit(v) ? 0x8000 : 0, bits;
    if (isnan(v)) return (uint16_t)(sign | infinite | 1u << (mantissa - 1));
    int e;
    frexp(v, &e);
    if (v == 0 || --e < 1 - bias) e = 1 - bias;
    if (isinf(v) || e > bias) bits = infinite;
    else
        bits =
            (uint32_t)rint(ldexp(fabs(v), mantissa - e)) + ((uint32_t)(e + bias - 1) << mantissa);
    return (uint16_t)(sign | bits);
}

/* ---- chunks ---- */

#define CONVERT_EACH(type, body)                                                                   \
    for (size_t i = 0; i < n; i++) {                                                               \
        type v;                                                                                    \
        memcpy(&v, p + i * sizeof v, sizeof v);                                                    \
        body;                                                                                      \
    }

static bool convert_is_whole(weft_file_type t) {
    return t != WEFT_FILE_F64 && t != WEFT_FILE_F32 && t != WEFT_FILE_F16 && t != WEFT_FILE_BF16;
}

static void convert_load_real(weft_file_type t, const char *p, size_t n, double *to) {
    switch (t) {
    case WEFT_FILE_F64: CONVERT_EACH(double, to[i] = v) break;
    case WEFT_FILE_F32: CONVERT_EACH(float, to[i] = (double)v) break;
    case WEFT_FILE_F16: CONVERT_EACH(uint16_t, to[i] = convert_f16(v)) break;
    case WEFT_FILE_BF16: CONVERT_EACH(uint16_t, to[i] = convert_bf16(v)) break;
    default: CONVERT_EACH(uint64_t, to[i] = (double)v) break; /* U64 beyond the signed ones */
    }
}

/* False: there is a U64 that no signed number holds. */
static bool convert_load_whole(weft_file_type t, const char *p, size_t n, int64_t *to) {
    bool fits = true;
    switch (t) {
    case WEFT_FILE_I64: CONVERT_EACH(int64_t, to[i] = v) break;
    case WEFT_FILE_I32: CONVERT_EACH(int32_t, to[i] = v) break;
    case WEFT_FILE_I16: CONVERT_EACH(int16_t, to[i] = v) break;
    case WEFT_FILE_I8: CONVERT_EACH(int8_t, to[i] = v) break;
    case WEFT_FILE_U32: CONVERT_EACH(uint32_t, to[i] = v) break;
    case WEFT_FILE_U16: CONVERT_EACH(uint16_t, to[i] = v) break;
    case WEFT_FILE_U8: CONVERT_EACH(uint8_t, to[i] = v) break;
    case WEFT_FILE_BOOL: CONVERT_EACH(uint8_t, to[i] = v != 0) break;
    default: CONVERT_EACH(uint64_t, to[i] = (int64_t)v; fits = fits && v <= INT64_MAX) break;
    }
    return fits;
}

/* Reals as integers, if that is what they are. */
static bool convert_real_to_whole(const double *from, size_t n, int64_t *to) {
    for (size_t i = 0; i < n; i++) {
        if (!(from[i] >= -0x1p63 && from[i] < 0x1p63) || from[i] != floor(from[i])) return false;
        to[i] = (int64_t)from[i];
    }
    return true;
}

#define CONVERT_STORE(type, value)                                                                 \
    for (size_t i = 0; i < n; i++) {                                                               \
        type v = (type)(value);                                                                    \
        memcpy(p + i * sizeof v, &v, sizeof v);                                                    \
    }
#define CONVERT_STORE_IN(type, low, high)                                                          \
    for (size_t i = 0; i < n; i++)                                                                 \
        if (from[i] < (low) || from[i] > (high)) return false;                                     \
    CONVERT_STORE(type, from[i])

static bool convert_store_whole(weft_file_type t, const int64_t *from, size_t n, char *p) {
    switch (t) {
    case WEFT_FILE_I64: CONVERT_STORE(int64_t, from[i]) break;
    case WEFT_FILE_I32: CONVERT_STORE_IN(int32_t, INT32_MIN, INT32_MAX) break;
    case WEFT_FILE_I16: CONVERT_STORE_IN(int16_t, INT16_MIN, INT16_MAX) break;
    case WEFT_FILE_I8: CONVERT_STORE_IN(int8_t, INT8_MIN, INT8_MAX) break;
    case WEFT_FILE_U64: CONVERT_STORE_IN(uint64_t, 0, INT64_MAX) break;
    case WEFT_FILE_U32: CONVERT_STORE_IN(uint32_t, 0, UINT32_MAX) break;
    case WEFT_FILE_U16: CONVERT_STORE_IN(uint16_t, 0, UINT16_MAX) break;
    case WEFT_FILE_U8: CONVERT_STORE_IN(uint8_t, 0, UINT8_MAX) break;
    case WEFT_FILE_BOOL: CONVERT_STORE_IN(uint8_t, 0, 1) break;
    case WEFT_FILE_F64: CONVERT_STORE(double, from[i]) break;
    case WEFT_FILE_F32: CONVERT_STORE(float, from[i]) break;
    case WEFT_FILE_F16: CONVERT_STORE(uint16_t, convert_small((double)from[i], 10, 15)) break;
    default: CONVERT_STORE(uint16_t, convert_small((double)from[i], 7, 127)) break;
    }
    return true;
}

static void convert_store_real(weft_file_type t, const double *from, size_t n, char *p) {
    switch (t) {
    case WEFT_FILE_F64: CONVERT_STORE(double, from[i]) break;
    case WEFT_FILE_F32: CONVERT_STORE(float, from[i]) break;
    case WEFT_FILE_F16: CONVERT_STORE(uint16_t, convert_small(from[i], 10, 15)) break;
    default: CONVERT_STORE(uint16_t, convert_small(from[i], 7, 127)) break;
    }
}

static bool convert_chunk(weft_file_type from, const char *p, weft_file_type to, char *q,
                          size_t n) {
    double real[CONVERT_CHUNK];
    int64_t whole[CONVERT_CHUNK];
    if (convert_is_whole(from)) {
        if (convert_load_whole(from, p, n, whole)) return convert_store_whole(to, whole, n, q);
        if (convert_is_whole(to)) return false;
        convert_load_real(from, p, n, real);
    } else {
        convert_load_real(from, p, n, real);
        if (convert_is_whole(to))
            return convert_real_to_whole(real, n, whole) && convert_store_whole(to, whole, n, q);
    }
    convert_store_real(to, real, n, q);
    return true;
}

/* ---- arrays ---- */

weft_err weft_array_convert(weft_ctx *c, const weft_array *from, weft_file_type to, void *out,
                            size_t bytes) {
    if (!from) return weft_fail(c, WEFT_ARGUMENT, "weft_array_convert: the array is NULL");
    const char *name = from->name ? from->name : "array";
    uint64_t need;
    if ((unsigned)from->type >= WEFT_FILE_TYPE_COUNT || (unsigned)to >= WEFT_FILE_TYPE_COUNT ||
        from->dims.rank < 0 || from->dims.rank > WEFT_MAX_RANK ||
        !check_array(&from->dims, from->type, &need) || need != from->bytes ||
        (need && !from->data))
        return weft_fail(c, WEFT_ARGUMENT, "%s: type, shape and bytes do not fit together", name);
    size_t size = weft_file_type_size(from->type), wide = weft_file_type_size(to);
    size_t n = from->bytes / size;
    if (out && bytes != n * wide)
        return weft_fail(c, WEFT_ARGUMENT, "%s: as %s it takes %zu bytes, there is room for %zu",
                         name, weft_file_type_name(to), n * wide, bytes);
    const char *p = from->data;
    char *q = out, unused[CONVERT_CHUNK * 8];
    if (from->type == to && to != WEFT_FILE_BOOL) {
        if (out && n) memcpy(out, p, bytes);
        return WEFT_OK;
    }
    for (size_t i = 0; i < n; i += CONVERT_CHUNK) {
        size_t some = n - i < CONVERT_CHUNK ? n - i : CONVERT_CHUNK;
        if (!convert_chunk(from->type, p + i * size, to, out ? q + i * wide : unused, some))
            return weft_fail(c, WEFT_DTYPE, "%s: values %zu to %zu are not all %s numbers", name, i,
                             i + some - 1, weft_file_type_name(to));
    }
    return WEFT_OK;
}

weft_err weft_array_read_f32(weft_ctx *c, const weft_array *from, float *out, size_t n) {
    if (!out && n) return weft_fail(c, WEFT_ARGUMENT, "weft_array_read_f32: the result is NULL");
    return weft_array_convert(c, from, WEFT_FILE_F32, out, n * sizeof *out);
}

weft_err weft_array_read_i32(weft_ctx *c, const weft_array *from, int32_t *out, size_t n) {
    if (!out && n) return weft_fail(c, WEFT_ARGUMENT, "weft_array_read_i32: the result is NULL");
    return weft_array_convert(c, from, WEFT_FILE_I32, out, n * sizeof *out);
}
