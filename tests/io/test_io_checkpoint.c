/* test_io_checkpoint.c - checkpoints: every bit comes back, damage is found, the last but one is
 * kept. */
#include "io_world.h"

#include <sys/file.h>

static heap heap_of;
static weft_ctx *c;

static weft_state *make(uint32_t seed) {
    if (!c) c = heap_open(&heap_of);
    weft_state *s = weft_state_new(c);
    weft_state_seed(s, seed);
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 3));
    weft_tensor loss = weft_sum(weft_square(weft_linear(s, x, 4, "fc")), WEFT_ALL, false);
    weft_buffer(g, s, "steps", WEFT_I32, WEFT_0D, (weft_init){0});
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(loss), .update = weft_adam(s, loss, NULL)});
    weft_set(p, x, (float[]){1, 2, 3, 4, (float)seed, 6}, 24);
    CHECK_EQ(weft_run(p), WEFT_OK);
    weft_plan_free(p);
    weft_graph_free(g);
    return s;
}

TEST(every_bit) {
    weft_state *s = make(1), *t = make(2);
    weft_archive *extra = weft_archive_new(c), *back = weft_archive_new(c);
    weft_archive_put(extra, &(weft_array){"replay", WEFT_FILE_U64, {1, {1}}, "abcdefgh", 8});
    weft_archive_text(extra, "config", "{\"lr\": 0.1}");
    weft_checkpoint k = {.step = 12345,
                         .data_seed = UINT64_MAX,
                         .data_epoch = 3,
                         .data_index = INT64_MAX,
                         .extra = extra};
    const char *path = in_folder("every.safetensors");
    CHECK_EQ(weft_checkpoint_save(s, path, &k), WEFT_OK);
    weft_checkpoint got = {.extra = back};
    if (!CHECK_EQ(weft_checkpoint_load(t, path, &got), WEFT_OK)) puts(weft_error(c));
    CHECK_EQ(weft_state_hash(t), weft_state_hash(s));
    CHECK_EQ(got.step, 12345);
    CHECK(got.data_seed == UINT64_MAX);
    CHECK_EQ(got.data_epoch, 3);
    CHECK_EQ(got.data_index, INT64_MAX);
    CHECK(!got.from_previous);
    CHECK_STR(got.reason, "");
    CHECK(got.extra == back);
    weft_array x;
    CHECK_EQ(weft_archive_find(back, "replay", &x), WEFT_OK);
    CHECK_MEM(x.data, "abcdefgh", 8);
    CHECK_STR(weft_archive_text_of(back, "config"), "{\"lr\": 0.1}");

    weft_archive *a = weft_archive_open(c, path); /* as any reader sees it */
    CHECK_STR(weft_archive_format(a), "checkpoint");
    CHECK_EQ(weft_archive_count(a), weft_state_count(s) + 1);
    CHECK_STR(weft_archive_text_of(a, "format"), "pt");
    CHECK_STR(weft_archive_text_of(a, "weft.step"), "12345");
    CHECK(!weft_archive_text_of(a, "weft.crc32c"));
    CHECK_EQ(weft_archive_find(a, "optim.exp_avg.fc.weight", &x), WEFT_OK);
    CHECK_EQ((uintptr_t)x.data % 4, 0);
    weft_checkpoint facts = {0};
    CHECK_EQ(weft_checkpoint_facts(a, &facts), WEFT_OK);
    CHECK_EQ(facts.step, 12345);
    CHECK_EQ(weft_checkpoint_facts(back, &facts), WEFT_FORMAT);
    CHECK_HAS(weft_error(c), "not a checkpoint");
    CHECK_EQ(weft_checkpoint_facts(NULL, &facts), WEFT_ARGUMENT);
    weft_state *fresh = make(3);
    CHECK_EQ(weft_state_load(fresh, a, NULL), WEFT_OK); /* the model alone, to evaluate */
    CHECK_EQ(weft_archive_write(a, in_folder("copy.safetensors"), NULL), WEFT_OK);
    if (!CHECK_EQ(weft_checkpoint_load(fresh, in_folder("copy.safetensors"), NULL), WEFT_OK))
        puts(weft_error(c));
    CHECK_EQ(weft_state_hash(fresh), weft_state_hash(s));
    weft_archive_free(a);
    weft_state_free(fresh);
    weft_archive_free(extra);
    weft_archive_free(back);
    weft_state_free(s);
    weft_state_free(t);
}

