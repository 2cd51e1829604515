/* test_follow.c - watching a run from outside: rows that come one by one, torn, cut, replaced and
 * spoiled; status.json as the training loop writes it; kernels.json whatever it holds. */
#include "run_folder.h" /* first: it says which functions of the system are wanted */

#include "sweep.h"

#include <math.h>

/* ---- rows ---- */

static void add(const run_folder *f, const char *text) {
    FILE *const to = fopen(run_path(f, "metrics.jsonl"), "ab");
    if (!CHECK(to)) return;
    CHECK_EQ(fwrite(text, 1, strlen(text), to), strlen(text));
    CHECK_EQ(fclose(to), 0);
}

static weft_follow_row next(weft_ctx *c, weft_follow *f) {
    weft_follow_row r;
    if (!CHECK_EQ(weft_follow_next(f, &r), WEFT_OK)) CHECK_STR(weft_error(c), "");
    return r;
}

TEST(rows_as_they_come) {
    run_folder f = run_make();
    weft_ctx *const c = weft_open("null");
    char later[200];
    snprintf(later, sizeof later, "%s/later", f.path);
    weft_follow *const w = weft_follow_open(c, later);
    CHECK(w);
    weft_follow_row r = next(c, w);
    CHECK(!r.has_row && !r.restarted); /* the folder is not there yet */
    CHECK_EQ(mkdir(later, 0777), 0);
    r = next(c, w);
    CHECK(!r.has_row && !r.restarted); /* the file is not */
    snprintf(f.path, sizeof f.path, "%.100s", later);

    add(&f,
        "{\"step\": 50, \"wall\": 7.5, \"time\": 1.25, \"train/loss\": 0.5, \"a\\u00e9\": null}\n"
        "{\"step\": 100, \"x\": 1}\n{\"step\": 150, \"tr");
    r = next(c, w);
    CHECK(r.has_row && !r.restarted);
    CHECK_EQ(r.step, 50);
    CHECK_EQ(r.wall, 7.5);
    CHECK_EQ(r.time, 1.25);
    CHECK_EQ(r.m.n, 2);
    CHECK_STR(r.m.at[0].name, "train/loss");
    CHECK_EQ(r.m.at[0].value, 0.5);
    CHECK_STR(r.m.at[1].name, "a\xc3\xa9");
    CHECK(isnan(r.m.at[1].value));
    r = next(c, w);
    CHECK(r.has_row && isnan(r.time) && isnan(r.wall));
    CHECK_EQ(weft_metric_of(&r.m, "x"), 1.0);
    for (int i = 0; i < 3; i++) { /* half a row is none, however often one looks */
        r = next(c, w);
        CHECK(!r.has_row && !r.restarted);
        CHECK_EQ(r.skipped, 0);
    }
    add(&f, "ain/loss\": 0.25}\n");
    r = next(c, w);
    CHECK(r.has_row);
    CHECK_EQ(r.step, 150);
    CHECK_EQ(weft_metric_of(&r.m, "train/loss"), 0.25);
    CHECK(!next(c, w).has_row);
    weft_follow_close(w);
    weft_close(c);
    *strrchr(f.path, '/') = 0;
    run_remove(f.path);
}

/* Every prefix of a file, byte by byte: each row comes once, when its end is there. */
TEST(rows_byte_by_byte) {
    static const char all[] = "{\"step\": 1, \"v\": 1}\nspoiled\n\n{\"step\": 2, \"v\": 2}\n[1]\n"
                              "{\"v\": 3}\n{\"step\": 4e0, \"v\": 4}\n";
    run_folder f = run_make();
    weft_ctx *const c = weft_open("null");
    weft_follow *const w = weft_follow_open(c, f.path);
    int64_t steps[8] = {0}, skipped = 0;
    int n = 0;
    for (size_t i = 0; i < sizeof all - 1; i++) {
        add(&f, (char[]){all[i], 0});
        const weft_follow_row r = next(c, w);
        CHECK(!r.has_row || all[i] == '\n');
        CHECK(!r.restarted);
        if (r.has_row && n < 8) steps[n++] = r.step;
        skipped = r.skipped;
    }
    CHECK_EQ(n, 3);
    CHECK(steps[0] == 1 && steps[1] == 2 && steps[2] == 4);
    CHECK_EQ(skipped, 3);
    weft_follow_close(w);
    weft_close(c);
    run_remove(f.path);
}

