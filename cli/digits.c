/* digits.c - draws the digits of digits.h. Needs nothing but a seed. */
#include "digits.h"

#include <math.h>

/* A row of a letter is 5 bits, the leftmost the highest. */
static const unsigned char digits_font[DIGITS_CLASSES][7] = {
    {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}, {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e},
    {0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f}, {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e},
    {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}, {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e},
    {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}, {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08},
    {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}, {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c},
};

static float digits_uniform(uint64_t *state, float low, float high) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * (float)((z ^ z >> 31) >> 40) * 0x1p-24f;
}

static float digits_dot(const unsigned char *letter, int x, int y) {
    return x >= 0 && x < 5 && y >= 0 && y < 7 ? (float)(letter[y] >> (4 - x) & 1) : 0;
}

/* The letter as a smooth surface: bilinear between the centres of its dots. */
static float digits_ink(const unsigned char *letter, float x, float y) {
    const int i = (int)floorf(x), j = (int)floorf(y);
    const float u = x - (float)i, v = y - (float)j;
    const float up = (1 - u) * digits_dot(letter, i, j) + u * digits_dot(letter, i + 1, j);
    const float low = (1 - u) * digits_dot(letter, i, j + 1) + u * digits_dot(letter, i + 1, j + 1);
    return (1 - v) * up + v * low;
}

static void digits_one(uint64_t *state, const unsigned char *letter, float *pixels) {
    const float angle = digits_uniform(state, -0.35f, 0.35f),
                slant = digits_uniform(state, -0.3f, 0.3f);
    const float wide = digits_uniform(state, 1.1f, 1.9f), high = digits_uniform(state, 1.1f, 1.7f);
    const float dx = digits_uniform(state, -2, 2), dy = digits_uniform(state, -1.5f, 1.5f);
    const float thin = digits_uniform(state, 0.25f, 0.6f),
                noise = digits_uniform(state, 0.1f, 0.45f);
    const float c = cosf(angle), s = sinf(angle), middle = (DIGITS_SIZE - 1) / 2.0f;
    for (int y = 0; y < DIGITS_SIZE; y++) {
        for (int x = 0; x < DIGITS_SIZE; x++) {
            /* From the picture back to the font: move, turn, slant, shrink. */
            const float px = (float)x - middle - dx, py = (float)y - middle - dy;
            const float rx = c * px + s * py, ry = c * py - s * px;
            const float ink = digits_ink(letter, (rx + slant * ry) / wide + 2, ry / high + 3);
            float v = (ink - thin) * 4 + 0.5f; /* a soft edge where the ink is thin */
            v = fminf(1, fmaxf(0, v)) + digits_uniform(state, -noise, noise);
            pixels[y * DIGITS_SIZE + x] = fminf(1, fmaxf(0, v));
        }
    }
}

void digits_draw(uint64_t seed, int count, float *pixels, int32_t *labels) {
    uint64_t state = seed * UINT64_C(0xd1342543de82ef95) + 1;
    for (int i = 0; i < count; i++) {
        labels[i] = (int32_t)digits_uniform(&state, 0, DIGITS_CLASSES);
        if (labels[i] >= DIGITS_CLASSES) labels[i] = DIGITS_CLASSES - 1;
        digits_one(&state, digits_font[labels[i]], pixels + (int64_t)i * DIGITS_PIXELS);
    }
}
