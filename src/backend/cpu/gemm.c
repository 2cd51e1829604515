/* gemm.c - decides how a matrix product is computed, and walks its blocks.
 *
 * Two ways: tiles (lanes along a row or a column of C, A read by broadcast) and dots (lanes along
 * k, for a few rows against rows). The choice, made once from the whole shape, fixes the order of
 * every sum. Kernels are in gemm.inc, copies in gemm_parts.c; threads are the caller's. */
#include "gemm_parts.h"

#include <assert.h>
#include <string.h>

/* Sizes of the packed blocks: a panel of B (k_block by 16 or 32 floats) stays in the first cache
 * of 32 KiB beside a tile of A, a block of A in the second cache of 512 KiB, B in the third. From
 * GEMM_FAR floats on B is not expected in the second cache, from GEMM_FARTHER on not in the third. */
enum {
    GEMM_A_ROWS = 192,
    GEMM_B_COLUMNS = 1024,
    GEMM_FAR = 1 << 17,
    GEMM_FARTHER = 1 << 22,
    GEMM_COPY_ROWS = 192,
    GEMM_PAGE = 4096 / 4
};

WEFT_INLINE int64_t gemm_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}
WEFT_INLINE int64_t gemm_parts_of(int64_t n, int64_t size) {
    return (n + size - 1) / size;
}
WEFT_INLINE int64_t gemm_round(int64_t n, int64_t to) {
    return gemm_parts_of(n, to) * to;
}

static const gemm_level *gemm_width(isa level, int64_t n) {
#if WEFT_X86
    if (level == ISA_512 && n >= 16) return &gemm_level_512;
    if (level != ISA_128) return n > 4 ? &gemm_level_256 : &gemm_level_128f;
#else
    (void)level;
    (void)n;
#endif
    return &gemm_level_128;
}

/* Vectors per panel: the cheapest per vector by a count of cycles for multiply-adds (two a cycle,
 * eight in flight) and loads (two a cycle). Few rows want wide panels. */
static int gemm_vectors(const gemm_plan *p, int64_t m, int64_t n) {
    const gemm_level *level = p->level;
    if (m > 4 * GEMM_MAX_ROWS || n <= level->lanes) return n <= level->lanes ? 1 : 2;
    int best = 2;
    double least = 1e30;
    for (int v = 2; v <= GEMM_MAX_VECTORS; v++) {
        int most = level->max_rows[v];
        if (p->transposed && most > 4) most = most / 4 * 4;
        if (most == 0 || (v == 8 && m != 1)) continue;
        const double tiles = (double)gemm_parts_of(m, most), rows = (double)m / tiles;
        double cycles = rows * v / 2;
        if (cycles < 4) cycles = 4;
        if (cycles < (rows + v) / 2) cycles = (rows + v) / 2;
        cycles = cycles * tiles / v;
        if (cycles < least * 0.99) {
            least = cycles;
            best = v;
        }
    }
    return best;
}

/* Vectors of the next panel when width columns are left. A single last vector joins its
 * neighbours, so that it always has one to overlap; packed tiles of A are cut for nv only. */
int gemm_panel(const gemm_plan *p, int64_t width) {
    const int lanes = p->level->lanes, nv = p->nv;
    if (width >= (int64_t)(nv + 2) * lanes) return nv;
    const int left = (int)gemm_parts_of(width, lanes);
    if (p->pack_a || left == nv || left > nv + 1) return left < nv ? left : nv;
    static const int next[10] = {0, 1, 2, 3, 4, 3, 4, 4, 4, 4};
    return left > nv && nv == 2 ? 3 : left > nv ? (nv == 3 ? 2 : nv == 4 ? 3 : 4) : next[left];
}

/* Whether a streamed product has all its rows in one tile, as wide as the registers allow. Else it
 * has tiles of two vectors. */
static int gemm_one_tile(const gemm_plan *p) {
    return p->stream && p->s.m <= GEMM_MAX_ROWS && p->level->stream_vectors[p->s.m] > 0;
}