/* How often a file can become another under its name. */
TEST(rows_begin_anew) {
    run_folder f = run_make();
    weft_ctx *const c = weft_open("null");
    weft_follow *const w = weft_follow_open(c, f.path);
    weft_follow_row r;
    const char *const path = run_path(&f, "metrics.jsonl");
    static const char first[] = "{\"step\": 1, \"v\": 1}\n{\"step\": 2, \"v\": 2}\n";
    add(&f, first);
    CHECK_EQ(next(c, w).step, 1);
    CHECK_EQ(next(c, w).step, 2);

    CASE("replaced by one of the same size, as a resume does");
    CHECK_EQ(weft_file_write(c, path, first, sizeof first - 1), WEFT_OK);
    r = next(c, w);
    CHECK(r.has_row && r.restarted);
    CHECK_EQ(r.step, 1);
    r = next(c, w);
    CHECK(r.has_row && !r.restarted);

    CASE("cut");
    CHECK_EQ(truncate(path, 20), 0);
    r = next(c, w);
    CHECK(r.has_row && r.restarted);
    CHECK_EQ(r.step, 1);
    CHECK(!next(c, w).has_row);

    CASE("written over in place, and longer than before");
    run_write(path, "bad\n{\"step\": 7, \"v\": 1}\n{\"step\": 8, \"v\": 1}\n");
    r = next(c, w);
    CHECK(r.has_row && r.restarted);
    CHECK_EQ(r.step, 7);
    CHECK_EQ(r.skipped, 1);
    CHECK_EQ(next(c, w).step, 8);

    CASE("gone, and back");
    CHECK_EQ(unlink(path), 0);
    r = next(c, w);
    CHECK(!r.has_row && r.restarted);
    CHECK_EQ(r.skipped, 0);
    CHECK(!next(c, w).restarted);
    add(&f, "{\"step\": 9, \"v\": 1}\n");
    r = next(c, w);
    CHECK(r.has_row && !r.restarted);
    CHECK_EQ(r.step, 9);

    CASE("a resumed journal");
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path, .resume = 8});
    CHECK(j);
    weft_metrics m = {0};
    weft_metric(&m, "v", 5);
    CHECK_EQ(weft_journal_write(j, 10, &m), WEFT_OK);
    r = next(c, w);
    CHECK(r.has_row && r.restarted);
    CHECK_EQ(r.step, 10);
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    weft_follow_close(w);
    weft_close(c);
    run_remove(f.path);
}

TEST(rows_of_any_length) {
    run_folder f = run_make();
    weft_ctx *const c = weft_open("null");
    weft_follow *const w = weft_follow_open(c, f.path);
    enum { LONG = 3 << 20 };
    char *const text = malloc(LONG + 100);
    if (!CHECK(text)) return;
    memset(text, 'x', LONG);
    strcpy(text + LONG, "\n{\"step\": 3, \"v\": 1}\n");
    add(&f, "{\"step\": 1, \"v\": 1}\n");
    add(&f, text); /* too long: passed over, in bounded memory */
    CHECK_EQ(next(c, w).step, 1);
    weft_follow_row r = next(c, w);
    CHECK(r.has_row);
    CHECK_EQ(r.step, 3);
    CHECK_EQ(r.skipped, 1);
    /* A name that is too long is not a metric, and more than a row may have are not told. */
    memset(text, 'n', 300);
    char *at = text;
    at += sprintf(at, "{\"step\": 4, \"%0300d\": 1", 0);
    for (int i = 0; i < 50; i++) at += sprintf(at, ", \"m%d\": %d", i, i);
    strcpy(at, "}\n");
    add(&f, text);
    r = next(c, w);
    CHECK_EQ(r.m.n, WEFT_METRICS);
    CHECK_STR(r.m.at[0].name, "m0");
    free(text);
    weft_follow_close(w);
    weft_close(c);
    run_remove(f.path);
}