TEST(values_begin_at_64) {
    weft_state *s = make(1);
    CHECK_EQ(weft_checkpoint_save(s, in_folder("align.safetensors"), NULL), WEFT_OK);
    static blob b;
    b.n = file_get(in_folder("align.safetensors"), b.s, sizeof b.s);
    uint64_t header;
    memcpy(&header, b.s, 8);
    CHECK_EQ((8 + header) % 64, 0);
    CHECK_EQ(b.s[8], '{');
    weft_state_free(s);
}

TEST(the_one_before) {
    weft_state *s = make(1), *t = make(9);
    const char *path = in_folder("run.safetensors"),
               *previous = in_folder("run.previous.safetensors");
    char current[600], before[600];
    snprintf(current, sizeof current, "%s", path);
    snprintf(before, sizeof before, "%s", previous);
    for (int64_t step = 1; step <= 3; step++) {
        int32_t n = (int32_t)step;
        weft_state_set(s, "steps", &n, sizeof n);
        CHECK_EQ(weft_checkpoint_save(s, current, &(weft_checkpoint){.step = step}), WEFT_OK);
        CHECK_EQ(access(before, F_OK) == 0, step > 1);
    }
    weft_checkpoint k = {0};
    CHECK_EQ(weft_checkpoint_load(t, before, &k), WEFT_OK);
    CHECK_EQ(k.step, 2);

    static blob sound, b;
    sound.n = file_get(current, sound.s, sizeof sound.s);
    b = sound;
    b.s[b.n - 3] ^= 4; /* a bit of the last array */
    file_put(current, b.s, b.n);
    k = (weft_checkpoint){0};
    CHECK_EQ(weft_checkpoint_load(t, current, &k), WEFT_OK);
    CHECK_EQ(k.step, 2);
    CHECK(k.from_previous);
    CHECK_HAS(k.reason, "checksum (CRC-32C) is wrong");
    CHECK_HAS(k.reason, "run.safetensors");
    int32_t n;
    weft_state_get(t, "steps", &n, sizeof n);
    CHECK_EQ(n, 2);

    /* the damaged one must not push out the sound one */
    n = 4;
    weft_state_set(s, "steps", &n, sizeof n);
    CHECK_EQ(weft_checkpoint_save(s, current, &(weft_checkpoint){.step = 4}), WEFT_OK);
    CHECK_EQ(weft_checkpoint_load(t, before, &k), WEFT_OK);
    CHECK_EQ(k.step, 2);
    CHECK_EQ(weft_checkpoint_load(t, current, &k), WEFT_OK);
    CHECK_EQ(k.step, 4);
    CHECK(!k.from_previous);

    unlink(current);
    CHECK_EQ(weft_checkpoint_load(t, current, &k), WEFT_OK);
    CHECK(k.from_previous);
    CHECK_HAS(k.reason, "cannot be opened");
    file_put(before, b.s, 100);
    uint64_t hash = weft_state_hash(t);
    CHECK_EQ(weft_checkpoint_load(t, current, &k), WEFT_FILE);
    CHECK_HAS(weft_error(c), "; the previous one: ");
    file_put(current, b.s, 70);
    CHECK_EQ(weft_checkpoint_load(t, current, &k), WEFT_FORMAT);
    unlink(before);
    CHECK_EQ(weft_checkpoint_load(t, current, &k), WEFT_FORMAT);
    unlink(current);
    CHECK_EQ(weft_checkpoint_load(t, current, &k), WEFT_FILE);
    CHECK_HAS(weft_error(c), "cannot be opened");
    CHECK_EQ(weft_state_hash(t), hash);
    weft_state_free(s);
    weft_state_free(t);
}