/* How far before its use B is asked for by a tile of a streamed product. The rows of a wide panel
 * are some lines each: as many rows ahead as keep memory busy. A narrow panel is asked for while
 * the one before it is used, a line of each row by one tile. (One thread, 16 lanes, Zen 5, by
 * 768x50257: 4 rows 10.3 -> 4.7 ms, 8 rows 13.0 -> 5.0, 16 rows 15.1 -> 6.5, 31 rows 20.8 -> 10.6.)
 * Rows that are whole pages apart meet in the same lines of the first cache: few are asked for,
 * and panels into the second cache, also wide ones where B is in memory (by 512x32768: 4 rows 3.1
 * -> 2.2 ms, 8 rows 3.5 -> 2.1, 12 rows 4.8 -> 2.1, 31 rows 9.6 -> 6.5). */
static void gemm_look_ahead(const gemm_plan *p, gemm_tile *t, int64_t tile) {
    enum { FLOATS = 96 * 16, ROWS_OF_PAGES = 4, WIDE = 64 };
    const int64_t wide = (int64_t)p->nv * p->level->lanes, rows = FLOATS / wide;
    const int pages = t->b_row % GEMM_PAGE == 0, panels = pages && p->s.k * p->s.n >= GEMM_FARTHER;
    t->second = pages && (wide < WIDE || panels);
    if (!gemm_one_tile(p)) t->ahead = tile * 16 < wide ? wide + tile * 16 : 0;
    else if (wide < WIDE || panels) t->ahead = wide;
    else t->ahead = t->b_row * (pages ? gemm_least(rows, ROWS_OF_PAGES) : rows);
}

/* Tiles of nearly equal height: a last tile of one row would wait for its own sums. Turned tiles
 * are stored four columns of C at a time, so they keep to fours. */
gemm_cut gemm_cut_rows(const gemm_plan *p, int vectors, int64_t rows) {
    if (gemm_one_tile(p) && vectors == p->nv) return (gemm_cut){(int)rows, (int)rows, 1};
    const int most = p->level->max_rows[p->pack_a ? p->nv : vectors];
    if (p->transposed && most >= 4) {
        const int fours = most / 4 * 4;
        return (gemm_cut){fours, (int)(rows % fours), rows / fours};
    }
    const int64_t tiles = gemm_parts_of(rows, most);
    return (gemm_cut){(int)(rows / tiles) + 1, (int)(rows / tiles), rows % tiles};
}

/* Rows of x against rows of y, both contiguous along k: few rows of x, copied if they are not. */
static void gemm_choose_dots(gemm_plan *p) {
    const gemm_shape *t = &p->s;
    p->dots = 1;
    p->pack_a = t->a_col != 1;
    if (p->pack_a) p->scratch = (size_t)gemm_round(t->m * t->k, 16) * 4;
    p->k_block = t->k;
    if (t->k > GEMM_DOT_K + GEMM_DOT_K / 2) {
        p->k_block = gemm_round(gemm_parts_of(t->k, gemm_parts_of(t->k, GEMM_DOT_K)), 16);
    }
    p->unit_rows = t->m;
    /* Rows of C by fours, as tiles have them: products that follow each other are cut alike. */
    p->unit_cols = p->transposed ? 4 : gemm_round(1 + 4096 / (t->k * t->m), 8);
}

/* A panel of B and what passes through should fit the first cache; the longer the block, the fewer
 * times C is read and written (256x768x50257 NN, 8 lanes: 263 -> 251 ms from 256 to 384, Zen 3). */
static int64_t gemm_k_most(int lanes) {
    return lanes > 8 ? 256 : 384;
}

/* Floats of packed B over k_block steps and some columns. */
static int64_t gemm_packed_floats(const gemm_plan *p, int64_t columns) {
    const int64_t panels = columns / p->level->lanes;
    return gemm_round(p->k_block * columns + panels * GEMM_APART, 16);
}

