/* errors.h - the world in which bad calls are tried, and the three forms such a case has.
 *
 * Every case starts on a fresh graph inside the scope "here", with both output streams redirected:
 * the library must not print. What is expected is a code and a part of the message. */
#ifndef WEFT_TEST_ERRORS_H
#define WEFT_TEST_ERRORS_H

#include "test.h"
#include "weft/weft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- silence: nothing may reach the two streams ---- */

static int out, err, quiet = -1;

static inline void quiet_begin(void) {
    if (quiet < 0) {
        FILE *f = tmpfile();
        quiet = f ? dup(fileno(f)) : -1;
    }
    fflush(stdout), fflush(stderr);
    out = dup(1), err = dup(2);
    dup2(quiet, 1), dup2(quiet, 2);
}

static inline void quiet_end(void) {
    fflush(stdout), fflush(stderr);
    dup2(out, 1), dup2(err, 2);
    close(out), close(err);
    CHECK_EQ(lseek(quiet, 0, SEEK_CUR), 0);
    lseek(quiet, 0, SEEK_SET);
}

/* ---- the world a case is made in ---- */

static weft_ctx *c;
static weft_state *s;
static weft_graph *g, *other;
static weft_tensor none, poison, foreign;
static weft_tensor x, v, n, z, image,
    b; /* f32 [4,6], f32 [6], i32 [4], f32 [], f32 [2,3,8,8], bool [4] */

static inline void world_end(void) {
    weft_graph_free(g);
    weft_graph_free(other);
    weft_state_free(s);
    weft_close(c);
}

static inline void world_begin(void) {
    if (c) world_end();
    c = weft_open_with(&(weft_open_desc){.threads = 1});
    s = weft_state_new(c);
    g = weft_graph_new(c);
    other = weft_graph_new(c);
    foreign = weft_input(other, WEFT_F32, weft_dims(4, 6));
    x = weft_input(g, WEFT_F32, weft_dims(4, 6));
    v = weft_input(g, WEFT_F32, weft_dims(6));
    n = weft_input(g, WEFT_I32, weft_dims(4));
    z = weft_input(g, WEFT_F32, WEFT_0D);
    b = weft_input(g, WEFT_BOOL, weft_dims(4));
    image = weft_input(g, WEFT_F32, weft_dims(2, 3, 8, 8));
    none = (weft_tensor){0};
    poison = (weft_tensor){g, 0};
    weft_scope_push(g, "here");
}

/* The graph is poisoned for this reason and cannot be compiled. */
static inline void refused(weft_tensor r, weft_err error, const char *part) {
    quiet_end();
    CHECK(!weft_ok(r));
    CHECK_EQ(r.id, 0); /* poison, not some node of a failed graph */
    CHECK_EQ(weft_rank(r), 0);
    if (r.g == g) {
        CHECK_EQ(weft_graph_error(g), error);
        CHECK_HAS(weft_error(c), "here: ");
        CHECK_HAS(weft_error(c), part);
        char first[512] = "";
        strncat(first, weft_error(c), sizeof first - 1);
        CHECK(!weft_ok(weft_add(weft_matmul(x, v), weft_exp(r)))); /* poison spreads */
        CHECK(!weft_compile(g, &(weft_plan_desc){.fetch = weft_list(x)}));
        CHECK_STR(weft_error(c), first); /* the first message is kept */
    } else {
        CHECK(r.g == NULL);
        CHECK_EQ(weft_error_code(NULL), error);
        CHECK_HAS(weft_error(NULL), part);
    }
}

/* clang-format off */
#define BAD(error, part, expression) do { \
        CASE("%s", #expression); world_begin(); quiet_begin(); \
        refused((expression), WEFT_##error, part); } while (0)
/* a call that returns weft_err; the graph need not be poisoned */
#define FAILS(error, part, call) do { \
        CASE("%s", #call); world_begin(); quiet_begin(); \
        weft_err e_ = (call); quiet_end(); CHECK_EQ(e_, WEFT_##error); \
        CHECK_HAS(weft_error(NULL), part); } while (0)
/* a call that returns NULL, zero or false */
#define NOTHING(error, part, call) do { \
        CASE("%s", #call); world_begin(); quiet_begin(); \
        bool got_ = (call) ? true : false; quiet_end(); CHECK(!got_); \
        CHECK_EQ(weft_error_code(NULL), WEFT_##error); CHECK_HAS(weft_error(NULL), part); } while (0)
/* clang-format on */

#endif
