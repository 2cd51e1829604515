/* test_data_csv.c - tables: cells, headers, words, labels, what is missing, sets like others, and
 * numbers against strtod. What must be refused is in test_data_bad.c. */
#include "data_world.h"

#include <math.h>

static heap memory;

static weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) c = world_open(&memory);
    return c;
}

static weft_data *table(const char *text, const weft_csv_desc *d) {
    weft_data *t = weft_data_parse_csv(ctx(), world_text(text), d);
    if (!CHECK(t != NULL)) printf("     %s\n", weft_error(ctx()));
    return t;
}

/* Rows and columns of "x" against numbers in one list. */
static void check_x(const weft_data *d, int64_t rows, int64_t columns, const float *want) {
    if (!d || !CHECK_EQ(weft_data_rows(d), rows)) return;
    const weft_field x = weft_data_field(d, 0);
    CHECK_STR(x.name, "x");
    CHECK_EQ(x.dtype, WEFT_F32);
    CHECK_EQ(x.dims.rank, 1);
    if (!CHECK_EQ(x.dims.n[0], columns)) return;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < columns; k++)
            CHECK_EQ(world_f32(d, "x", i, k), want[i * columns + k]);
}

static void check_classes(const weft_data *d, int n, const char *const *names, const int *want) {
    const int at = weft_data_find(d, "y");
    if (!d || !CHECK(at >= 0)) return;
    const weft_field y = weft_data_field(d, (size_t)at);
    CHECK_EQ(y.dtype, WEFT_I32);
    CHECK_EQ(y.dims.rank, 0);
    if (!CHECK_EQ(y.classes, n)) return;
    for (int i = 0; i < n; i++) CHECK_STR(y.class_names[i], names[i]);
    for (int64_t i = 0; i < weft_data_rows(d); i++) CHECK_EQ(world_i32(d, "y", i), want[i]);
}

TEST(numbers_and_named_classes) {
    weft_data *d = table("wide,long,kind\n1,2,red\n3,4.5,blue\n-5,.5,red\n", NULL);
    check_x(d, 3, 2, (float[]){1, 2, 3, 4.5f, -5, .5f});
    check_classes(d, 2, (const char *const[]){"blue", "red"}, (int[]){1, 0, 1});
    if (d) {
        CHECK_STR(weft_data_field(d, 0).columns[0], "wide");
        CHECK_STR(weft_data_field(d, 0).columns[1], "long");
    }
    weft_data_free(d);
}

TEST(from_a_file_that_may_go) {
    const char text[] = "a,b\n1,x\n2,y\n";
    const world_file f = world_write(text, sizeof text - 1);
    weft_data *d = weft_data_csv(ctx(), f.path, NULL);
    unlink(f.path);
    check_x(d, 2, 1, (float[]){1, 2});
    check_classes(d, 2, (const char *const[]){"x", "y"}, (int[]){0, 1});
    weft_data_free(d);
}

TEST(words_become_one_element_each) {
    weft_data *d = table("n,colour,y\n1,red,u\n2,green,v\n3,red,u\n4,blue,v\n", NULL);
    check_x(d, 4, 4, (float[]){1, 0, 0, 1, 2, 0, 1, 0, 3, 0, 0, 1, 4, 1, 0, 0});
    if (d) {
        const char *const names[] = {"n", "colour=blue", "colour=green", "colour=red"};
        for (int i = 0; i < 4; i++) CHECK_STR(weft_data_field(d, 0).columns[i], names[i]);
    }
    weft_data_free(d);
}

TEST(separators) {
    static const char *const texts[] = {
        "a,b\n1,2\n3,4\n5,4\n6,2\n", "a;b\n1;2\n3;4\n5;4\n6;2\n", "a\tb\n1\t2\n3\t4\n5\t4\n6\t2\n",
        "a|b\n1|2\n3|4\n5|4\n6|2\n", "\"a,;\"|b\n1|2\n3|4\n5|4\n6|2\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CASE("%zu", i);
        weft_data *d = table(texts[i], NULL);
        check_x(d, 4, 1, (float[]){1, 3, 5, 6});
        check_classes(d, 2, (const char *const[]){"2", "4"}, (int[]){0, 1, 1, 0});
        weft_data_free(d);
    }
    weft_data *d = table("1:2:a\n3:4:b\n", &(weft_csv_desc){.separator = ':'});
    check_x(d, 2, 2, (float[]){1, 2, 3, 4});
    weft_data_free(d);
}