static void gemm_choose_k_block(gemm_plan *p) {
    /* What is large and transposed is read along k, and C is better written once. */
    const int64_t k = p->s.k, most = p->deep ? 1024 : gemm_k_most(p->level->lanes);
    p->k_block = k;
    if (p->pack_a || k > most + most / 2) {
        const int64_t blocks = gemm_parts_of(k, most);
        p->k_block = blocks > 0 ? gemm_parts_of(k, blocks) : 0;
    }
}

static void gemm_choose_tiles(gemm_plan *p) {
    const gemm_shape *t = &p->s;
    const int lanes = p->level->lanes;
    /* Copying B costs more than it saves when k is short, unless B's rows are so many bytes
     * apart that they meet in the same lines of the cache (128x32x784 TN: 81 -> 75 us in place,
     * Zen 3). */
    const int short_k = t->k <= 64 && t->n % 128 != 0;
    /* Read by fewer rows than this, B is used so seldom that copying it does not pay, but where its
     * rows are whole pages apart and registers are few (64x768x3072, Zen 5: 16 lanes 1310 us with
     * copies, 1177 in place; 8 lanes 2460 and 3250). */
    const int in_place = t->b_col == 1 && t->m < GEMM_COPY_ROWS &&
                         (p->level->registers == 32 || t->b_row % GEMM_PAGE != 0);
    const int large = t->m * t->n * t->k >= 96 * 96 * 96 && !short_k && !in_place &&
                      (t->m >= 48 ? t->n >= 192 : t->m >= 32 && t->n >= 1024);
    p->pack_a = large || (t->a_row != 1 && t->a_col != 1 && t->n > 64);
    p->pack_b = p->pack_a || t->b_col != 1 || t->n < lanes;
    p->stream = t->k * t->n >= GEMM_FAR && !p->pack_b && t->m < GEMM_COPY_ROWS && t->n >= 8 * lanes;
    p->nv = p->pack_a ? (t->n <= lanes ? 1 : 2) : p->stream ? 2 : gemm_vectors(p, t->m, t->n);
    if (gemm_one_tile(p)) p->nv = p->level->stream_vectors[t->m];
    p->deep = p->transposed && !p->pack_a && t->a_col == 1 && t->m * t->k >= GEMM_FAR;
    gemm_choose_k_block(p);
    p->row_block = p->pack_a ? GEMM_A_ROWS : 8 * p->level->max_rows[p->stream ? 2 : p->nv];
    /* Splitting rows costs a copy of B when it is packed. */
    p->unit_rows = p->pack_b ? 64 : 4;
    p->unit_cols = t->n;
    if (t->m < 64 || t->n > GEMM_B_COLUMNS) p->unit_cols = p->pack_b ? 256 : 8 * lanes;
    /* A thread copies the columns of B and the rows of A that its units need: halves of B keep
     * that little on many threads. */
    if (large) p->unit_cols = t->n <= 4 * GEMM_B_COLUMNS ? GEMM_B_COLUMNS / 2 : GEMM_B_COLUMNS;
    p->unit_cols = gemm_round(p->unit_cols, 2 * lanes);
    if (p->stream) {
        p->unit_rows = t->m; /* some sixteen units at least */
        if (p->unit_cols > t->n / 16) p->unit_cols = t->n / 16;
        p->unit_cols = gemm_round(p->unit_cols, (int64_t)p->nv * lanes);
    }
    const int64_t widest = gemm_least(p->unit_cols + lanes, gemm_round(t->n, lanes));
    if (p->pack_b) p->scratch = (size_t)gemm_packed_floats(p, widest) * 4;
    if (p->pack_a) p->a_bytes = (size_t)gemm_round(p->row_block * p->k_block, 16) * 4;
    p->scratch += p->a_bytes;
}

/* So many rows or columns are computed by dots. They need no copies of what is large, but each element
 * of C costs a sum across lanes: the more of them the longer k is. Of a vector along 4 to 7 elements
 * half would be empty (32x64x4, 16 lanes, NN 57 -> 81 GFLOP/s, NT 53 -> 126; 128x64x6 NT 62 -> 117),
 * but B's columns are copied if they are not contiguous, which some rows must pay for. */
