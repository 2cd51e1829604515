/* test_io_index.c - indexes of shards: malformed, lying, and pointing where they must not. */
#include "io_world.h"

static heap heap_of;
static weft_ctx *c;

static void shard(const char *name, const char *array) {
    static blob b;
    char header[200];
    snprintf(header, sizeof header,
             "{\"%s\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", array);
    blob_safetensors(&b, header, 4);
    file_put(in_folder(name), b.s, b.n);
}

/* The index lies in in/, so that there is an outside. */
static void begin(void) {
    if (c) return;
    c = heap_open(&heap_of);
    mkdir(in_folder("in"), 0700);
    mkdir(in_folder("in/sub"), 0700);
    shard("outside", "x");
    shard("in/a", "x");
    shard("in/b", "y");
    shard("in/again", "x");
    shard("in/sub/z", "z");
    file_put(in_folder("in/short"), "\2\0\0\0\0\0\0\0{", 9);
    file_put(in_folder("in/empty"), "", 0);
    file_put(in_folder("in/index"), "{\"weight_map\":{}}", 17);
    if (symlink("../outside", in_folder("in/link")) || symlink("a", in_folder("in/near")) ||
        symlink("sub", in_folder("in/folder")) || mkfifo(in_folder("in/pipe"), 0600))
        abort();
}

#define MAP(rest) "{\"weight_map\":{" rest "}}"