TEST(quotes_lines_and_spaces) {
    static const char *const texts[] = {
        "a,b\r\n1,x\r\n2,y\r\n", /* CRLF */
        ("\xef\xbb\xbf"
         "a,b\n1,x\n2,y"),                             /* a byte order mark, no last line end */
        "\n\n a , b \n 1 ,\tx\n\n  \n2, y \n\n",       /* spaces and empty lines */
        "\"a\",\"b\"\n\"1\",\"x\"\n \"2\" , \"y\" \n", /* quotes, also around numbers */
        "a,b\n1,x\n2,\"y\"",                           /* at the very end */
        "a,b\r\n1,x\r\n2,y\r",                         /* half a line end */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CASE("%zu", i);
        weft_data *d = table(texts[i], NULL);
        check_x(d, 2, 1, (float[]){1, 2});
        check_classes(d, 2, (const char *const[]){"x", "y"}, (int[]){0, 1});
        if (d) CHECK_STR(weft_data_field(d, 0).columns[0], "a");
        weft_data_free(d);
    }
    CASE("inside quotes");
    weft_data *d = table("n,y\n1,\"a, \"\"b\"\"\nc\"\n2,5\" pipe\n3,\" keeps \"\n", NULL);
    check_classes(d, 3, (const char *const[]){" keeps ", "5\" pipe", "a, \"b\"\nc"},
                  (int[]){2, 1, 0});
    weft_data_free(d);
    CASE("the same word in and out of quotes");
    d = table("n,y\n1,\"red\"\n2,red\n3,blue\n", NULL);
    check_classes(d, 2, (const char *const[]){"blue", "red"}, (int[]){1, 1, 0});
    weft_data_free(d);
}

TEST(headers) {
    static const struct {
        const char *text;
        int asked, rows;
    } cases[] = {
        {"a,b\n1,x\n2,y\n", 0, 2}, /* a word over numbers */
        {"1,x\n2,y\n", 0, 2},      /* none */
        {"1,b\n1,x\n2,y\n", 0, 3}, /* a number over numbers: no header, b is a class */
        {"p,q\nx,y\nz,y\n", 0, 2}, /* all words, and p, q never come again */
        {"p,q\nx,y\np,y\n", 0, 3}, /* p does */
        {"1,2\n3,4\n5,6\n", 1, 2}, /* because it is said so */
        {"a,b\nc,d\ne,b\n", -1, 3}, {"a,b\n1,x\n", 0, 1}, {"1,x\n", 0, 1},
        {"n,w,y\n", 0, 1}, /* three words and nothing else are a row */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CASE("%zu", i);
        weft_data *d = table(cases[i].text, &(weft_csv_desc){.header = cases[i].asked});
        if (d) CHECK_EQ(weft_data_rows(d), cases[i].rows);
        weft_data_free(d);
    }
    CASE("columns without names have numbers");
    weft_data *d = table("1,u,x\n2,v,y\n", NULL);
    if (d) {
        CHECK_STR(weft_data_field(d, 0).columns[0], "1");
        CHECK_STR(weft_data_field(d, 0).columns[2], "2=v");
    }
    weft_data_free(d);
}

TEST(labels_by_name_and_number) {
    const char *const text = "id,y,a\n7,u,1\n8,v,2\n9,u,3\n";
    static const char *const labels[] = {"y", "2"};
    for (int i = 0; i < 2; i++) {
        CASE("label %s", labels[i]);
        weft_data *d = table(text, &(weft_csv_desc){.label = labels[i]});
        check_x(d, 3, 2, (float[]){7, 1, 8, 2, 9, 3});
        check_classes(d, 2, (const char *const[]){"u", "v"}, (int[]){0, 1, 0});
        weft_data_free(d);
    }
    CASE("skip");
    weft_data *d = table(text, &(weft_csv_desc){.label = "y", .skip = " id "});
    check_x(d, 3, 1, (float[]){1, 2, 3});
    weft_data_free(d);
    CASE("no label");
    d = table("a,b\n1,2\n3,4\n", &(weft_csv_desc){.no_label = true});
    check_x(d, 2, 2, (float[]){1, 2, 3, 4});
    if (d) CHECK_EQ(weft_data_fields(d), 1);
    weft_data_free(d);
}