static int64_t gemm_dots_most(isa level, const gemm_shape *s, int b_along) {
    if (s->k >= 512) return GEMM_DOT_MOST;
    if (s->k >= 192) return 8;
    if (level != ISA_128 && (b_along || s->m >= 24)) {
        if (s->k >= 64) return 7;
        if (s->k >= 32 && s->n <= s->m) return 6;
    }
    return s->k >= 8 ? 3 : 0;
}

static void gemm_count_units(gemm_plan *p) {
    p->row_units = gemm_parts_of(p->s.m, p->unit_rows);
    p->col_units = gemm_parts_of(p->s.n, p->unit_cols);
    /* A last unit thinner than a vector joins its neighbour. */
    const int64_t rest = p->s.n - (p->col_units - 1) * p->unit_cols;
    if (!p->dots && p->col_units > 1 && rest < p->level->lanes) p->col_units--;
    p->units = p->row_units * p->col_units;
}

void gemm_choose(gemm_plan *p, isa level, const gemm_shape *s) {
    memset(p, 0, sizeof *p);
    p->s = *s;
    if (s->m <= 0 || s->n <= 0) return;
    const int a_along = s->a_col == 1, b_along = s->b_row == 1;
    const int64_t few = !b_along ? s->n : gemm_least(s->m, s->n);
    const int dots = a_along && (b_along || s->m > 8) && few <= gemm_dots_most(level, s, b_along);
    /* Vectors along m: where A's columns are contiguous and B's rows are not, where C is a few
     * columns, or where copying A is less work than copying B. */
    if (dots) p->transposed = s->n < s->m || !b_along; /* then columns of B are copied */
    else if (s->a_row == 1 && !a_along && s->b_col != 1) p->transposed = s->m >= 4;
    else if (s->a_row == 1 && !a_along) p->transposed = s->n < 8 && s->m >= 8;
    else if (b_along && s->b_col != 1) {
        /* Copying A and writing C crosswise, or copying B (32x784x128, Zen 5: 33.0 -> 29.8 us). */
        const int wide = level == ISA_512;
        const int64_t times = s->k >= 128 && (wide || s->m <= 24) ? 3 : 6;
        p->transposed = s->m >= 8 && s->m < (wide ? 112 : 48) && s->k >= 32 && s->n >= times * s->m;
    }
    if (p->transposed) {
        p->s = (gemm_shape){s->n, s->m, s->k, s->b_col, s->b_row, s->a_col, s->a_row, s->c_row};
    }
    p->level = gemm_width(level, dots ? 16 : p->s.n);
    if (dots) gemm_choose_dots(p);
    else gemm_choose_tiles(p);
    gemm_count_units(p);
}

void gemm_choose_packed(gemm_plan *p, isa level, const gemm_shape *s, int64_t unit_rows) {
    memset(p, 0, sizeof *p);
    p->s = *s;
    if (s->m <= 0 || s->n <= 0) return;
    p->level = gemm_width(level, s->n);
    p->pack_b = 1;
    p->nv = gemm_vectors(p, gemm_least(s->m, unit_rows), s->n);
    gemm_choose_k_block(p);
    p->row_block = 8 * p->level->max_rows[p->nv];
    p->unit_rows = unit_rows;
    p->unit_cols = s->n;
    p->row_units = p->units = gemm_parts_of(s->m, unit_rows);
    p->col_units = 1;
    if (s->k <= 0) return;
    p->b_block = (size_t)gemm_packed_floats(p, gemm_round(s->n, p->level->lanes));
    p->packed = (size_t)gemm_parts_of(s->k, p->k_block) * p->b_block * 4;
}

/* Parts of whole rows, or of long pieces of them, since what they meet in memory lies like C (768x3072
 * with Adam, two threads of a Zen 5: pieces of 1024 39 GB/s, whole rows 80). A part lies in the second
 * cache, and so does packed B if it is of one block of k; else more rows meet it. */