TEST(leftovers) {
    weft_state *s = make(1);
    const char *path = in_folder("left.safetensors");
    CHECK_EQ(weft_checkpoint_save(s, path, NULL), WEFT_OK);
    file_put(in_folder("left.safetensors.00000000.weft-tmp"), "half a file", 11);
    file_put(in_folder("left.safetensors.fedcba98.weft-tmp"), "", 0);
    file_put(in_folder("other.safetensors.00000000.weft-tmp"), "", 0);
    CHECK_EQ(weft_checkpoint_load(s, path, NULL), WEFT_OK);
    CHECK_EQ(folder_count("left.safetensors."), 0);
    CHECK_EQ(folder_count("other.safetensors."), 1);
    unlink(in_folder("other.safetensors.00000000.weft-tmp"));
    /* of a writer that is alive */
    const char *alive = in_folder("left.safetensors.11111111.weft-tmp");
    int fd = open(alive, O_CREAT | O_RDWR, 0600);
    CHECK_EQ(flock(fd, LOCK_EX), 0);
    CHECK_EQ(weft_checkpoint_load(s, path, NULL), WEFT_OK);
    CHECK_EQ(access(alive, F_OK), 0);
    close(fd);
    CHECK_EQ(weft_checkpoint_load(s, path, NULL), WEFT_OK);
    CHECK(access(alive, F_OK) != 0);
    weft_state_free(s);
}