TEST(rows_that_cannot_be_read) {
    run_folder f = run_make();
    weft_ctx *const c = weft_open("null");
    CHECK(!weft_follow_open(c, NULL) && weft_error_code(c) == WEFT_ARGUMENT);
    CHECK(!weft_follow_open(c, "") && weft_error_code(c) == WEFT_ARGUMENT);
    CHECK(!weft_follow_open(NULL, "x"));
    char path[5000];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = 0;
    CHECK(!weft_follow_open(c, path));
    CHECK_EQ(mkdir(run_path(&f, "metrics.jsonl"), 0777), 0);
    weft_follow *const w = weft_follow_open(c, f.path);
    weft_follow_row r;
    CHECK_EQ(weft_follow_next(w, &r), WEFT_FILE);
    CHECK_HAS(weft_error(c), "metrics.jsonl: is not a file");
    CHECK_EQ(weft_follow_next(w, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_follow_next(NULL, &r), WEFT_ARGUMENT);
    CHECK_EQ(rmdir(run_path(&f, "metrics.jsonl")), 0);
    CHECK_EQ(mkfifo(run_path(&f, "metrics.jsonl"), 0666), 0);
    CHECK_EQ(weft_follow_next(w, &r), WEFT_FILE); /* and does not wait for a writer */
    weft_follow_close(w);
    weft_follow_close(NULL);
    weft_close(c);
    run_remove(f.path);
}

/* ---- status ---- */

static weft_err a_step(void *user, int64_t step, weft_metrics *m) {
    const double *const value = user;
    weft_metric(m, "train/loss", value[step]);
    return WEFT_OK;
}

static weft_err a_failure(void *user, int64_t step, weft_metrics *m) {
    weft_metric(m, "train/loss", 1);
    char more[600]; /* as much as a file's name may be, and no UTF-8 */
    memset(more, 0xc3, sizeof more - 1);
    more[sizeof more - 1] = 0;
    return step < 3 ? WEFT_OK : weft_fail(user, WEFT_FILE, "the well is dry \xc3\xa9: %s", more);
}

TEST(what_a_run_says_of_itself) {
    run_folder f = run_make();
    weft_ctx *const c = weft_open("cpu");
    weft_state *const s = weft_state_new(c);
    weft_graph *const g = weft_graph_new(c);
    weft_number(g, s, "place", 5);
    weft_run_status t;
    CHECK_EQ(weft_run_status_read(c, f.path, &t), WEFT_FILE);
    CHECK_HAS(weft_error(c), "status.json: cannot read: ");

    double value[40];
    for (int i = 0; i < 40; i++) value[i] = 1.0 / (i + 1);
    weft_train_desc d = {
        .step = a_step, .user = value, .steps = 20, .seconds = 500, .log_every = 5, .run = f.path};
    CHECK_EQ(weft_train(s, &d, NULL), WEFT_OK);
    CHECK_EQ(weft_run_status_read(c, f.path, &t), WEFT_OK);
    CHECK_STR(t.state, "finished");
    CHECK_STR(t.text, "finished, 20 of 20 steps");
    CHECK_EQ(t.steps, 20);
    CHECK_EQ(t.seconds, 500.0);
    CHECK_EQ(t.log_every, 5);
    CHECK_EQ(t.process, getpid());
    CHECK(*t.host);
    CHECK_EQ(t.batch, 0);
    CHECK_EQ(t.state_bytes, 4);
    CHECK(t.began > 1e9 && t.ended >= t.began && t.ended < t.began + 100);

    /* Its rows have the rate, and the memory of this very process. */
    weft_follow *const w = weft_follow_open(c, f.path);
    weft_follow_row r = next(c, w);
    CHECK_EQ(r.step, 5);
    CHECK(weft_metric_of(&r.m, "speed/steps_per_s") > 0);
    const double memory = weft_metric_of(&r.m, "memory_bytes");
    if (access("/proc/self/statm", R_OK) == 0)
        CHECK(memory > 1e5 && memory < 1e12 && fmod(memory, 4096) == 0);
    else CHECK(isnan(memory));
    weft_follow_close(w);

    /* A resume says where it went on; a bad loss what was bad; an error its message. */
    value[30] = NAN;
    d.resume = true, d.steps = 40;
    CHECK_EQ(weft_train(s, &d, NULL), WEFT_DIVERGED);
    CHECK_EQ(weft_run_status_read(c, f.path, &t), WEFT_OK);
    CHECK_STR(t.state, "diverged");
    CHECK_STR(t.text, "step 31: the loss is nan");
    CHECK_EQ(t.resumed_at, 20);
    volatile bool stop = true;
    d = (weft_train_desc){.step = a_step, .user = value, .stop = &stop, .run = f.path};
    CHECK_EQ(weft_train(s, &d, NULL), WEFT_OK);
    CHECK_EQ(weft_run_status_read(c, f.path, &t), WEFT_OK);
    CHECK_STR(t.state, "stopped");
    CHECK_STR(t.text, "stopped after step 0");
    CHECK_EQ(t.resumed_at, 0);
    CHECK_EQ(t.steps, 0);
    d = (weft_train_desc){.step = a_failure, .user = c, .steps = 9, .run = f.path};
    CHECK_EQ(weft_train(s, &d, NULL), WEFT_FILE);
    CHECK_HAS(weft_error(c), "the well is dry");
    CHECK_EQ(weft_run_status_read(c, f.path, &t), WEFT_OK);
    CHECK_STR(t.state, "failed");
    CHECK_HAS(t.text, "the well is dry \xc3\xa9: \\xc3\\xc3\\xc3");
    CHECK_EQ(strlen(t.text), sizeof t.text - 1);
    CHECK_EQ(weft_run_status_read(c, NULL, &t), WEFT_ARGUMENT);
    CHECK_EQ(weft_run_status_read(c, f.path, NULL), WEFT_ARGUMENT);

    /* A folder that begins anew says nothing of what was there. */
    run_write(run_path(&f, "kernels.json"), "{}");
    weft_journal *const j = weft_journal_open(c, &(weft_journal_desc){.run = f.path});
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    CHECK(access(run_path(&f, "status.json"), F_OK) != 0);
    CHECK(access(run_path(&f, "kernels.json"), F_OK) != 0);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    run_remove(f.path);
}

static weft_err looks(void *user, int64_t step, weft_metrics *m) {
    (void)step;
    weft_metric(m, "train/loss", 1);
    weft_run_status *const t = user;
    char run[200];
    strcpy(run, t->text);
    weft_ctx *const c = weft_open("null");
    const weft_err e = weft_run_status_read(c, run, t);
    weft_close(c);
    strcpy(t->text, run);
    return e;
}

TEST(it_is_said_from_the_first_step_on) {
    run_folder f = run_make();
    weft_ctx *const c = weft_open("cpu");
    weft_state *const s = weft_state_new(c);
    weft_run_status t = {0};
    strcpy(t.text, f.path);
    weft_train_desc d = {.step = looks, .user = &t, .steps = 1, .run = f.path};
    CHECK_EQ(weft_train(s, &d, NULL), WEFT_OK);
    CHECK_STR(t.state, "running");
    CHECK_EQ(t.steps, 1);
    CHECK_EQ(t.ended, 0.0);
    weft_state_free(s);
    weft_close(c);
    run_remove(f.path);
}

TEST(a_status_of_another_hand) {
    run_folder f = run_make();
    weft_ctx *const c = weft_open("null");
    weft_run_status t;
    static const struct {
        const char *text, *message;
        weft_err e;
    } bad[] = {{"", "status.json", WEFT_FORMAT},
               {"{\"state\": \"run", "status.json", WEFT_FORMAT},
               {"[]", "status.json: expected an object", WEFT_FORMAT},
               {"{\"schema\": 2}", "schema 2, 1 was expected", WEFT_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].text);
        run_write(run_path(&f, "status.json"), bad[i].text);
        CHECK_EQ(weft_run_status_read(c, f.path, &t), bad[i].e);
        CHECK_HAS(weft_error(c), bad[i].message);
    }
    CASE("odd fields");
    run_write(run_path(&f, "status.json"),
              "{\"state\": \"a state that is much too long\", \"text\": 5, \"steps\": -7, "
              "\"seconds\": null, \"process\": 1e300, \"batch\": 6.4e1, \"began\": \"x\"}");
    CHECK_EQ(weft_run_status_read(c, f.path, &t), WEFT_OK);
    CHECK_STR(t.state, "a state that is");
    CHECK_STR(t.text, "");
    CHECK(!t.steps && !t.process && t.seconds == 0 && t.began == 0);
    CHECK_EQ(t.batch, 64);
    weft_close(c);
    run_remove(f.path);
}

