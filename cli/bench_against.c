/* bench_against.c - is this program slower than that one?
 *
 * Both run as processes of their own, once a round, and take samples in turn, the one that begins
 * changing with every pair, so that whatever the machine does meets both. Each round starts them
 * anew: memory placement is fixed for the life of a process. What may be slower, by half the limit, is
 * measured again, longer, and only that second look decides. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "bench_against.h"

#include "bench.h"
#include "bench_side.h"
#include "command.h"
#include "json.h"
#include "path.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { AGAINST_PAIRS = 16, AGAINST_ROUNDS = 10, AGAINST_AGAIN = 20, AGAINST_LINES = 512 };

typedef struct against_line {
    char name[96];
    int threads;
    double ours[AGAINST_AGAIN][AGAINST_PAIRS], theirs[AGAINST_AGAIN][AGAINST_PAIRS];
} against_line;

typedef struct against {
    weft_ctx *ctx;
    const bench_settings *set;
    const char *name; /* of the benchmark */
    char self[1024];
    bench_side side[2]; /* this program, and that one */
    int blamed;         /* the side that did not do its part; below 0: they differ */
    side_event fault;   /* SIDE_END: it ended early; SIDE_WRONG: it said something strange, */
    char said[64];      /* this */
    int round;
    double pair[2][AGAINST_PAIRS]; /* the samples since the last line */
    against_line *line;
    int lines;
} against;

/* ---- a round ---- */

static bool against_blame(against *a, int which, side_event fault) {
    a->blamed = which;
    a->fault = fault;
    return false;
}

/* Takes the samples of what both have ready. */
static bool against_sample(against *a) {
    for (int i = 0; i < AGAINST_PAIRS; i++)
        for (int k = 0; k < 2; k++) {
            const int which = (i + k) % 2;
            side_tell(&a->side[which], 'g');
            const side_news n = side_next(&a->side[which], a->ctx);
            if (n.event == SIDE_END) return against_blame(a, which, SIDE_END);
            if (n.event != SIDE_SAMPLE) return against_blame(a, which, SIDE_WRONG);
            a->pair[which][i] = n.us;
        }
    side_tell(&a->side[0], 'e');
    side_tell(&a->side[1], 'e');
    return true;
}

static against_line *against_find(against *a, const char *name) {
    for (int i = 0; i < a->lines; i++)
        if (strcmp(a->line[i].name, name) == 0) return &a->line[i];
    if (a->lines == AGAINST_LINES) return NULL;
    against_line *l = &a->line[a->lines++];
    snprintf(l->name, sizeof l->name, "%s", name);
    for (int r = 0; r < AGAINST_AGAIN; r++)
        for (int i = 0; i < AGAINST_PAIRS; i++) l->ours[r][i] = l->theirs[r][i] = NAN;
    return l;
}

/* Both have given a line. What was not sampled in turn counts as a pair of whole runs. */
static bool against_take(against *a, const side_news news[2], bool sampled) {
    char name[2][96];
    double median[2];
    for (int k = 0; k < 2; k++) {
        weft_json_text(weft_json_get(news[k].json, "line"), name[k], sizeof name[k]);
        median[k] = weft_json_number(weft_json_get(news[k].json, "median_us"), NAN);
    }
    if (strcmp(name[0], name[1]) != 0) return false;
    against_line *l = against_find(a, name[0]);
    if (!l) return false;
    l->threads = (int)weft_json_integer(weft_json_get(news[0].json, "threads"), 1);
    for (int i = 0; i < AGAINST_PAIRS; i++) {
        l->ours[a->round][i] = sampled ? a->pair[0][i] : i ? NAN : median[0];
        l->theirs[a->round][i] = sampled ? a->pair[1][i] : i ? NAN : median[1];
    }
    return true;
}

static bool against_talk(against *a) {
    for (bool sampled = false;;) {
        side_news news[2];
        for (int k = 0; k < 2; k++) {
            news[k] = side_next(&a->side[k], a->ctx);
            if (news[k].event == SIDE_WRONG) return against_blame(a, k, SIDE_WRONG);
        }
        if (news[0].event != news[1].event)
            for (int k = 0; k < 2; k++)
                if (news[k].event == SIDE_END) return against_blame(a, k, SIDE_END);
        if (news[0].event != news[1].event) return false;
        switch (news[0].event) {
        case SIDE_READY:
            if (!against_sample(a)) return false;
            sampled = true;
            break;
        case SIDE_LINE:
            if (!against_take(a, news, sampled)) return false;
            sampled = false;
            break;
        case SIDE_END: return true;
        case SIDE_SAMPLE:
        case SIDE_WRONG:
        default: return false;
        }
    }
}

/* Tells what went wrong in a round. */
static int against_told(const against *a, const char *const program[2], const int status[2]) {
    const int k = a->blamed;
    if (k < 0) {
        tell(stderr,
             "weft bench: %s and this program do not give the same results for %s, in the same "
             "order\n",
             program[1], a->name);
    } else if (a->fault == SIDE_WRONG) {
        tell(stderr, "weft bench: %s bench %s: \"%.*s\" is not an answer to --turns\n", program[k],
             a->name, (int)strcspn(a->said, "\n"), a->said);
    } else {
        tell(stderr, "weft bench: %s bench %s ended with status %d%s\n", program[k], a->name,
             status[k], status[k] ? "" : ", but too early");
    }
    return EXIT_FAILED;
}

