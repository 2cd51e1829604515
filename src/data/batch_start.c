/* batch_start.c - prepares how batches are made: types, shapes, layouts, tables of normalised values.
 *
 * All errors in the options are found here; making a batch cannot fail. */
#include "data/batch.h"

#include <math.h>
#include <string.h>

/* ---- the field that is changed ---- */

static size_t start_main_field(const weft_data *d) {
    const int x = weft_data_find(d, "x");
    return x < 0 ? 0 : (size_t)x;
}

static bool start_moves(const weft_loader_desc *d) {
    return d->flip || d->shift || d->crop[0] || d->crop[1] || d->cutout;
}

static batch_layout start_layout(int64_t channels, int64_t height, int64_t width, bool last) {
    batch_layout l = {.height = height, .width = width};
    l.channel_step = last ? 1 : height * width;
    l.row_step = last ? width * channels : width;
    l.column_step = last ? channels : 1;
    return l;
}

/* Stored and wanted layout of a picture, and the window that is cut out of it. */
static weft_err start_picture(batch_maker *m, batch_field *f) {
    const weft_loader_desc *const d = &m->desc;
    const int rank = f->dims.rank;
    const bool last = rank == 3 && d->stored_last;
    const int64_t *const n = f->dims.n;
    const int64_t height = rank == 2 || last ? n[0] : n[1], width = rank == 2 || last ? n[1] : n[2];
    f->channels = rank == 2 ? 1 : last ? n[2] : n[0];
    const int64_t crop[2] = {d->crop[0] ? d->crop[0] : height, d->crop[1] ? d->crop[1] : width};
    if (crop[0] < 1 || crop[1] < 1 || crop[0] > height || crop[1] > width)
        return weft_fail(m->ctx, WEFT_ARGUMENT,
                         "weft_loader_new: a crop of %lld x %lld out of pictures of %lld x %lld",
                         (long long)crop[0], (long long)crop[1], (long long)height,
                         (long long)width);
    if (d->shift < 0 || d->shift > height || d->shift > width || d->cutout < 0)
        return weft_fail(m->ctx, WEFT_ARGUMENT,
                         "weft_loader_new: shift %d and cutout %d for pictures of %lld x %lld",
                         d->shift, d->cutout, (long long)height, (long long)width);
    f->in = start_layout(f->channels, height, width, last);
    f->out = start_layout(f->channels, crop[0], crop[1], d->channels_last);
    if (rank == 2) f->dims = weft_dims(crop[0], crop[1]);
    else if (d->channels_last) f->dims = weft_dims(crop[0], crop[1], f->channels);
    else f->dims = weft_dims(f->channels, crop[0], crop[1]);
    f->count = f->channels * crop[0] * crop[1];
    f->picture = start_moves(d) || (rank == 3 && d->stored_last != d->channels_last);
    return WEFT_OK;
}

/* ---- mean and standard deviation ---- */

static weft_err start_take_moments(batch_maker *m, batch_field *f, bool main) {
    const weft_loader_desc *const d = &m->desc;
    for (int64_t k = 0; k < f->channels; k++) f->mean[k] = 0, f->std[k] = 1;
    if (!main || (!d->standardise && !d->moments)) return WEFT_OK;
    if (f->how == BATCH_COPY || f->how == BATCH_WIDEN || f->how == BATCH_DOUBLE)
        return weft_fail(m->ctx, WEFT_DTYPE,
                         "weft_loader_new: field \"%s\" is %s of rank %d, which is not normalised",
                         f->from.name, weft_dtype_name(f->from.dtype), f->from.dims.rank);
    if (d->standardise) {
        const int other = weft_data_find(d->standardise, f->from.name);
        const weft_field like =
            weft_data_field(d->standardise, other < 0 ? SIZE_MAX : (size_t)other);
        if (like.dtype != f->from.dtype || !like.rows ||
            data_channels_of(like.dims, d->stored_last).channels != f->channels)
            return weft_fail(m->ctx, WEFT_ARGUMENT,
                             "weft_loader_new: the set to standardise by has no such field \"%s\"",
                             f->from.name);
        const weft_err e = weft_data_moments(d->standardise, (size_t)other, d->stored_last, f->mean,
                                             f->std, (size_t)f->channels);
        if (e != WEFT_OK) return e;
    } else {
        if (!d->mean || (d->moments != 1 && d->moments != (size_t)f->channels))
            return weft_fail(m->ctx, WEFT_ARGUMENT,
                             "weft_loader_new: %zu means%s for field \"%s\"; it takes 1 or %lld",
                             d->moments, d->mean ? "" : " (NULL)", f->from.name,
                             (long long)f->channels);
        for (int64_t k = 0; k < f->channels; k++) {
            const int64_t from = d->moments == 1 ? 0 : k;
            f->mean[k] = d->mean[from];
            if (d->std) f->std[k] = d->std[from];
        }
    }
    for (int64_t k = 0; k < f->channels; k++) {
        if (f->std[k] == 0) f->std[k] = 1;
        if (!isfinite(f->mean[k]) || !(f->std[k] > 0) || isinf(f->std[k]))
            return weft_fail(m->ctx, WEFT_ARGUMENT,
                             "weft_loader_new: channel %lld has mean %g and standard deviation %g",
                             (long long)k, (double)f->mean[k], (double)f->std[k]);
    }
    return WEFT_OK;
}