TEST(refused) {
    begin();
    static const struct {
        const char *what, *text;
        weft_err code;
        const char *part;
    } row[] = {
        {"open JSON", "{\"weight_map\":", WEFT_FORMAT, "JSON: a value expected"},
        {"two values", MAP("") "{}", WEFT_FORMAT, "JSON: nothing more expected"},
        {"no map", "{}", WEFT_FORMAT, "weight_map: missing"},
        {"a map that is a list", "{\"weight_map\":[]}", WEFT_FORMAT, "weight_map: missing, or no"},
        {"a map that is null", "{\"weight_map\":null}", WEFT_FORMAT, "weight_map: missing, or no"},
        {"two maps", "{\"weight_map\":{},\"weight_map\":{}}", WEFT_FORMAT, "duplicate key"},
        {"an array twice", MAP("\"x\":\"a\",\"x\":\"a\""), WEFT_FORMAT, "duplicate key \"x\""},
        {"a shard that is a number", MAP("\"x\":1"), WEFT_FORMAT,
         "weight_map: the name of a shard"},
        {"a shard that is a list", MAP("\"x\":[\"a\"]"), WEFT_FORMAT, "the name of a shard"},
        {"a shard that is null", MAP("\"x\":null"), WEFT_FORMAT, "the name of a shard"},
        {"no name", MAP("\"x\":\"\""), WEFT_FORMAT, "shard: not a path"},
        {"a newline in a name", MAP("\"x\":\"a\\n\""), WEFT_FORMAT, "shard: not a path"},
        {"not there", MAP("\"x\":\"c\""), WEFT_FILE, "c: shard cannot be opened"},
        {"not there, further down", MAP("\"x\":\"no/c\""), WEFT_FILE, "shard cannot be opened"},
        {"upwards", MAP("\"x\":\"../outside\""), WEFT_FORMAT,
         "expected a relative path within the folder"},
        {"up and down", MAP("\"x\":\"sub/../../outside\""), WEFT_FORMAT,
         "expected a relative path within"},
        {"down and up", MAP("\"x\":\"sub/../a\""), WEFT_FORMAT, "expected a relative path within"},
        {"the folder itself", MAP("\"x\":\".\""), WEFT_FORMAT, "expected a relative path within"},
        {"the folder above", MAP("\"x\":\"..\""), WEFT_FORMAT, "expected a relative path within"},
        {"by way of here", MAP("\"x\":\"./a\""), WEFT_FORMAT, "expected a relative path within"},
        {"from the root", MAP("\"x\":\"/etc/passwd\""), WEFT_FORMAT,
         "expected a relative path within"},
        {"two slashes", MAP("\"x\":\"sub//z\""), WEFT_FORMAT, "expected a relative path within"},
        {"a slash at the end", MAP("\"x\":\"sub/\""), WEFT_FORMAT,
         "expected a relative path within"},
        {"a link to the outside", MAP("\"x\":\"link\""), WEFT_FILE, "\"link\" is a link"},
        {"a link to a neighbour", MAP("\"x\":\"near\""), WEFT_FILE, "\"near\" is a link"},
        {"a linked folder", MAP("\"z\":\"folder/z\""), WEFT_FILE,
         "\"folder\" is a link or not a folder"},
        {"a file as a folder", MAP("\"x\":\"a/b\""), WEFT_FILE, "\"a\" is a link or not a folder"},
        {"a folder as a file", MAP("\"x\":\"sub\""), WEFT_FILE, "not a regular file"},
        {"a pipe", MAP("\"x\":\"pipe\""), WEFT_FILE, "not a regular file"},
        {"an empty file", MAP("\"x\":\"empty\""), WEFT_FORMAT, "length of the header"},
        {"a damaged shard", MAP("\"x\":\"short\""), WEFT_FORMAT,
         "short: offset 8: header: expected 2 bytes"},
        {"an index as a shard", MAP("\"x\":\"index\""), WEFT_FORMAT, "index: offset 0: length of"},
        {"an array the shard lacks", MAP("\"x\":\"a\",\"w\":\"a\""), WEFT_FORMAT,
         "the shard has no such array"},
        {"the wrong shard", MAP("\"x\":\"b\",\"y\":\"a\""), WEFT_FORMAT,
         "the shard has no such array"},
        {"an array not named", MAP("\"x\":\"a\",\"z\":\"b\""), WEFT_FORMAT, "no such array"},
        {"an array in two shards", MAP("\"x\":\"a\",\"w\":\"again\""), WEFT_FORMAT,
         "weight_map of \"x\": the array is in two shards"},
    };
    const char *path = in_folder("in/model.safetensors.index.json");
    char kept[600];
    snprintf(kept, sizeof kept, "%s", path);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        file_put(kept, row[i].text, strlen(row[i].text));
        size_t before = heap_mark(&heap_of);
        weft_archive *a = weft_archive_open(c, kept);
        CHECK(!a);
        CHECK_EQ(weft_error_code(c), row[i].code);
        CHECK_HAS(weft_error(c), row[i].part);
        CHECK(heap_of.peak - before <= 2 * strlen(row[i].text) + (1 << 20));
        weft_archive_free(a);
        CHECK_EQ(heap_of.live, before);
    }
    CASE("in memory");
    CHECK(!weft_archive_parse(c, row[2].text, strlen(row[2].text), "i"));
    CHECK_EQ(weft_error_code(c), WEFT_UNSUPPORTED);
}

TEST(a_shard_with_more_than_is_named) {
    begin();
    static blob b;
    blob_safetensors(&b,
                     "{\"p\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                     "\"q\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
                     2);
    file_put(in_folder("in/pq"), b.s, b.n);
    const char *text = MAP("\"p\":\"pq\"");
    file_put(in_folder("in/more.index.json"), text, strlen(text));
    CHECK(!weft_archive_open(c, in_folder("in/more.index.json")));
    CHECK_HAS(weft_error(c), "the shard has arrays that are not named");
}

TEST(more_shards_than_are_opened) {
    begin();
    char *text = malloc(100000), name[32];
    size_t n = (size_t)sprintf(text, "{\"weight_map\":{");
    mkdir(in_folder("in/many"), 0700);
    for (int i = 0; i < 1025; i++) {
        char array[16];
        sprintf(name, "in/many/%d", i);
        sprintf(array, "n%d", i);
        shard(name, array);
        n += (size_t)sprintf(text + n, "%s\"%s\":\"%d\"", i ? "," : "", array, i);
    }
    sprintf(text + n, "}}");
    file_put(in_folder("in/many/i.index.json"), text, strlen(text));
    CHECK(!weft_archive_open(c, in_folder("in/many/i.index.json")));
    CHECK_EQ(weft_error_code(c), WEFT_UNSUPPORTED);
    CHECK_HAS(weft_error(c), "shard: more than 1024");
    free(text);
}