/* A safetensors file with these texts and a checksum for each array; then some text is changed. */
TEST(malformed) {
    weft_state *s = make(1), *t = make(2);
    const char *kept = in_folder("mal.safetensors");
    char path[600];
    snprintf(path, sizeof path, "%s", kept);
    static const struct {
        const char *what, *key, *value; /* value NULL: taken away */
        weft_err code;
        const char *part;
    } row[] = {
        {"no mark", "weft.checkpoint", NULL, WEFT_FORMAT, "not a checkpoint"},
        {"a later version", "weft.checkpoint", "2", WEFT_UNSUPPORTED, "version \"2\""},
        {"no version", "weft.checkpoint", "", WEFT_UNSUPPORTED, "version \"\""},
        {"no step", "weft.step", NULL, WEFT_FORMAT, "metadata: weft.step: a whole number"},
        {"an empty step", "weft.step", "", WEFT_FORMAT, "weft.step: a whole number"},
        {"a negative step", "weft.step", "-1", WEFT_FORMAT, "weft.step: a whole number"},
        {"a broken step", "weft.step", "1.5", WEFT_FORMAT, "weft.step"},
        {"a step of 2^63", "weft.step", "9223372036854775808", WEFT_FORMAT, "weft.step"},
        {"a step of words", "weft.step", "ten", WEFT_FORMAT, "weft.step"},
        {"a step with a space", "weft.step", "1 ", WEFT_FORMAT, "weft.step"},
        {"no epoch", "weft.data.epoch", NULL, WEFT_FORMAT, "weft.data.epoch"},
        {"an epoch of words", "weft.data.epoch", "x", WEFT_FORMAT, "weft.data.epoch"},
        {"an epoch of 2^64", "weft.data.epoch", "18446744073709551616", WEFT_FORMAT, "epoch"},
        {"no index", "weft.data.index", NULL, WEFT_FORMAT, "weft.data.index"},
        {"a negative index", "weft.data.index", "-7", WEFT_FORMAT, "weft.data.index"},
        {"no seed", "weft.data.seed", NULL, WEFT_FORMAT, "weft.data.seed"},
        {"a seed of 2^64", "weft.data.seed", "18446744073709551616", WEFT_FORMAT, "weft.data.seed"},
        {"a hexadecimal seed", "weft.data.seed", "0x10", WEFT_FORMAT, "weft.data.seed"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        CHECK_EQ(weft_checkpoint_save(s, path, NULL), WEFT_OK);
        unlink(in_folder("mal.previous.safetensors"));
        weft_archive *a = weft_archive_open(c, path);
        weft_archive_text(a, row[i].key, row[i].value);
        CHECK_EQ(weft_archive_write(a, path, &(weft_write_desc){.checksums = true}), WEFT_OK);
        weft_archive_free(a);
        uint64_t hash = weft_state_hash(t);
        weft_checkpoint k = {.step = 77};
        CHECK_EQ(weft_checkpoint_load(t, path, &k), row[i].code);
        CHECK_HAS(weft_error(c), row[i].part);
        CHECK_HAS(weft_error(c), "mal.safetensors");
        CHECK_EQ(weft_state_hash(t), hash);
        CHECK_EQ(k.step, 77);
    }

    CHECK_EQ(weft_checkpoint_save(s, path, NULL), WEFT_OK);
    unlink(in_folder("mal.previous.safetensors"));
    static blob b, d;
    b.n = file_get(path, b.s, sizeof b.s);
    static const struct {
        const char *what, *find, *put;
        const char *part;
    } edit[] = {
        {"another name", "\"fc.bias\":", "\"fc.bigs\":", "header: the checksum"},
        {"another shape", "\"shape\":[4,3]", "\"shape\":[3,4]", "header: the checksum"},
        {"another type", "\"dtype\":\"I32\"", "\"dtype\":\"U32\"", "header: the checksum"},
        {"another step", "\"weft.step\":\"0\"", "\"weft.step\":\"9\"", "header: the checksum"},
        {"another version", "\"weft.checkpoint\":\"1\"", "\"weft.checkpoint\":\"3\"",
         "header: the"},
        {"another letter", "\"format\":\"pt\"", "\"format\":\"tf\"", "header: the checksum"},
        {"padding", "}}  ", "}} \n", "header: the checksum"},
        {"no checksum of the header", "\"weft.crc32c\":\"", "\"weft.crc32d\":\"", "missing"},
        {"a checksum of the header", "\"weft.crc32c\":\"", "\"weft.crc32c\":\"g", "8 digits"},
        {"no checksum of an array", "weft.crc32c.fc.bias", "weft.crc32b.fc.bias", "the checksum"},
        {"a checksum of an array", "weft.crc32c.fc.bias\":\"", "weft.crc32c.fc.bias\":\"g",
         "header: the checksum"},
        {"the wrong checksum", "weft.crc32c.steps", "weft.crc32c.fc.xx", "header: the checksum"},
    };
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        CASE("%s", edit[i].what);
        d = b;
        char *at = NULL;
        size_t n = strlen(edit[i].find);
        for (size_t k = 0; k + n < d.n && !at; k++)
            if (!memcmp(d.s + k, edit[i].find, n)) at = (char *)d.s + k;
        if (!CHECK(at)) continue;
        memcpy(at, edit[i].put, strlen(edit[i].put));
        file_put(path, d.s, d.n);
        uint64_t hash = weft_state_hash(t);
        CHECK_EQ(weft_checkpoint_load(t, path, NULL), WEFT_FORMAT);
        if (!CHECK_HAS(weft_error(c), edit[i].part)) puts(edit[i].what);
        CHECK_EQ(weft_state_hash(t), hash);
    }
    CASE("every bit");
    size_t accepted = 0;
    for (size_t i = 0; i < b.n; i++) {
        d = b;
        d.s[i] ^= (unsigned char)(1 << i % 8);
        file_put(path, d.s, d.n);
        if (weft_checkpoint_load(t, path, NULL) == WEFT_OK) accepted++;
    }
    CHECK_EQ(accepted, 0);
    CASE("every length");
    for (size_t i = 0; i < b.n; i += 5) {
        file_put(path, b.s, i);
        accepted += weft_checkpoint_load(t, path, NULL) == WEFT_OK;
    }
    CHECK_EQ(accepted, 0);
    CASE("a plain safetensors file");
    weft_archive *a = weft_archive_new(c);
    weft_state_save(s, a, &(weft_save_desc){.all = true});
    weft_archive_write(a, path, NULL);
    CHECK_EQ(weft_checkpoint_load(t, path, NULL), WEFT_FORMAT);
    weft_archive_free(a);
    CASE("not for this state");
    weft_state *other = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_param(g, other, "fc.weight", weft_dims(4, 3), (weft_init){0});
    weft_graph_free(g);
    weft_checkpoint_save(s, path, NULL);
    CHECK_EQ(weft_checkpoint_load(other, path, NULL), WEFT_STATE);
    CHECK_HAS(weft_error(c), "no entry for");
    static const weft_load_desc loose = {.allow_extra = true, .all = true};
    CHECK_EQ(weft_checkpoint_load(other, path, &(weft_checkpoint){.differ = &loose}), WEFT_OK);
    weft_state_free(other);
    weft_state_free(s);
    weft_state_free(t);
}

