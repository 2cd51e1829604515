/* batch.c - makes batches: selects rows, converts bytes to floats, shifts and flips images.
 *
 * Everything is a function of the maker and the step. Rows are read in place, at any address.
 * Nothing here fails, allocates or knows of threads. */
#include "data/batch.h"

#include <string.h>

enum { BATCH_ORDER = 1, BATCH_CHANGES = 2 }; /* what is drawn, per epoch */
enum { BATCH_FLIP, BATCH_DOWN, BATCH_RIGHT, BATCH_HOLE_Y, BATCH_HOLE_X }; /* and per row         */

static shuffle batch_order(const batch_maker *m, int64_t epoch) {
    const uint64_t key = shuffle_draw(m->desc.seed, (uint64_t)epoch, BATCH_ORDER);
    return shuffle_of(m->rows, key);
}

/* Example i of the batch, as a row of the set; a short last batch goes on from the front. */
static int64_t batch_pick(const batch_maker *m, const shuffle *order, int64_t step, int64_t i) {
    const int64_t place = (step % m->steps * m->batch + i) % m->rows;
    return m->desc.in_order ? place : shuffle_at(order, place);
}

int64_t batch_row(const batch_maker *m, int64_t step, int64_t i) {
    const shuffle order = batch_order(m, step / m->steps);
    return batch_pick(m, &order, step, i);
}

/* ---- lines of pixels: n of them, `from` bytes apart in the set, `to` floats apart in the batch -- */

static void batch_bytes(float *y, int64_t to, const unsigned char *x, int64_t from, int64_t n,
                        const float *table) {
    enum { BLOCK = 8 }; /* a loop of known length is unrolled */
    int64_t i = 0;
    if (to == 1 && from == 1)
        for (; i + BLOCK <= n; i += BLOCK)
            for (int k = 0; k < BLOCK; k++) y[i + k] = table[x[i + k]];
    for (; i < n; i++) y[i * to] = table[x[i * from]];
}

static void batch_floats(float *y, int64_t to, const char *x, int64_t from, int64_t n, float mean,
                         float std) {
    for (int64_t i = 0; i < n; i++) {
        float v;
        memcpy(&v, x + i * from, sizeof v);
        y[i * to] = (v - mean) / std;
    }
}

static void batch_line(const batch_field *f, int64_t channel, float *y, int64_t to, const char *x,
                       int64_t from, int64_t n) {
    if (f->how == BATCH_BYTES)
        batch_bytes(y, to, (const unsigned char *)x, from, n, f->table + channel * 256);
    else batch_floats(y, to, x, from, n, f->mean[channel], f->std[channel]);
}

/* ---- one example ---- */

static void batch_plain(const batch_field *f, float *y, const char *x) {
    const int64_t size = f->how == BATCH_BYTES ? 1 : (int64_t)sizeof(float);
    const data_channels c = f->plain;
    for (int64_t o = 0; o < c.outer; o++)
        for (int64_t k = 0; k < c.channels; k++, y += c.inner, x += c.inner * size)
            batch_line(f, k, y, 1, x, size, c.inner);
}

/* The window of out.height x out.width whose corner is (down, right) in the stored picture, where
 * there is one; black around it. */
static void batch_window(const batch_field *f, float *y, const char *x, int64_t down, int64_t right,
                         bool flip) {
    static const float black;
    const batch_layout *const in = &f->in, *const out = &f->out;
    const int64_t size = f->how == BATCH_BYTES ? 1 : (int64_t)sizeof(float);
    /* Columns first .. end - 1 of the window, before it is flipped, lie in the picture. */
    int64_t first = right < 0 ? -right : 0, end = in->width - right;
    if (end > out->width) end = out->width;
    if (first > end) first = end = 0;
    for (int64_t k = 0; k < f->channels; k++)
        for (int64_t i = 0; i < out->height; i++) {
            float *line = y + k * out->channel_step + i * out->row_step;
            int64_t to = out->column_step;
            if (flip) line += (out->width - 1) * to, to = -to;
            const int64_t row = down + i;
            const bool inside = row >= 0 && row < in->height;
            const int64_t begin = inside ? first : 0, stop = inside ? end : 0;
            const char *from = x;
            if (stop > begin)
                from += size * (k * in->channel_step + row * in->row_step +
                                (right + begin) * in->column_step);
            const char *const zero = (const char *)&black;
            batch_line(f, k, line, to, zero, 0, begin);
            batch_line(f, k, line + begin * to, to, from, size * in->column_step, stop - begin);
            batch_line(f, k, line + stop * to, to, zero, 0, out->width - stop);
        }
}