TEST(sound) {
    begin();
    const char *text = "\n {\"metadata\":{\"total_size\":12,\"by\":\"hand\"},\"weight_map\":"
                       "{\"x\":\"a\",\"z\":\"sub/z\",\"y\":\"b\"}}";
    file_put(in_folder("in/good.json"), text, strlen(text));
    char here[600], kept[600];
    snprintf(kept, sizeof kept, "%s", in_folder("in"));
    for (int relative = 0; relative < 2; relative++) {
        CASE("%s path", relative ? "relative" : "absolute");
        if (relative && (!getcwd(here, sizeof here) || chdir(kept))) abort();
        weft_archive *a = weft_archive_open(c, relative ? "good.json" : in_folder("in/good.json"));
        if (!CHECK(a)) printf("     %s\n", weft_error(c));
        CHECK_EQ(weft_archive_count(a), 3);
        CHECK_STR(weft_archive_format(a), "index");
        CHECK_STR(weft_archive_text_of(a, "by"), "hand");
        CHECK(!weft_archive_text_of(a, "total_size"));
        weft_array x;
        CHECK_EQ(weft_archive_find(a, "z", &x), WEFT_OK);
        CHECK_EQ(x.bytes, 4);
        weft_archive_free(a);
        if (relative && chdir(here)) abort();
    }
}

/* A set that could not be written in full leaves the old one as it was. */
TEST(shards_are_written_together) {
    begin();
    weft_archive *a = weft_archive_new(c);
    unsigned char value[100] = {1};
    for (int i = 0; i < 4; i++) {
        char name[8];
        sprintf(name, "n%d", i);
        weft_archive_put(a, &(weft_array){name, WEFT_FILE_U8, {1, {100}}, value, 100});
    }
    weft_write_desc d = {.max_shard_bytes = 150};
    const char *path = in_folder("set.safetensors");
    char index[600];
    snprintf(index, sizeof index, "%s.index.json", path);
    CHECK_EQ(weft_archive_write(a, path, &d), WEFT_OK);
    char hash[65], again[65];
    weft_archive_hash(a, hash);
    weft_array x = {"n3", WEFT_FILE_U8, {1, {100}}, value, 100};
    value[0] = 2;
    weft_archive_put(a, &x);
    unlink(in_folder("set-00004-of-00004.safetensors"));
    mkdir(in_folder("set-00004-of-00004.safetensors"), 0700); /* in the way of the last shard */
    CHECK_EQ(weft_archive_write(a, path, &d), WEFT_FILE);
    CHECK_EQ(folder_count(".weft-tmp"), 0);
    CHECK(access(index, F_OK) == 0);
    rmdir(in_folder("set-00004-of-00004.safetensors"));
    CHECK_EQ(weft_archive_write(a, path, &d), WEFT_OK);
    weft_archive *b = weft_archive_open(c, index);
    weft_archive_hash(b, again);
    CHECK(strcmp(hash, again) != 0);
    weft_archive_hash(a, hash);
    CHECK_STR(again, hash);
    weft_archive_free(b);
    d.max_shard_bytes = 1;
    weft_archive *many = weft_archive_new(c);
    for (int i = 0; i < 513; i++) {
        char name[8];
        sprintf(name, "%d", i);
        weft_archive_put(many, &(weft_array){name, WEFT_FILE_U8, {1, {1}}, value, 1});
    }
    CHECK_EQ(weft_archive_write(many, in_folder("many.safetensors"), &d), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "513 shards");
    weft_archive_free(many);
    weft_archive_free(a);
}