/* A link to another folder: all files of the checkpoint are beside its target. */
TEST(through_a_link) {
    weft_state *s = make(1), *t = make(2);
    mkdir(in_folder("far"), 0700);
    CHECK_EQ(weft_checkpoint_save(s, in_folder("far/run.safetensors"), NULL), WEFT_OK);
    CHECK_EQ(symlink("far/run.safetensors", in_folder("near.safetensors")), 0);
    CHECK_EQ(weft_checkpoint_save(s, in_folder("near.safetensors"), NULL), WEFT_OK);
    CHECK_EQ(access(in_folder("far/run.previous.safetensors"), F_OK), 0);
    file_put(in_folder("far/run.safetensors.00000000.weft-tmp"), "", 0);
    CHECK_EQ(weft_checkpoint_load(t, in_folder("near.safetensors"), NULL), WEFT_OK);
    CHECK_EQ(weft_state_hash(t), weft_state_hash(s));
    CHECK(access(in_folder("far/run.safetensors.00000000.weft-tmp"), F_OK) != 0);
    CHECK_EQ(symlink("nowhere", in_folder("dangling.safetensors")), 0);
    CHECK_EQ(weft_checkpoint_save(s, in_folder("dangling.safetensors"), NULL), WEFT_FILE);
    CHECK_HAS(weft_error(c), "cannot be followed");
    CHECK_EQ(weft_checkpoint_load(t, in_folder("dangling.safetensors"), NULL), WEFT_FILE);
    weft_state_free(s);
    weft_state_free(t);
}

TEST(nonsense) {
    weft_state *s = make(1);
    CHECK_EQ(weft_checkpoint_save(NULL, "x", NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_checkpoint_save(s, NULL, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_checkpoint_load(NULL, "x", NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_checkpoint_load(s, NULL, NULL), WEFT_ARGUMENT);
    const char *path = in_folder("sense.safetensors");
    CHECK_EQ(weft_checkpoint_save(s, path, &(weft_checkpoint){.step = -1}), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "step is negative");
    CHECK_EQ(weft_checkpoint_save(s, in_folder("no/x.safetensors"), NULL), WEFT_FILE);
    CHECK(access(path, F_OK) != 0);
    weft_archive *extra = weft_archive_new(c);
    char name[1025];
    memset(name, 'n', sizeof name);
    name[1024] = 0;
    weft_archive_put(extra, &(weft_array){name, WEFT_FILE_U8, {1, {1}}, "", 1});
    CHECK_EQ(weft_checkpoint_save(s, path, &(weft_checkpoint){.extra = extra}), WEFT_ARGUMENT);
    weft_archive_free(extra);
    CHECK_EQ(weft_checkpoint_save(s, in_folder("plain"), NULL), WEFT_OK); /* any ending will do */
    CHECK_EQ(weft_checkpoint_save(s, in_folder("plain"), NULL), WEFT_OK);
    CHECK_EQ(access(in_folder("plain.previous"), F_OK), 0);
    weft_state_free(s);
}