bool gemm_choose_passing(gemm_plan *p, isa level, const gemm_shape *s) {
    enum { ROWS = 48, COLUMNS = 4096, LEAST = 256, PANELS = 1 << 17, PART = 3 << 14, DEPTH = 1024 };
    gemm_choose(p, level, s);
    if (!p->units || p->dots || p->transposed || !s->k || s->k > DEPTH) return false;
    p->pack_a = p->pack_b = 1;
    p->stream = p->deep = 0;
    p->nv = s->n <= p->level->lanes ? 1 : 2;
    gemm_choose_k_block(p);
    const int64_t lanes = p->level->lanes, tile = GEMM_MAX_ROWS;
    const int64_t depth = gemm_parts_of(s->k, p->k_block), more = depth > 1 ? 2 : 1;
    int64_t most = COLUMNS;
    while (most > LEAST && most * s->k > more * more * PANELS) most /= 2;
    p->unit_cols = gemm_round(gemm_parts_of(s->n, gemm_parts_of(s->n, most)), 2 * lanes);
    p->unit_rows = gemm_least(more * PART / p->unit_cols / tile * tile, more * ROWS);
    if (p->unit_rows < tile) p->unit_rows = tile;
    p->row_block = p->unit_rows;
    p->s.c_row = p->unit_cols + lanes; /* a last unit may be so much wider */
    p->part = (size_t)(p->row_block * p->s.c_row) * 4;
    p->a_bytes = (size_t)gemm_round(p->row_block * p->k_block, 16) * 4;
    p->b_block = (size_t)gemm_packed_floats(p, p->s.c_row);
    p->scratch = p->a_bytes + (size_t)depth * p->b_block * 4;
    gemm_count_units(p);
    return true;
}

void gemm_pack(const gemm_plan *p, float *out, const float *b) {
    for (int64_t k0 = 0; p->packed > 0 && k0 < p->s.k; k0 += p->k_block, out += p->b_block) {
        gemm_pack_b(p, out, b + k0 * p->s.b_row, gemm_least(p->k_block, p->s.k - k0), p->s.n);
    }
}

/* Unit rows by unit columns from (row, column) on, in the kernels' coordinates. */
static gemm_area gemm_area_of(const gemm_plan *p, int64_t row, int64_t rows, int64_t column,
                              int64_t columns) {
    gemm_area r = {row * p->unit_rows, p->s.m, column * p->unit_cols, p->s.n};
    if (row + rows < p->row_units) r.i1 = r.i0 + rows * p->unit_rows;
    if (column + columns < p->col_units) r.j1 = r.j0 + columns * p->unit_cols;
    return r;
}

gemm_area gemm_unit(const gemm_plan *p, int64_t unit) {
    const gemm_area r = gemm_area_of(p, unit % p->row_units, 1, unit / p->row_units, 1);
    return p->transposed ? (gemm_area){r.j0, r.j1, r.i0, r.i1} : r;
}

/* One run: operands as the kernels see them. */
typedef struct gemm_job {
    const gemm_plan *p;
    const gemm_data *d;
    const float *a, *b;
    float *a_pack, *b_pack;
    int64_t row0, column0; /* of C, what lies at d->c */
} gemm_job;

static void gemm_band(const gemm_job *job, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    const gemm_data *d = job->d;
    if (!d->band) return;
    if (job->p->transposed) d->band(d->user, j0, j1, i0, i1);
    else d->band(d->user, i0, i1, j0, j1);
}

static int gemm_last_flags(const gemm_data *d) {
    return (d->bias ? GEMM_BIAS : 0) | (d->relu ? GEMM_RELU : 0) | (d->mask ? GEMM_MASK : 0);
}

