/* conv_frame.c - image rows with their border of zeros.
 *
 * A window then never leaves its image, and the way from its first element to any other is the same
 * for all windows. Copying the rows once costs about as much as one of a window's KH KW places. */
#include "conv.h"

conv_frame conv_frame_of(const conv_shape *s) {
    const bool copied = s->pad[0] > 0 || s->pad[1] > 0;
    return (conv_frame){copied, (copied ? s->w + 2 * s->pad[1] : s->w) * s->c};
}

int64_t conv_frame_rows(const conv_shape *s, int64_t output_rows) {
    return (output_rows - 1) * s->stride[0] + (s->kh - 1) * s->dilation[0] + 1;
}

size_t conv_frame_bytes(const conv_shape *s, const conv_frame *f, int64_t output_rows) {
    if (!f->copied) return 0;
    return routine_round((size_t)(conv_frame_rows(s, output_rows) * f->row) * sizeof(float));
}

int64_t conv_frame_fit(const conv_shape *s, const conv_frame *f, int64_t most, size_t bytes) {
    int64_t rows = most;
    while (rows > 1 && conv_frame_bytes(s, f, rows) > bytes) rows = (rows + 1) / 2;
    return rows;
}

const float *conv_frame_at(const conv_shape *s, const conv_frame *f, const float *image,
                           int64_t oh0, const float *room) {
    if (f->copied) return room;
    return image + ((oh0 * s->stride[0] - s->pad[0]) * s->w - s->pad[1]) * s->c;
}

void conv_frame_fill(const conv_shape *s, const conv_frame *f, const float *image, int64_t oh0,
                     int64_t *filled, int64_t rows, float *room) {
    if (!f->copied) return;
    const int64_t left = max_i64(s->pad[1], 0) * s->c, skipped = max_i64(-s->pad[1], 0) * s->c;
    const int64_t row = s->w * s->c, kept = row - 2 * skipped;
    for (; *filled < rows; ++*filled) {
        const int64_t ih = oh0 * s->stride[0] - s->pad[0] + *filled;
        float *out = room + *filled * f->row;
        if (ih < 0 || ih >= s->h) {
            memset(out, 0, (size_t)f->row * sizeof *out);
            continue;
        }
        for (int64_t e = 0; e < left; e++) out[e] = out[left + kept + e] = 0;
        memcpy(out + left, image + ih * row + skipped, (size_t)kept * sizeof *out);
    }
}
