/* inflate.c - decompresses DEFLATE. The input is complete in memory; output goes through a window of 32 KiB.
 *
 * Every code set is checked to be complete, every distance to reach back no further than what was
 * written, and every bit to exist. Errors have a text and the position in the
 * input. */
#include "io/inflate.h"
#include <string.h>

static bool inflate_wrong(inflate *z, const char *what) {
    if (!z->wrong) z->wrong = what;
    return false;
}

/* ---- bits ---- */

static void inflate_fill(inflate *z) {
    if (z->held >= 48) return;
    if (z->n - z->at >= 8) { /* a whole word, of which as many bytes count as there is room for */
        uint64_t word;
        unsigned taken = (64 - z->held) / 8;
        memcpy(&word, z->in + z->at, 8);
        if (taken < 8) word &= ((uint64_t)1 << 8 * taken) - 1;
        z->bits |= word << z->held;
        z->at += taken;
        z->held += 8 * taken;
        return;
    }
    while (z->held <= 56 && z->at < z->n) {
        z->bits |= (uint64_t)z->in[z->at++] << z->held;
        z->held += 8;
    }
}

static void inflate_use(inflate *z, unsigned n) {
    z->bits >>= n;
    z->held -= n;
}

static bool inflate_take(inflate *z, unsigned n, unsigned *out) {
    inflate_fill(z);
    if (z->held < n) return inflate_wrong(z, "the packed data ends too early");
    *out = (unsigned)(z->bits & ((1u << n) - 1));
    inflate_use(z, n);
    return true;
}

/* ---- codes ---- */

/* length (n): bits of each symbol's code, 0 for none. A set with a single code of one bit may leave
 * the other half unused; one without any codes is fine as long as it is not used. */
static bool inflate_build(inflate *z, inflate_codes *k, const unsigned char *length, unsigned n) {
    uint16_t next[INFLATE_MAX_BITS + 2] = {0}, code[INFLATE_MAX_BITS + 2] = {0};
    memset(k, 0, sizeof *k);
    for (unsigned i = 0; i < n; i++) k->count[length[i]]++;
    k->count[0] = 0;
    int left = 1, longest = 0;
    for (int b = 1; b <= INFLATE_MAX_BITS; b++) {
        left = 2 * left - k->count[b];
        if (left < 0) return inflate_wrong(z, "an over-subscribed set of codes");
        if (k->count[b]) longest = b;
        next[b + 1] = (uint16_t)(next[b] + k->count[b]);
        code[b + 1] = (uint16_t)((code[b] + k->count[b]) << 1);
    }
    if (left > 0 && longest > 1) return inflate_wrong(z, "an incomplete set of codes");
    for (unsigned i = 0; i < n; i++) {
        unsigned b = length[i];
        if (!b) continue;
        k->symbol[next[b]++] = (uint16_t)i;
        unsigned plain = code[b]++, turned = 0; /* codes come highest bit first */
        if (b > INFLATE_FAST_BITS) continue;
        for (unsigned j = 0; j < b; j++) turned |= (plain >> j & 1) << (b - 1 - j);
        for (; turned < 1u << INFLATE_FAST_BITS; turned += 1u << b)
            k->fast[turned] = (uint16_t)(i << 4 | b);
    }
    return true;
}

static bool inflate_symbol(inflate *z, const inflate_codes *k, unsigned *out) {
    inflate_fill(z);
    unsigned entry = k->fast[z->bits & ((1u << INFLATE_FAST_BITS) - 1)], b = entry & 15;
    *out = entry >> 4;
    if (!b) {
        unsigned code = 0, first = 0, before = 0;
        for (b = 1; b <= INFLATE_MAX_BITS; b++) {
            code |= (unsigned)(z->bits >> (b - 1) & 1);
            if (code - first < k->count[b]) break;
            before += k->count[b];
            first = (first + k->count[b]) << 1;
            code <<= 1;
        }
        if (b > INFLATE_MAX_BITS) return inflate_wrong(z, "an invalid code");
        *out = k->symbol[before + (code - first)];
    }
    if (z->held < b) return inflate_wrong(z, "the packed data ends too early");
    inflate_use(z, b);
    return true;
}

/* ---- output ---- */

static bool inflate_give(inflate *z) {
    if (z->out && !z->sink(z->user, z->window, z->out)) z->stopped = true;
    return !z->stopped;
}

static bool inflate_wrote(inflate *z, size_t n) {
    z->out += n;
    bool enough = z->enough && z->out >= z->enough;
    if (z->out < INFLATE_WINDOW && !enough) return true;
    bool more = inflate_give(z) && !enough;
    if (enough) z->stopped = true;
    z->out = 0;
    z->full = true;
    return more;
}

static bool inflate_byte(inflate *z, unsigned char b) {
    z->window[z->out] = b;
    return inflate_wrote(z, 1);
}