/* ---- kernels ---- */

TEST(kernels_of_a_profile) {
    run_folder f = run_make();
    weft_ctx *const c = weft_open("null");
    weft_run_kernels *const k = malloc(sizeof *k);
    if (!CHECK(k)) return;
    CHECK_EQ(weft_run_kernels_read(c, f.path, k), WEFT_FILE);
    run_write(run_path(&f, "kernels.json"),
              "{\"schema\": 1, \"plan\": \"train\", \"threads\": 2, \"runs\": 100, \"step_us\": "
              "12.5, \"wait\": 0.25, "
              "\"arena_bytes\": 4096, \"allocations\": 3, \"kernels\": [{\"name\": \"matmul\", "
              "\"scope\": \"block3/attn\", \"shape\": \"[8,64]\", \"calls\": 4, \"us\": 10, "
              "\"share\": 0.8, \"gflops\": 31.5, \"gbs\": 2.5, \"of_roof\": 0.5}, 7, {}], "
              "\"scopes\": [{\"scope\": \"block3\", \"us\": 11, \"share\": 0.9}], \"arena\": "
              "{\"peak_bytes\": 4000, \"at_step\": 6, \"tensors\": [{\"name\": \"h\", \"bytes\": "
              "2048}], \"live\": [1, -4, 4000, null]}, \"more\": [[]]}");
    CHECK_EQ(weft_run_kernels_read(c, f.path, k), WEFT_OK);
    CHECK_STR(k->plan, "train");
    CHECK_EQ(k->threads, 2);
    CHECK_EQ(k->runs, 100);
    CHECK_EQ(k->step_us, 12.5);
    CHECK_EQ(k->wait, 0.25);
    CHECK_EQ(k->arena_bytes, 4096);
    CHECK_EQ(k->allocations, 3);
    CHECK_EQ(k->kernel_count, 2);
    const weft_run_kernel *const one = &k->kernel[0], *const empty = &k->kernel[1];
    CHECK_STR(one->name, "matmul");
    CHECK_STR(one->scope, "block3/attn");
    CHECK_STR(one->shape, "[8,64]");
    CHECK_EQ(one->calls, 4);
    CHECK(one->us == 10 && one->share == 0.8 && one->gflops == 31.5 && one->gbs == 2.5);
    CHECK_EQ(one->of_roof, 0.5);
    CHECK_STR(empty->name, "");
    CHECK(!empty->calls && isnan(empty->us) && isnan(empty->share) && isnan(empty->of_roof));
    CHECK_EQ(k->scope_count, 1);
    CHECK_STR(k->scope[0].scope, "block3");
    CHECK_EQ(k->scope[0].share, 0.9);
    CHECK(k->peak_bytes == 4000 && k->peak_step == 6 && k->tensor_count == 1);
    CHECK_STR(k->tensor[0].name, "h");
    CHECK_EQ(k->tensor[0].bytes, 2048);
    CHECK_EQ(k->live_count, 4);
    CHECK(k->live[0] == 1 && k->live[1] == 0 && k->live[2] == 4000 && k->live[3] == 0);

    /* Texts that are cut end with a whole letter; lists that are too long end. */
    const int many = WEFT_RUN_KERNELS + 7;
    char *const text = malloc((size_t)many * 32 + 200), *at = text;
    if (!CHECK(text)) return;
    at += sprintf(at, "{\"kernels\": [{\"name\": \"%062d\xc3\xa9", 0);
    at += sprintf(at, "\"}");
    for (int i = 0; i < many; i++) at += sprintf(at, ", {\"name\": \"k%d\"}", i);
    strcpy(at, "], \"scopes\": 5, \"arena\": [], \"threads\": \"two\"}");
    run_write(run_path(&f, "kernels.json"), text);
    CHECK_EQ(weft_run_kernels_read(c, f.path, k), WEFT_OK);
    CHECK_EQ(k->kernel_count, WEFT_RUN_KERNELS);
    CHECK_EQ(strlen(k->kernel[0].name), 62);
    CHECK_STR(k->kernel[1].name, "k0");
    CHECK(!k->scope_count && !k->tensor_count && !k->threads && isnan(k->step_us));
    free(text);

    CHECK_EQ(truncate(run_path(&f, "kernels.json"), 5 << 20), 0);
    CHECK_EQ(weft_run_kernels_read(c, f.path, k), WEFT_FORMAT);
    CHECK_HAS(weft_error(c), "at most 4194304 were expected");
    run_write(run_path(&f, "kernels.json"), "{\"kernels\": [");
    CHECK_EQ(weft_run_kernels_read(c, f.path, k), WEFT_FORMAT);
    CHECK_HAS(weft_error(c), "kernels.json");
    CHECK_EQ(k->kernel_count, 0);
    CHECK_EQ(unlink(run_path(&f, "kernels.json")), 0);
    CHECK_EQ(mkdir(run_path(&f, "kernels.json"), 0777), 0);
    CHECK_EQ(weft_run_kernels_read(c, f.path, k), WEFT_FILE);
    CHECK_EQ(weft_run_kernels_read(c, f.path, NULL), WEFT_ARGUMENT);
    free(k);
    weft_close(c);
    run_remove(f.path);
}

/* ---- no memory ---- */

static run_folder swept;

static bool everything(weft_ctx *c) {
    static weft_run_kernels k;
    weft_run_status s;
    weft_follow_row r = {.has_row = true};
    weft_follow *const w = weft_follow_open(c, swept.path);
    weft_err e = w ? WEFT_OK : weft_error_code(c);
    int rows = 0;
    for (; !e && r.has_row; rows += r.has_row) e = weft_follow_next(w, &r);
    weft_follow_close(w);
    if (!e) e = weft_run_status_read(c, swept.path, &s);
    if (!e) e = weft_run_kernels_read(c, swept.path, &k);
    return !e && rows == 2 && k.kernel_count == 1 && s.steps == 7;
}

TEST(every_allocation_may_fail) {
    swept = run_make();
    add(&swept, "{\"step\": 1, \"v\": 1}\n{\"step\": 2, \"v\": 2}\n");
    run_write(run_path(&swept, "status.json"), "{\"steps\": 7}");
    run_write(run_path(&swept, "kernels.json"), "{\"kernels\": [{}]}");
    sweep_memory(everything);
    run_remove(swept.path);
}