/* Rows [i, i+rows) against one panel; t holds what the panel's tiles share. */
static void gemm_tiles(const gemm_job *job, gemm_tile *t, int64_t i, int64_t rows, int64_t j,
                       int nv, int64_t width, int flags, const float *next, int lines) {
    const gemm_plan *p = job->p;
    const gemm_data *d = job->d;
    const int lanes = p->level->lanes;
    const int raw = p->transposed || width < lanes;
    const float *a = t->a;
    void (*const *kernel)(const gemm_tile *) =
        p->pack_a && nv == 2 ? p->level->packed : p->level->kernel[nv];
    const int deep = p->deep && t->a_col == 1;
    void (*const *early)(const gemm_tile *) = deep                        ? p->level->deep[nv]
                                              : !p->stream || nv != p->nv ? NULL
                                              : gemm_one_tile(p)          ? p->level->stream
                                                                          : p->level->next;
    float buffer[GEMM_TILE_FLOATS];
    const gemm_cut cut = gemm_cut_rows(p, nv, rows);
    for (int64_t tile = 0, at = 0; at < rows; tile++) {
        const int count = gemm_cut_at(&cut, tile);
        if (next) { /* the next panel comes nearer while this one is used */
            for (int line = 0; line < lines; line++, next += 16) __builtin_prefetch(next, 0, 2);
        }
        if (deep) t->ahead = t->a_row % GEMM_PAGE == 0 ? 64 : count * t->a_row;
        else if (early) gemm_look_ahead(p, t, tile);
        void (*const run)(const gemm_tile *) =
            early && early[count - 1] ? early[count - 1] : kernel[count - 1];
        if (p->pack_a) {
            t->a = job->a_pack + at * t->k;
            t->a_row = 1;
            t->a_col = count;
        } else {
            t->a = a + (i + at) * t->a_row;
        }
        if (raw) {
            t->c = buffer;
            t->c_row = (int64_t)nv * lanes;
            t->c_last = t->c_row - lanes;
            t->flags = 0;
            run(t);
            if (p->transposed) {
                /* The last vector may overlap: its own lanes begin at width - lanes. */
                const int plain = width < t->c_row && nv > 1 ? (nv - 1) * lanes : (int)width;
                gemm_store(p, d, flags, buffer, t->c_row, j, i + at, count, plain);
                if (plain < width) {
                    const int rest = (int)width - plain;
                    gemm_store(p, d, flags, buffer + t->c_row - rest, t->c_row, j + plain, i + at,
                               count, rest);
                }
            } else {
                gemm_store(p, d, flags, buffer, t->c_row, i - job->row0 + at, j - job->column0,
                           count, (int)width);
            }
        } else {
            t->c = d->c + (i - job->row0 + at) * t->c_row + (j - job->column0);
            t->mask = d->mask ? d->mask + (i + at) * d->mask_row + j : NULL;
            for (int r = 0; p->pack_a && r < count; r++) { /* C comes nearer during the sums */
                __builtin_prefetch(t->c + r * t->c_row, 1, 3);
                __builtin_prefetch(t->c + r * t->c_row + width - 1, 1, 3);
            }
            run(t);
        }
        at += count;
    }
}

/* Rows [i, i + rows) of the rectangle over k steps from k0 on. */
static void gemm_block(const gemm_job *job, const gemm_area *r, int64_t i, int64_t rows, int64_t k0,
                       int64_t k, const float *b_pack) {
    const gemm_plan *p = job->p;
    const gemm_data *d = job->d;
    const gemm_shape *s = &p->s;
    const int lanes = p->level->lanes, last = k0 + k >= s->k;
    const int flags = (k0 > 0 || d->accumulate ? GEMM_OLD : 0) | (last ? gemm_last_flags(d) : 0);
    if (p->pack_a) gemm_pack_a(p, job->a_pack, job->a + i * s->a_row + k0 * s->a_col, k, rows);
    const float *packed = b_pack;
    for (int64_t j = r->j0; j < r->j1;) {
        const int nv = gemm_panel(p, r->j1 - j);
        const int64_t width = gemm_least((int64_t)nv * lanes, r->j1 - j);
        gemm_tile t = {.a_row = s->a_row,
                       .a_col = s->a_col,
                       .k = k,
                       .c_row = s->c_row,
                       .c_last = width - lanes,
                       .mask_row = d->mask_row,
                       .flags = flags,
                       .bias = d->bias ? d->bias + (p->transposed ? 0 : j) : NULL};
        if (p->pack_b) {
            t.b = packed;
            t.b_row = (int64_t)nv * lanes;
            t.b_last = t.b_row - lanes;
            packed += k * t.b_row + GEMM_APART;
        } else {
            t.b = job->b + k0 * s->b_row + j;
            t.b_row = s->b_row;
            t.b_last = width - lanes;
        }
        t.a = job->a + k0 * s->a_col;
        gemm_tiles(job, &t, i, rows, j, nv, width, flags, p->pack_a ? packed : NULL, 16);
        j += width;
    }
    if (last) gemm_band(job, i, i + rows, r->j0, r->j1);
}