static bool inflate_match(inflate *z, unsigned length, unsigned distance) {
    if (distance > (z->full ? (size_t)INFLATE_WINDOW : z->out))
        return inflate_wrong(z, "a distance beyond the beginning");
    unsigned char *w = z->window;
    while (length) { /* in stretches that the end of the window does not cut */
        size_t from = (z->out - distance) & (INFLATE_WINDOW - 1);
        size_t n = INFLATE_WINDOW - (from > z->out ? from : z->out);
        if (n > length) n = length;
        if (n <= distance) memmove(w + z->out, w + from, n);
        else
            for (size_t i = 0; i < n; i++) w[z->out + i] = w[from + i]; /* reads what it wrote */
        length -= (unsigned)n;
        if (!inflate_wrote(z, n)) return false;
    }
    return true;
}

/* ---- blocks ---- */

static bool inflate_stored(inflate *z) {
    inflate_use(z, z->held & 7);
    unsigned length, mirrored;
    if (!inflate_take(z, 16, &length) || !inflate_take(z, 16, &mirrored)) return false;
    if ((length ^ mirrored) != 0xffff)
        return inflate_wrong(z, "a stored block whose lengths differ");
    for (unsigned b; length; length--)
        if (!inflate_take(z, 8, &b) || !inflate_byte(z, (unsigned char)b)) return false;
    return true;
}

static bool inflate_packed(inflate *z) {
    static const uint16_t length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                             15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                             67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint16_t distance_base[30] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    for (unsigned s, more, far; inflate_symbol(z, &z->literal, &s);) {
        if (s == 256) return true;
        if (s < 256) {
            if (!inflate_byte(z, (unsigned char)s)) return false;
            continue;
        }
        s -= 257;
        if (s >= 29) return inflate_wrong(z, "a length that does not exist");
        if (!inflate_take(z, s < 8 || s == 28 ? 0 : s / 4 - 1, &more)) return false;
        unsigned length = length_base[s] + more;
        if (!inflate_symbol(z, &z->distance, &s)) return false;
        if (s >= 30) return inflate_wrong(z, "a distance that does not exist");
        if (!inflate_take(z, s < 4 ? 0 : s / 2 - 1, &far)) return false;
        if (!inflate_match(z, length, distance_base[s] + far)) return false;
    }
    return false;
}

static bool inflate_fixed(inflate *z) {
    unsigned char length[288];
    for (unsigned i = 0; i < 288; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    if (!inflate_build(z, &z->literal, length, 288)) return false;
    memset(length, 5, 32);
    return inflate_build(z, &z->distance, length, 32) && inflate_packed(z);
}

static bool inflate_dynamic(inflate *z) {
    static const unsigned char order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                            11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned literals, distances, lengths, v;
    unsigned char length[286 + 30] = {0}, of_length[19] = {0};
    if (!inflate_take(z, 5, &literals) || !inflate_take(z, 5, &distances) ||
        !inflate_take(z, 4, &lengths))
        return false;
    literals += 257, distances += 1, lengths += 4;
    if (literals > 286 || distances > 30) return inflate_wrong(z, "too many codes");
    for (unsigned i = 0; i < lengths; i++) {
        if (!inflate_take(z, 3, &v)) return false;
        of_length[order[i]] = (unsigned char)v;
    }
    if (!inflate_build(z, &z->literal, of_length, 19)) return false;
    for (unsigned i = 0, total = literals + distances; i < total;) {
        if (!inflate_symbol(z, &z->literal, &v)) return false;
        if (v < 16) {
            length[i++] = (unsigned char)v;
            continue;
        }
        if (v == 16 && !i) return inflate_wrong(z, "a repetition of nothing");
        unsigned times, what = v == 16 ? length[i - 1] : 0;
        if (!inflate_take(z, v == 16 ? 2 : v == 17 ? 3 : 7, &times)) return false;
        times += v == 18 ? 11 : 3;
        if (times > total - i) return inflate_wrong(z, "a repetition beyond the last code");
        memset(length + i, (int)what, times);
        i += times;
    }
    if (!length[256]) return inflate_wrong(z, "a block that cannot end");
    return inflate_build(z, &z->literal, length, literals) &&
           inflate_build(z, &z->distance, length + literals, distances) && inflate_packed(z);
}

bool inflate_run(inflate *z) {
    bool good = true;
    for (unsigned last = 0, kind; good && !last;) {
        good = inflate_take(z, 1, &last) && inflate_take(z, 2, &kind);
        if (!good) break;
        switch (kind) {
        case 0: good = inflate_stored(z); break;
        case 1: good = inflate_fixed(z); break;
        case 2: good = inflate_dynamic(z); break;
        default: good = inflate_wrong(z, "a block of unknown type");
        }
    }
    z->at -= z->held / 8;
    if (!good || !inflate_give(z)) return false;
    return z->at == z->n || inflate_wrong(z, "more packed data than the stream has");
}