static int against_round(against *a) {
    const bench_settings *s = a->set;
    const char *const program[2] = {a->self, s->against};
    bool good = true;
    int status[2];
    a->blamed = -1;
    for (int k = 0; k < 2 && good; k++) {
        good = side_start(&a->side[k], program[k], a->name, s, k == 0);
        if (!good) tell(stderr, "weft bench: %s: %s\n", program[k], strerror(errno));
    }
    const bool started = good;
    good = good && against_talk(a);
    if (!good && a->blamed >= 0)
        snprintf(a->said, sizeof a->said, "%.60s", a->side[a->blamed].line);
    for (int k = 0; k < 2; k++)
        status[k] = side_finish(&a->side[k], !good && a->blamed == k && a->fault == SIDE_WRONG);
    if (!started) return EXIT_RESOURCES;
    for (int k = 0; k < 2 && good; k++)
        if (status[k] != EXIT_GOOD) good = against_blame(a, k, SIDE_END);
    return good ? EXIT_GOOD : against_told(a, program, status);
}

static int against_rounds(against *a, int rounds) {
    a->lines = 0;
    int status = EXIT_GOOD;
    for (a->round = 0; a->round < rounds && status == EXIT_GOOD; a->round++)
        status = against_round(a);
    return status;
}

/* ---- results ---- */

typedef struct against_result {
    char name[96];
    int threads;
    weft_ratio ratio;
    double ours_us, theirs_us;
    bool suspect;        /* half the limit or more: worth a second look */
    bool slower, before; /* above the limit, by this look; by the one before it alone */
} against_result;

static double against_median(const double *us, int rounds) {
    double all[AGAINST_AGAIN * AGAINST_PAIRS];
    size_t n = 0;
    for (int i = 0; i < rounds * AGAINST_PAIRS; i++)
        if (isfinite(us[i])) all[n++] = us[i];
    return weft_bench_median(all, n);
}

static double against_limit(const against *a) {
    return a->set->max_slowdown > 0 ? a->set->max_slowdown : 0.1;
}

static against_result against_compare(const against *a, const against_line *l, int rounds) {
    against_result v = {
        .threads = l->threads,
        .ratio = weft_bench_ratio(l->ours[0], l->theirs[0], (size_t)rounds, AGAINST_PAIRS),
        .ours_us = against_median(l->ours[0], rounds),
        .theirs_us = against_median(l->theirs[0], rounds)};
    snprintf(v.name, sizeof v.name, "%s", l->name);
    v.suspect = v.ratio.ratio > 1 + 0.5 * against_limit(a);
    v.slower = v.ratio.ratio > 1 + against_limit(a) && v.ratio.low > 1;
    return v;
}

static const char *against_word(const against *a, const against_result *v) {
    if (v->slower) return "slower";
    if (v->before) return "slower once, not confirmed";
    return v->ratio.ratio < 1 / (1 + against_limit(a)) && v->ratio.high < 1 ? "faster" : "same";
}

static void against_show(const against *a, const against_result *v) {
    if (a->set->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", BENCH_SCHEMA);
        json_text(&j, "bench", a->name);
        json_text(&j, "line", v->name);
        json_integer(&j, "threads", v->threads);
        json_text(&j, "result", against_word(a, v));
        json_number(&j, "ratio", v->ratio.ratio);
        json_number(&j, "low", v->ratio.low);
        json_number(&j, "high", v->ratio.high);
        json_integer(&j, "pairs", (int64_t)v->ratio.pairs);
        json_number(&j, "median_us", v->ours_us);
        json_number(&j, "other_us", v->theirs_us);
        json_end(&j);
    } else {
        tell(stdout, "%-36s %12.2f %12.2f %7.3f  %.3f to %.3f  %s\n", v->name, v->ours_us,
             v->theirs_us, v->ratio.ratio, v->ratio.low, v->ratio.high, against_word(a, v));
        fflush(stdout);
    }
}

/* One benchmark; the exit code tells of a regression. */
static int against_bench(against *a) {
    against_result v[AGAINST_LINES];
    int status = against_rounds(a, a->set->quick ? 2 : AGAINST_ROUNDS), lines = a->lines;
    bool suspect = false;
    for (int i = 0; i < lines; i++) {
        v[i] = against_compare(a, &a->line[i], AGAINST_ROUNDS);
        suspect |= v[i].suspect;
    }
    if (suspect && status == EXIT_GOOD) status = against_rounds(a, AGAINST_AGAIN);
    if (status != EXIT_GOOD) return status;
    for (int i = 0; i < lines; i++) {
        if (v[i].suspect) {
            against_result again = against_compare(a, against_find(a, v[i].name), AGAINST_AGAIN);
            again.before = v[i].slower && !again.slower;
            v[i] = again;
        }
        against_show(a, &v[i]);
        if (v[i].slower) status = EXIT_REGRESSION;
    }
    return status;
}

int bench_against(weft_ctx *c, const bench_settings *s, const char *const *names, int count) {
    against a = {.ctx = c, .set = s};
    a.line = calloc(AGAINST_LINES, sizeof *a.line);
    if (!a.line) {
        tell(stderr, "weft bench: out of memory\n");
        return EXIT_RESOURCES;
    }
    if (!path_program(a.self, sizeof a.self)) snprintf(a.self, sizeof a.self, "weft");
    signal(SIGPIPE, SIG_IGN); /* a side that ends early is told by what it no longer says */
    if (!s->json)
        tell(stdout, "%-36s %12s %12s %7s  %s\n", "", "this us", "that us", "ratio", "at 95 %");
    int status = EXIT_GOOD;
    for (int i = 0; i < count && (status == EXIT_GOOD || status == EXIT_REGRESSION); i++) {
        a.name = names[i];
        const int one = against_bench(&a);
        if (one != EXIT_GOOD) status = one;
    }
    free(a.line);
    return status;
}