static void gemm_rectangle(const gemm_job *job, const gemm_area *r) {
    const gemm_plan *p = job->p;
    const gemm_data *d = job->d;
    const gemm_shape *s = &p->s;
    const int64_t blocks = gemm_parts_of(r->i1 - r->i0, p->row_block);
    int64_t k0 = 0;
    do {
        const int64_t k = gemm_least(p->k_block, s->k - k0);
        const float *b_pack = job->b_pack;
        if (d->packed) {
            b_pack = d->packed + (p->k_block > 0 ? k0 / p->k_block : 0) * (int64_t)p->b_block;
        } else if (p->pack_b) {
            gemm_pack_b(p, job->b_pack, job->b + k0 * s->b_row + r->j0 * s->b_col, k,
                        r->j1 - r->j0);
        }
        for (int64_t block = 0, i = r->i0; block < blocks; block++) {
            const int64_t rows = (r->i1 - i) / (blocks - block);
            gemm_block(job, r, i, rows, k0, k, b_pack);
            i += rows;
        }
        k0 += k;
    } while (k0 < s->k);
}

/* Where C is not kept: all of k for some rows before the next are begun. */
static void gemm_passing(gemm_job *job, const gemm_area *r) {
    const gemm_plan *p = job->p;
    const gemm_shape *s = &p->s;
    const int64_t blocks = gemm_parts_of(r->i1 - r->i0, p->row_block);
    float *to = job->b_pack;
    for (int64_t k0 = 0; k0 < s->k; k0 += p->k_block, to += p->b_block)
        gemm_pack_b(p, to, job->b + k0 * s->b_row + r->j0 * s->b_col,
                    gemm_least(p->k_block, s->k - k0), r->j1 - r->j0);
    job->column0 = r->j0;
    for (int64_t block = 0, i = r->i0; block < blocks; block++) {
        const int64_t rows = (r->i1 - i) / (blocks - block);
        const float *packed = job->b_pack;
        job->row0 = i;
        for (int64_t k0 = 0; k0 < s->k; k0 += p->k_block, packed += p->b_block)
            gemm_block(job, r, i, rows, k0, gemm_least(p->k_block, s->k - k0), packed);
        i += rows;
    }
}

/* All rows meet a few columns of B before the next are fetched. Rows and columns that do not fill a
 * tile are taken together with some before them, which are computed again. */
static void gemm_dot_columns(const gemm_plan *p, const float *x, int64_t x_row, int rows,
                             const float *b, int64_t k, int64_t j, int width, float *out) {
    const gemm_shape *s = &p->s;
    const gemm_level *level = p->level;
    const int tiles = (rows + level->dot_rows - 1) / level->dot_rows;
    const int count = (rows + tiles - 1) / tiles, wide = level->dot_columns[count];
    const int together = width >= wide ? wide : 1;
    gemm_dot_function *const dot = level->dot[count][together];
    assert(dot && rows <= GEMM_DOT_MOST && width <= GEMM_DOT_COLUMNS && (s->b_row == 1 || k <= 1));
    for (int q = 0; q < width; q += together) {
        if (q > width - together) q = width - together;
        for (int i = 0; i < rows; i += count) {
            if (i > rows - count) i = rows - count;
            dot(x + i * x_row, x_row, b + (j + q) * s->b_col, s->b_col, k,
                out + i * GEMM_DOT_STEP + q);
        }
    }
}