static weft_err start_normal(batch_maker *m, batch_field *f, bool main) {
    const size_t channels = (size_t)f->channels;
    const size_t tables = f->how == BATCH_BYTES ? 256 : 0;
    f->mean = weft_resize(m->ctx, NULL, channels * (2 + tables) * sizeof *f->mean);
    if (!f->mean) return weft_fail(m->ctx, WEFT_MEMORY, "weft_loader_new: out of memory");
    f->std = f->mean + channels;
    f->table = f->std + channels;
    WEFT_TRY(start_take_moments(m, f, main));
    const float scale = m->desc.scale;
    for (size_t k = 0; k < channels && tables; k++)
        for (int v = 0; v < 256; v++) {
            const int value = f->from.dtype == WEFT_I8 && v > 127 ? v - 256 : v;
            const float scaled = scale != 0 ? (float)value * scale : (float)value / 255;
            f->table[k * 256 + (size_t)v] = (scaled - f->mean[k]) / f->std[k];
        }
    return WEFT_OK;
}

/* ---- fields ---- */

static weft_err start_field(batch_maker *m, size_t i, bool main) {
    const weft_loader_desc *const d = &m->desc;
    batch_field *const f = &m->field[i];
    int64_t bytes;
    *f = (batch_field){.from = d->data->field[i], .channels = 1};
    f->dims = f->from.dims;
    f->dtype = f->from.dtype;
    if (data_is_picture(&f->from)) f->how = BATCH_BYTES, f->dtype = WEFT_F32;
    else if (f->dtype == WEFT_U8 || f->dtype == WEFT_I8) f->how = BATCH_WIDEN, f->dtype = WEFT_I32;
    else if (f->dtype == WEFT_F32) f->how = BATCH_FLOATS;
    else if (f->from.bits) f->how = BATCH_DOUBLE;
    const bool picture = f->dims.rank == 2 || f->dims.rank == 3;
    const bool changes = f->how == BATCH_BYTES || f->how == BATCH_FLOATS;
    if (main && start_moves(d) && !(picture && changes))
        return weft_fail(m->ctx, WEFT_ARGUMENT,
                         "weft_loader_new: field \"%s\" is %s of rank %d; only pictures of f32, u8 "
                         "or i8 are moved, flipped or cut",
                         f->from.name, weft_dtype_name(f->from.dtype), f->from.dims.rank);
    f->plain = data_channels_of(f->from.dims, d->stored_last);
    f->channels = f->plain.channels;
    if (main && picture && changes) WEFT_TRY(start_picture(m, f));
    if (f->dims.rank >= WEFT_MAX_RANK)
        return weft_fail(m->ctx, WEFT_SHAPE,
                         "weft_loader_new: field \"%s\" has rank %d; a batch of it would have one "
                         "more than %d",
                         f->from.name, f->dims.rank, WEFT_MAX_RANK);
    if (!data_extent(f->dtype, f->dims, &f->count, &bytes) || bytes > INT64_MAX / 2 / m->batch ||
        (uint64_t)bytes > SIZE_MAX / 4 / (uint64_t)m->batch)
        return weft_fail(m->ctx, WEFT_ARGUMENT,
                         "weft_loader_new: %lld rows of field \"%s\" are too large a batch",
                         (long long)m->batch, f->from.name);
    f->bytes = (size_t)bytes;
    f->offset = m->bytes;
    const size_t whole = f->bytes * (size_t)m->batch;
    if (whole > SIZE_MAX / 2 - m->bytes)
        return weft_fail(m->ctx, WEFT_ARGUMENT, "weft_loader_new: the batch is too large");
    m->bytes += (whole + BATCH_ALIGN - 1) / BATCH_ALIGN * BATCH_ALIGN;
    const bool normal = main && (d->standardise || d->moments);
    return changes || normal ? start_normal(m, f, main) : WEFT_OK;
}

weft_err batch_start(batch_maker *m, weft_ctx *c, const weft_loader_desc *d) {
    const weft_data *const data = d->data;
    *m = (batch_maker){.ctx = c, .desc = *d, .rows = data->rows, .count = 0};
    m->batch = d->batch ? d->batch : 32;
    if (m->batch < 1 || m->batch > INT32_MAX)
        return weft_fail(c, WEFT_ARGUMENT, "weft_loader_new: a batch of %lld rows",
                         (long long)m->batch);
    m->steps = d->keep_last ? (m->rows - 1) / m->batch + 1 : m->rows / m->batch;
    if (m->steps == 0)
        return weft_fail(
            c, WEFT_ARGUMENT,
            "weft_loader_new: the set has %lld rows, a batch %lld; .keep_last fills it "
            "up",
            (long long)m->rows, (long long)m->batch);
    m->field = weft_resize(c, NULL, data->count * sizeof *m->field);
    if (!m->field) return weft_fail(c, WEFT_MEMORY, "weft_loader_new: out of memory");
    for (; m->count < data->count; m->count++) {
        m->field[m->count].mean = NULL;
        const weft_err e = start_field(m, m->count, m->count == start_main_field(data));
        if (e != WEFT_OK) {
            m->count++; /* batch_end frees what this one has */
            return e;
        }
    }
    return WEFT_OK;
}

void batch_end(batch_maker *m) {
    for (size_t i = 0; i < m->count; i++) weft_resize(m->ctx, m->field[i].mean, 0);
    weft_resize(m->ctx, m->field, 0);
}