static void batch_cutout(const batch_field *f, float *y, int64_t side, int64_t down,
                         int64_t right) {
    const batch_layout *const out = &f->out;
    const int64_t top = down < 0 ? 0 : down, left = right < 0 ? 0 : right;
    const int64_t bottom = down + side < out->height ? down + side : out->height;
    const int64_t end = right + side < out->width ? right + side : out->width;
    for (int64_t k = 0; k < f->channels; k++)
        for (int64_t i = top; i < bottom; i++)
            for (int64_t n = left; n < end; n++)
                y[k * out->channel_step + i * out->row_step + n * out->column_step] = 0;
}

static int64_t batch_below(uint64_t key, int64_t row, int what, int64_t n) {
    return (int64_t)(shuffle_draw(key, (uint64_t)row, (uint64_t)what) % (uint64_t)n);
}

static void batch_picture(const batch_maker *m, const batch_field *f, float *y, const char *x,
                          uint64_t key, int64_t row) {
    const weft_loader_desc *const d = &m->desc;
    const int64_t spare_y = f->in.height - f->out.height, spare_x = f->in.width - f->out.width;
    int64_t down = spare_y / 2, right = spare_x / 2;
    bool flip = false;
    if (!d->centre) {
        down = batch_below(key, row, BATCH_DOWN, spare_y + 2 * d->shift + 1) - d->shift;
        right = batch_below(key, row, BATCH_RIGHT, spare_x + 2 * d->shift + 1) - d->shift;
        flip = d->flip && batch_below(key, row, BATCH_FLIP, 2);
    }
    batch_window(f, y, x, down, right, flip);
    if (d->cutout && !d->centre)
        batch_cutout(f, y, d->cutout,
                     batch_below(key, row, BATCH_HOLE_Y, f->out.height) - d->cutout / 2,
                     batch_below(key, row, BATCH_HOLE_X, f->out.width) - d->cutout / 2);
}

static void batch_widen(int32_t *y, const void *x, weft_dtype t, int64_t n) {
    const uint8_t *u = x;
    const int8_t *s = x;
    for (int64_t i = 0; i < n; i++) y[i] = t == WEFT_U8 ? u[i] : s[i];
}

/* Rows begin at any address. */
static void batch_double(int32_t *y, const char *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint16_t v;
        memcpy(&v, x + i * (int64_t)sizeof v, sizeof v);
        y[i] = v;
    }
}

void batch_make(const batch_maker *m, int64_t step, char *memory) {
    const int64_t epoch = step / m->steps;
    const shuffle order = batch_order(m, epoch);
    const uint64_t key = shuffle_draw(m->desc.seed, (uint64_t)epoch, BATCH_CHANGES);
    for (int64_t i = 0; i < m->batch; i++) {
        const int64_t row = batch_pick(m, &order, step, i);
        for (size_t k = 0; k < m->count; k++) {
            const batch_field *const f = &m->field[k];
            const char *const x = (const char *)f->from.rows + (size_t)row * f->from.row_bytes;
            void *const y = memory + f->offset + (size_t)i * f->bytes;
            if (f->how == BATCH_COPY) memcpy(y, x, f->bytes);
            else if (f->how == BATCH_WIDEN) batch_widen(y, x, f->from.dtype, f->count);
            else if (f->how == BATCH_DOUBLE) batch_double(y, x, f->count);
            else if (f->picture) batch_picture(m, f, y, x, key, row);
            else batch_plain(f, y, x);
        }
    }
}