static void gemm_dot_products(const gemm_job *job, const gemm_area *r) {
    const gemm_plan *p = job->p;
    const gemm_data *d = job->d;
    const gemm_shape *s = &p->s;
    const float *x = job->a;
    int64_t x_row = s->a_row;
    if (p->pack_a) {
        for (int64_t i = r->i0; i < r->i1; i++) {
            for (int64_t k = 0; k < s->k; k++) {
                job->a_pack[i * s->k + k] = x[i * s->a_row + k * s->a_col];
            }
        }
        x = job->a_pack;
        x_row = s->k;
    }
    const int flags = (d->accumulate ? GEMM_OLD : 0) | gemm_last_flags(d);
    float out[GEMM_DOT_MOST * GEMM_DOT_STEP], part[GEMM_DOT_MOST * GEMM_DOT_STEP];
    const int rows = (int)(r->i1 - r->i0);
    for (int64_t j = r->j0; j < r->j1;) {
        const int width = (int)gemm_least(GEMM_DOT_COLUMNS, r->j1 - j);
        for (int64_t k0 = 0; k0 == 0 || k0 < s->k; k0 += p->k_block) {
            const int64_t k = gemm_least(p->k_block, s->k - k0);
            gemm_dot_columns(p, x + k0, x_row, rows, job->b + k0, k, j, width, k0 ? part : out);
            for (int i = 0; k0 && i < rows * GEMM_DOT_STEP; i++) out[i] += part[i];
        }
        gemm_store(p, d, flags, out, GEMM_DOT_STEP, p->transposed ? j : r->i0,
                   p->transposed ? r->i0 : j, rows, width);
        j += width;
    }
    gemm_band(job, r->i0, r->i1, r->j0, r->j1);
}

void gemm_run(const gemm_plan *p, const gemm_data *d, int64_t unit0, int64_t unit1, void *scratch) {
    assert(0 <= unit0 && unit0 <= unit1 && unit1 <= p->units);
    assert(p->scratch == 0 || (scratch && (uintptr_t)scratch % 64 == 0));
    if (unit0 == unit1) return;
    /* Without depth nothing is read, so C stands in for operands that may be NULL. */
    const float *a = p->s.k > 0 ? d->a : d->c, *b = p->s.k > 0 && d->b ? d->b : d->c;
    gemm_job job = {.p = p, .d = d, .a = p->transposed ? b : a, .b = p->transposed ? a : b};
    job.a_pack = scratch;
    job.b_pack = scratch ? (float *)((char *)scratch + p->a_bytes) : NULL;
    assert(!p->part || (d->band && !gemm_last_flags(d) && !d->accumulate));
    if (unit1 - unit0 == p->units && (p->col_units == 1 || !p->pack_b)) { /* all of it at once */
        const gemm_area all = {0, p->s.m, 0, p->s.n};
        if (p->dots) gemm_dot_products(&job, &all);
        else if (p->part) gemm_passing(&job, &all);
        else gemm_rectangle(&job, &all);
        return;
    }
    for (int64_t u = unit0; u < unit1;) {
        const int64_t column = u / p->row_units, row = u % p->row_units;
        const int64_t rows = gemm_least(p->row_units - row, unit1 - u);
        int64_t columns = 1;
        /* Whole columns of units without copies of B run as one wide rectangle. */
        if (rows == p->row_units && !p->pack_b) columns = (unit1 - u) / p->row_units;
        const gemm_area r = gemm_area_of(p, row, rows, column, columns);
        if (p->dots) gemm_dot_products(&job, &r);
        else if (p->part) gemm_passing(&job, &r);
        else gemm_rectangle(&job, &r);
        u += rows * columns;
    }
}