TEST(classes_or_numbers) {
    char many[2000] = "a,y\n", few[2000] = "a,y\n", *p = many + 4, *q = few + 4;
    for (int i = 0; i < 100; i++) {
        p += sprintf(p, "%d,%d\n", i, i % 40);
        q += sprintf(q, "%d,%d.0\n", i, i % 3 * 10 - 10);
    }
    const struct {
        const char *name, *text;
        weft_task task;
        int classes; /* 0: numbers */
    } cases[] = {
        {"three whole numbers", few, WEFT_TASK_AUTO, 3},
        {"forty of them", many, WEFT_TASK_AUTO, 0},
        {"forty, asked for", many, WEFT_TASK_CLASSES, 40},
        {"three, not asked for", few, WEFT_TASK_NUMBERS, 0},
        {"fractions", "a,y\n1,.5\n2,1\n3,1\n4,.5\n", WEFT_TASK_AUTO, 0},
        {"fractions as classes", "a,y\n1,.5\n2,1\n3,1\n4,.5\n", WEFT_TASK_CLASSES, 2},
        {"each once", "a,y\n1,1\n2,2\n3,3\n", WEFT_TASK_AUTO, 0},
        {"each twice", "a,y\n1,1\n2,2\n3,2\n4,1\n", WEFT_TASK_AUTO, 2},
        {"large ones", "a,y\n1,1e10\n2,2e10\n3,1e10\n4,2e10\n", WEFT_TASK_AUTO, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CASE("%s", cases[i].name);
        weft_data *d = table(cases[i].text, &(weft_csv_desc){.task = cases[i].task});
        if (!d) continue;
        const weft_field y = weft_data_field(d, 1);
        CHECK_EQ(y.classes, cases[i].classes);
        CHECK_EQ(y.dtype, cases[i].classes ? WEFT_I32 : WEFT_F32);
        weft_data_free(d);
    }
    CASE("by value, not by spelling");
    weft_data *d = table(few, NULL);
    if (d) {
        const char *const names[] = {"-10", "0", "10"};
        for (int i = 0; i < 3; i++) CHECK_STR(weft_data_field(d, 1).class_names[i], names[i]);
        CHECK_EQ(world_i32(d, "y", 0), 0);
        CHECK_EQ(world_i32(d, "y", 2), 2);
    }
    weft_data_free(d);
    CASE("beside a column of words");
    char mixed[3000] = "w,y\n", *m = mixed + 4;
    for (int i = 0; i < 100; i++) m += sprintf(m, "word%d,%d\n", i % 50, i % 40);
    d = table(mixed, NULL);
    if (d) {
        CHECK_EQ(weft_data_field(d, 1).classes, 0);
        CHECK_EQ(weft_data_field(d, 0).dims.n[0], 50);
        for (int i = 0; i < 100; i++) {
            CHECK_EQ(world_f32(d, "y", i, 0), i % 40);
            for (int k = 0; k < 50; k++) {
                char name[16];
                snprintf(name, sizeof name, "w=word%d", i % 50);
                const bool is = strcmp(weft_data_field(d, 0).columns[k], name) == 0;
                CHECK_EQ(world_f32(d, "x", i, k), is);
            }
        }
    }
    weft_data_free(d);
    CASE("numbers stay");
    d = table(many, NULL);
    if (d) CHECK_EQ(world_f32(d, "y", 39, 0), 39);
    weft_data_free(d);
}

TEST(missing_values) {
    const char *const text = "n,w,y\n1,red,u\n?,blue,v\n3,NA,u\n5,red,\n,N/A,v\n2,red,nan\n";
    CASE("mean");
    weft_data *d = table(text, &(weft_csv_desc){.missing = WEFT_MISSING_MEAN});
    /* The rows without a label are gone; the mean of 1 and 3 stands where nothing stood. */
    check_x(d, 4, 3, (float[]){1, 0, 1, 2, 1, 0, 3, 0, 0, 2, 0, 0});
    check_classes(d, 2, (const char *const[]){"u", "v"}, (int[]){0, 1, 0, 1});
    weft_data_free(d);
    CASE("drop");
    d = table(text, &(weft_csv_desc){.missing = WEFT_MISSING_DROPS});
    check_x(d, 1, 2, (float[]){1, 1});
    check_classes(d, 1, (const char *const[]){"u"}, (int[]){0});
    weft_data_free(d);
    CASE("skipped columns may miss what they like");
    d = table("n,w,y\n1,,u\n2,,v\n", &(weft_csv_desc){.skip = "w"});
    check_x(d, 2, 1, (float[]){1, 2});
    weft_data_free(d);
}

TEST(like_another_table) {
    weft_data *a = table("n,w,y\n1,red,u\n2,blue,v\n9,green,u\n",
                         &(weft_csv_desc){.missing = WEFT_MISSING_MEAN});
    const weft_csv_desc like = {.like = a, .missing = WEFT_MISSING_MEAN};
    weft_data *b = table("n,w,y\n5,green,v\n?,red,v\n", &like);
    check_x(b, 2, 4, (float[]){5, 0, 1, 0, 4, 0, 0, 1}); /* 4: a's mean */
    check_classes(b, 2, (const char *const[]){"u", "v"}, (int[]){1, 1});
    weft_data *c = table("7,blue,u\n", &like); /* the names may be left out */
    check_x(c, 1, 4, (float[]){7, 1, 0, 0});
    weft_data_free(a);
    if (b) CHECK_STR(weft_data_field(b, 0).columns[1], "w=blue"); /* a's names live on */
    weft_data *skipping =
        table("id,n,y\n?,1,5\n?,2,6\n?,3,6\n?,4,5\n", &(weft_csv_desc){.skip = "id"});
    weft_data *e = table("id,n,y\nanything,7,6.0\n", &(weft_csv_desc){.like = skipping});
    check_x(e, 1, 1, (float[]){7});
    check_classes(e, 2, (const char *const[]){"5", "6"}, (int[]){1});
    weft_data_free(skipping), weft_data_free(e);
    weft_data *part[2];
    if (b && CHECK_EQ(weft_data_split(b, &(weft_split_desc){.share = {1, 1}}, part), WEFT_OK)) {
        weft_data *d = table("1,red,u\n", &(weft_csv_desc){.like = part[1]});
        check_x(d, 1, 4, (float[]){1, 0, 0, 1});
        weft_data_free(d);
        weft_data_free(part[0]), weft_data_free(part[1]);
    }
    weft_data_free(b);
    weft_data_free(c);
}

/* ---- numbers ---- */

/* Against strtod, rounded to f32, for everything that people and programs write. */
/* A model knows its classes in an order of its own; the table may have fewer of them. */
TEST(classes_as_somebody_knows_them) {
    static const char *const known[] = {"c", "a", "b"};
    const weft_csv_desc d = {.classes = known, .class_count = 3};
    weft_data *t = table("x,y\n1,a\n2,b\n3,a\n", &d);
    check_classes(t, 3, known, (int[]){1, 2, 1});
    const weft_csv_desc like = {.like = t};
    weft_data *u = table("x,y\n1,b\n2,a\n", &like);
    check_classes(u, 3, known, (int[]){2, 1});
    weft_data_free(t);
    check_classes(u, 3, known, (int[]){2, 1}); /* it lives on */
    weft_data_free(u);
    static const char *const numbers[] = {"7", "5"};
    const weft_csv_desc whole = {.classes = numbers, .class_count = 2};
    t = table("x,y\n1,5\n2,7.0\n3,5\n", &whole); /* even if they are so few */
    check_classes(t, 2, numbers, (int[]){1, 0, 1});
    weft_data_free(t);
    CHECK(!weft_data_parse_csv(ctx(), world_text("x,y\n1,a\n2,d\n"), &d));
    CHECK_HAS(weft_error(ctx()),
              "line 3, column 2 (y): \"d\" is not one of the 3 known classes: c, a, b");
    CHECK(
        !weft_data_parse_csv(ctx(), world_text("x,y\n1,a\n"), &(weft_csv_desc){.class_count = 1}));
    CHECK_HAS(weft_error(ctx()), "the list is NULL");
    CHECK(!weft_data_parse_csv(ctx(), world_text("x,y\n1,a\n"),
                               &(weft_csv_desc){.classes = known, .class_count = 9000}));
    static const char *const gap[] = {"a", NULL};
    CHECK(!weft_data_parse_csv(ctx(), world_text("x,y\n1,a\n"),
                               &(weft_csv_desc){.classes = gap, .class_count = 2}));
    CHECK_HAS(weft_error(ctx()), "class 1 has no name");
}

TEST(numbers_are_read_as_strtod_reads_them) {
    static const char *const forms[] = {
        "0",
        "-0",
        "1",
        "+1",
        "007",
        "1.",
        ".5",
        "-.5",
        "1e3",
        "1E+3",
        "1e-3",
        "1.5e0",
        "0.1",
        "0.3",
        "3.4028234e38",
        "1e-45",
        "1e-50",
        "1.17549435e-38",
        "16777217",
        "33554435",
        "0.000000000001",
        "123456789012345678901234567890",
        "0.1234567890123456789012345678901234567890",
        "179769313486231570000e18",
        "9007199254740993",
        "4.35",
        "2.675",
        "1e22",
        "1e23",
        "8.5e-7",
        "1e-999999999999999999999",
        "0e99999",
        "1e-500",
        "1000000000000000000000000000000e-30",
        "0.00000000000000000000000000000000000000001e41",
    };
    char text[64];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        CASE("%s", forms[i]);
        snprintf(text, sizeof text, "%s,a\n", forms[i]);
        weft_data *d = table(text, NULL);
        if (d) CHECK_EQ(world_f32(d, "x", 0, 0), (float)strtod(forms[i], NULL));
        weft_data_free(d);
    }
    CASE("at random");
    enum { N = 20000 };
    char *const all = malloc(N * 32), *at = all;
    double *const want = malloc(N * sizeof *want);
    for (int i = 0; i < N; i++) {
        const double v = (test_uniform(-1, 1)) * pow(10, (int)(test_random() % 60) - 30);
        char cell[32];
        snprintf(cell, sizeof cell, i % 2 ? "%.9g" : "%.4g", v);
        want[i] = strtod(cell, NULL);
        at += sprintf(at, "%s,%d\n", cell, i % 2);
    }
    weft_data *d = weft_data_parse_csv(ctx(), world_text(all), NULL);
    int wrong = 0;
    for (int i = 0; d && i < N; i++) wrong += world_f32(d, "x", i, 0) != (float)want[i];
    CHECK(d != NULL);
    CHECK_EQ(wrong, 0);
    weft_data_free(d);
    free(all), free(want);
}

TEST(words_that_look_like_numbers) {
    static const char *const words[] = {"inf", "-inf",  "0x10", "1e",    "1e+",
                                        ".",   "-",     "+",    "1 2",   "1,5",
                                        "--1", "1.2.3", "e5",   "1_000", "\xd9\xa1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        CASE("%s", words[i]);
        char text[64];
        snprintf(text, sizeof text, "\"%s\",a\n7,b\n", words[i]);
        weft_data *d = table(text, &(weft_csv_desc){.header = -1});
        if (d) CHECK_EQ(weft_data_field(d, 0).dims.n[0], 2); /* two words */
        weft_data_free(d);
    }
}

TEST(many_words_and_columns) {
    enum { COLUMNS = 300, ROWS = 60 };
    char *const text = malloc((size_t)COLUMNS * ROWS * 8), *at = text;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++)
            at += sprintf(at, "w%d%c", (i * 7 + k) % ROWS, k == COLUMNS - 1 ? '\n' : ',');
    weft_data *d = weft_data_parse_csv(ctx(), world_text(text),
                                       &(weft_csv_desc){.header = -1, .skip = "1,2,3"});
    /* 296 columns of 60 words are more than all columns may have together */
    CHECK(d == NULL);
    CHECK_HAS(weft_error(ctx()), "more than 8192 different words");
    weft_data_free(d);
    char skip[2000] = "", *s = skip;
    for (int k = 101; k < COLUMNS; k++) s += sprintf(s, "%d,", k);
    s[-1] = 0;
    d = weft_data_parse_csv(ctx(), world_text(text), &(weft_csv_desc){.header = -1, .skip = skip});
    if (CHECK(d != NULL)) {
        CHECK_EQ(weft_data_field(d, 0).dims.n[0], 100 * ROWS);
        CHECK_EQ(weft_data_field(d, 1).classes, ROWS);
        for (int i = 0; i < ROWS; i++) {
            float sum = 0;
            for (int k = 0; k < 100 * ROWS; k++) sum += world_f32(d, "x", i, k);
            CHECK_EQ(sum, 100); /* one word of each column */
        }
    }
    weft_data_free(d);
    free(text);
}

TEST(nothing_is_left) {
    weft_close(ctx());
    CHECK_EQ(memory.live, 0);
}
