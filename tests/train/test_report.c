/* test_report.c - report.html: well formed whatever the run holds, all text escaped, curves that
 * keep every spike, bounded in size and time. Pictures are test_report_pictures.c's. */
#include "report_world.h" /* first: it says which functions of the system are wanted */

#include "heap.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

/* ---- what is in it ---- */

TEST(the_reader_finds_faults) {
    static const char *const bad[] = {
        "<html></html>",
        "<!DOCTYPE html><a><b></a></b>",
        "<!DOCTYPE html><a>",
        "<!DOCTYPE html><a></a></b>",
        "<!DOCTYPE html><a x=1></a>",
        "<!DOCTYPE html><a x=\"<\"></a>",
        "<!DOCTYPE html><a>1 & 2</a>",
        "<!DOCTYPE html><a>1 > 2</a>",
        "<!DOCTYPE html><a x=\"1\"y=\"2\"></a>",
        "<!DOCTYPE html><a x=\"1></a>",
        "<!DOCTYPE html>text",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(page_fault(bad[i]));
    CHECK(!page_fault("<!DOCTYPE html>\n<a x=\"1\" y-z=\"&lt;\"><b/>1 &amp; 2</a>\n"));
}

TEST(a_whole_run) {
    world t = world_begin();
    run_write(run_path(&t.f, "config.json"),
              "{\"title\": \"A title\", \"model\": \"cnn\", \"optimiser\": {\"name\": \"adam\", "
              "\"rates\": [1, 2.50]}, \"none\": {}, \"good\": true}");
    for (int i = 1; i <= 200; i++) {
        world_line(&t, 10 * i, "train/loss", 2 * exp(-i / 40.0) * (i % 2 ? 1.2 : 0.8));
        world_line(&t, 10 * i, "train/rate", 0.001 * (1 - i / 200.0));
        world_line(&t, 10 * i, "speed/steps_per_s", 100 + i % 3);
        if (i % 20) continue;
        world_line(&t, 10 * i, "test/loss", 2 * exp(-i / 40.0) + 0.1);
        world_line(&t, 10 * i, "test/accuracy", i == 180 ? 0.9875 : 0.9 + i / 2500.0);
    }
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "<title>A title</title>");
    CHECK_HAS(page, "<h1>A title</h1>");
    CHECK_HAS(page, "<p class=\"when\">2023-11-14 22:13 to 22:46 UTC</p>");
    CHECK_EQ(page_count(page, "<figure class=\"plot"), 4);
    /* In this order: loss, accuracy, rate, then the rest. */
    const char *loss = strstr(page, "<h3>Loss</h3>"), *accuracy = strstr(page, "<h3>Accuracy</h3>"),
               *rate = strstr(page, "<h3>Learning rate</h3>"),
               *speed = strstr(page, "<h3>Speed</h3>");
    CHECK(loss && loss < accuracy && accuracy < rate && rate < speed);
    CHECK_EQ(page_find(page, "Loss", "curve", "train").points, 200);
    CHECK_EQ(page_find(page, "Loss", "noise", "train").points, 200);
    CHECK_EQ(page_find(page, "Loss", "curve", "test").points, 10);
    CHECK_EQ(page_find(page, "Loss", "noise", "test").points, 0);
    CHECK_EQ(page_find(page, "Accuracy", "curve", "test").points, 10);
    CHECK_EQ(page_find(page, "Speed", "curve", "steps per s").points, 200);

    /* Key figures. */
    CHECK_HAS(page, "<dt>Best accuracy</dt><dd>98.75\xc2\xa0%<small>test, at step 1,800</small>");
    CHECK_HAS(page, "<dt>Last accuracy</dt><dd>98.00\xc2\xa0%<small>test</small>");
    CHECK_HAS(page, "<dt>Final loss</dt><dd>0.1135<small>test</small>");
    CHECK_HAS(page, "<dt>Steps</dt><dd>2,000<");
    CHECK_HAS(page, "<dt>Time</dt><dd>20.0 s<");
    CHECK_HAS(page, "<dt>Rate</dt><dd>100<small>steps a second</small>");
    CHECK_HAS(page, "<p class=\"summary\">2,000 steps in 20.0 s. The accuracy (test) ended at "
                    "98.00\xc2\xa0%, and was best with 98.75\xc2\xa0% at step 1,800. The loss "
                    "(test) went from 1.313 to 0.1135.</p>");

    /* The configuration, as a table. */
    CHECK_HAS(page, "<th scope=\"row\">model</th><td>cnn</td>");
    CHECK_HAS(page, "<th scope=\"row\">optimiser.name</th><td>adam</td>");
    CHECK_HAS(page, "<th scope=\"row\">optimiser.rates</th><td>[1, 2.50]</td>");
    CHECK_HAS(page, "<th scope=\"row\">none</th><td>{}</td>");
    CHECK_HAS(page, "<th scope=\"row\">good</th><td>true</td>");
    CHECK(!strstr(page, "<th scope=\"row\">title</th>"));
    CHECK_HAS(page, "Made by Weft " WEFT_VERSION " from 620 lines of metrics.jsonl.");

    /* The same run gives the same bytes. */
    char *before = strdup(page);
    CHECK_STR(world_page(&t, NULL), before);
    free(before);
    page = world_page(&t, &(weft_report){.title = "Other", .summary = "It went\nwell."});
    CHECK_HAS(page, "<h1>Other</h1>");
    CHECK_HAS(page, "<p class=\"summary\">It went\nwell.</p>");
    world_end(&t);
}

TEST(text_is_escaped) {
    world t = world_begin();
    static const float pixel[1] = {0.5f};
    run_write(run_path(&t.f, "config.json"),
              "{\"<i>key</i>\": \"<script>alert(1)</script>\", \"q\": [\"<b>\"]}");
    for (int i = 0; i < 3; i++) {
        world_line(&t, i, "<script>alert(2)</script>/a&b\\\"c", i);
        world_line(&t, i, "train/<img>", i);
    }
    weft_picture p = {.pixels = pixel, .height = 1, .width = 1, .channels = 1};
    strcpy(p.caption, "\"<script>'&\x01\xff");
    const char *page = world_page(&t, &(weft_report){.title = "<script>alert('3')</script>",
                                                     .summary = "a < b & c",
                                                     .pictures = &p,
                                                     .picture_count = 1});
    CHECK_EQ(page_count(page, "<script"), 1); /* our own */
    CHECK_EQ(page_count(page, "<img"), 1);
    CHECK_HAS(page, "<title>&lt;script&gt;alert(&#39;3&#39;)&lt;/script&gt;</title>");
    CHECK_HAS(page, "a &lt; b &amp; c");
    CHECK_HAS(page, "alt=\"&quot;&lt;script&gt;&#39;&amp;\xef\xbf\xbd\xef\xbf\xbd\"");
    CHECK_HAS(page, "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>");
    CHECK_HAS(page, "<td>[&quot;&lt;b&gt;&quot;]</td>");
    world_end(&t);
}

TEST(a_page_for_nothing) {
    world t = world_begin();
    const char *page = world_page(&t, NULL);
    char name[64];
    snprintf(name, sizeof name, "<h1>%s</h1>", strrchr(t.f.path, '/') + 1);
    CHECK_HAS(page, name);
    CHECK_HAS(page, "The run has logged nothing yet.");
    CHECK_HAS(page, "from 0 lines of");
    CHECK_EQ(page_count(page, "<figure"), 0);
    unlink(run_path(&t.f, "metrics.jsonl"));
    page = world_page(&t, NULL);
    CHECK_HAS(page, "The run has logged nothing yet.");
    world_end(&t);
}

/* ---- odd data ---- */

TEST(odd_values) {
    static const struct {
        const char *name;
        double first, factor, more; /* the next is factor times the last, and more */
        int n;
        double low, high; /* what the curve must reach */
        bool log;
    } table[] = {
        {"two", 7, 1, 1, 2, 7, 8, false},
        {"constant", 3.5, 1, 0, 50, 3.5, 3.5, false},
        {"zero", 0, 1, 0, 50, 0, 0, false},
        {"negative", -5, 1, -1, 20, -24, -5, false},
        {"across zero", -5, 1, 1, 11, -5, 5, false},
        {"loss, two decades", 1, 0.9, 0, 44, 0.01078, 1, true},
        {"loss, one decade", 1, 0.9, 0, 22, 0.1094, 1, false},
        {"loss, forty decades", 1e20, 0.1, 0, 41, 1e-20, 1e20, true},
        {"loss, all there is", 1e-280, 1e28, 0, 21, 1e-280, 1e280, true},
        {"large", 1e280, 1, 0, 9, 1e280, 1e280, false},
        {"huge span", -1e289, 1, 1e288, 21, -1e289, 1e289, false},
        {"small", 1e-300, 1, 0, 9, 1e-300, 1e-300, false},
        {"near each other", 1, 1, 1e-7, 9, 1, 1 + 8e-7, false},
        {"counts", 1, 2, 0, 13, 1, 4096, false},
        {"many decades of anything", 1, 10, 0, 9, 1, 1e8, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CASE("%s", table[i].name);
        world t = world_begin();
        double v = table[i].first;
        for (int k = 0; k < table[i].n; k++, v = v * table[i].factor + table[i].more)
            world_line(&t, 10 * k, table[i].name, v);
        const char *page = world_page(&t, NULL);
        char title[64];
        snprintf(title, sizeof title, "%s", table[i].name);
        title[0] = (char)toupper((unsigned char)title[0]);
        const page_curve c = page_find(page, title, "curve", table[i].name);
        CHECK(c.sound);
        CHECK_EQ(c.points, table[i].n);
        CHECK_EQ(c.pieces, 1);
        const double span = table[i].high - table[i].low;
        const double slack =
            table[i].log ? 0 : 3e-4 * fmax(span, fabs(table[i].high) * 0.2 + 1e-300);
        if (table[i].log) {
            const double decades = log10(table[i].high / table[i].low);
            CHECK_NEAR(log10(c.low), log10(table[i].low), 3e-4 * decades);
            CHECK_NEAR(log10(c.high), log10(table[i].high), 3e-4 * decades);
        } else {
            CHECK_NEAR(c.low, table[i].low, slack + 2e-4 * (table[i].low == 0));
            CHECK_NEAR(c.high, table[i].high, slack + 2e-4 * (table[i].high == 0));
        }
        CHECK_EQ(page_count(page, "data-kind=\"log\""), table[i].log);
        world_end(&t);
    }
}

TEST(values_that_are_none) {
    world t = world_begin();
    for (int i = 0; i < 30; i++) {
        world_line(&t, i, "all", NAN);
        world_line(&t, i, "some", i % 10 < 5 ? i : NAN);
        world_line(&t, i, "lone", i % 2 ? NAN : i);
        world_line(&t, i, "beyond", i == 3 ? 1e305 : 2);
    }
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "<p class=\"empty\">No finite value.</p>");
    CHECK_HAS(page, "30 values were not finite.");
    CHECK_EQ(page_find(page, "Some", "curve", "some").pieces, 3);
    CHECK_EQ(page_find(page, "Some", "curve", "some").points, 15);
    CHECK_EQ(page_find(page, "Lone", "curve", "lone").pieces, 15);
    CHECK_EQ(page_find(page, "Beyond", "curve", "beyond").pieces, 2);
    CHECK_HAS(page, "1 value was not finite.");
    world_end(&t);
}

TEST(lines_that_are_none) {
    world t = world_begin();
    world_line(&t, 1, "loss", 1);
    fputs("{\"step\": 2, \"loss\": 0.5\nnot JSON\n\n[1, 2]\n{\"loss\": 3}\n{\"step\": null}\n"
          "{\"step\": 2, \"step\": 3}\n{\"loss\": 0.25, \"step\": 2, \"note\": \"text\", "
          "\"on\": true}\n",
          t.lines);
    fputs("{\"step\": 3, \"loss\": 0.12", t.lines);
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "from 2 lines of metrics.jsonl. 7 lines were not readable and left out.");
    const page_curve c = page_find(page, "Loss", "curve", "loss");
    CHECK_EQ(c.points, 2);
    CHECK_NEAR(c.last, 0.25, 1e-3);
    CHECK_EQ(page_count(page, "<figure class=\"plot"), 1);
    world_end(&t);
}

TEST(a_configuration_that_is_none) {
    world t = world_begin();
    run_write(run_path(&t.f, "config.json"), "{\"title\": \"x\", \"<\": [1,");
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "The configuration is left out: config.json: ");
    CHECK(!strstr(page, "<table>"));
    run_write(run_path(&t.f, "config.json"), "");
    page = world_page(&t, NULL);
    CHECK_HAS(page, "The configuration is left out");
    run_write(run_path(&t.f, "config.json"), "[1, 2]");
    page = world_page(&t, NULL);
    CHECK_HAS(page, "The configuration is left out: config.json: expected an object");
    world_end(&t);
}

/* ---- what shares a plot ---- */

TEST(groups) {
    world t = world_begin();
    for (int i = 0; i < 5; i++) {
        world_line(&t, i, "train/loss", i + 1);
        world_line(&t, i, "valid/loss", i + 2);
        world_line(&t, i, "test/loss", i + 3);
        world_line(&t, i, "grad/fc1", i);
        world_line(&t, i, "grad/fc2", i);
        world_line(&t, i, "alone", i);
        world_line(&t, i, "/odd", i);
        world_line(&t, i, "odd/", i);
        world_line(&t, i, "a/b/c", i);
    }
    for (int k = 0; k < 20; k++) {
        char name[32];
        snprintf(name, sizeof name, "many/line_%d", k);
        world_line(&t, 1, name, k);
        world_line(&t, 2, name, k);
    }
    const char *page = world_page(&t, NULL);
    CHECK_EQ(page_find(page, "Loss", "curve", "train").points, 5);
    CHECK_EQ(page_find(page, "Loss", "curve", "valid").points, 5);
    CHECK_EQ(page_find(page, "Loss", "curve", "test").points, 5);
    CHECK_EQ(page_find(page, "Grad", "curve", "fc1").points, 5);
    CHECK_EQ(page_find(page, "Grad", "curve", "fc2").points, 5);
    CHECK_EQ(page_find(page, "Alone", "curve", "alone").points, 5);
    CHECK_EQ(page_find(page, "/odd", "curve", "/odd").points, 5);
    CHECK_EQ(page_find(page, "Odd/", "curve", "odd/").points, 5);
    CHECK_EQ(page_find(page, "A", "curve", "b/c").points, 5);
    CHECK_EQ(page_find(page, "Many", "curve", "line 11").points, 2);
    CHECK_EQ(page_count(page, "<h3>Many</h3>"), 2); /* twelve lines in one, the rest in another */
    CHECK_HAS(page, "<dt>Final loss</dt><dd>7<small>test</small>");

    /* No two lines of a plot look alike. */
    const char *many = strstr(page, "<h3>Many</h3>"), *stop = strstr(many, "</figure>");
    char look[40][16];
    int n = 0;
    for (const char *p = many; (p = strstr(p, "<path class=\"curve ")) && p < stop; p++) {
        snprintf(look[n], sizeof look[n], "%.5s", p + strlen("<path class=\"curve "));
        for (int k = 0; k < n; k++) CHECK(strcmp(look[k], look[n]) != 0);
        n++;
    }
    CHECK_EQ(n, 12);
    world_end(&t);
}

/* What is measured on the whole of a data set is shown as it is, however it jumps. */
TEST(evaluations_are_not_smoothed) {
    world t = world_begin();
    for (int i = 0; i < 100; i++) {
        const double v = 0.5 + (i % 2 ? 0.125 : 0);
        world_line(&t, i, "train/accuracy", v);
        world_line(&t, i, "test/accuracy", v);
    }
    const char *page = world_page(&t, NULL);
    CHECK_EQ(page_find(page, "Accuracy", "noise", "train").points, 100);
    CHECK_EQ(page_find(page, "Accuracy", "noise", "test").points, 0);
    CHECK_NEAR(page_find(page, "Accuracy", "curve", "test").last, 0.625, 1e-3);
    CHECK(page_find(page, "Accuracy", "curve", "train").last < 0.6);
    CHECK_HAS(page, "test <b>62.50\xc2\xa0%</b>");
    CHECK_HAS(page, "Faint: as logged; strong: smoothed.");
    world_end(&t);
}

/* On a logarithmic axis the smoothed curve lies amid the noise, also where it falls fast. */
TEST(smooth_curves_lie_in_their_noise) {
    world t = world_begin();
    for (int i = 0; i < 400; i++)
        world_line(&t, i, "train/loss", 10 * exp(-0.03 * i) * (i % 2 ? 1.5 : 0.7));
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "data-kind=\"log\"");
    const char *data = strstr(page, "data-y=\"");
    double low = 0, high = 0;
    if (CHECK(data)) sscanf(data, "data-y=\"%lf %lf\"", &low, &high);
    const char *path = strstr(page, "<path class=\"curve");
    path = path ? strstr(path, " d=\"M") : NULL;
    if (!CHECK(path)) return;
    double x = 0, y = 0, step_x, step_y;
    int n = 0, points = 0;
    CHECK_EQ(sscanf(path, " d=\"M%lf %lf%n", &x, &y, &n), 2);
    for (path += n;; path += n, x += step_x, y += step_y, points++) {
        const double value = pow(10, high - y / 1e4 * (high - low)),
                     is = 10 * exp(-0.03 * x * 399 / 1e4);
        if (!CHECK(value < 1.7 * is && value > 0.6 * is)) break;
        if (sscanf(path, "l%lf%lf%n", &step_x, &step_y, &n) != 2) break;
    }
    CHECK(points > 300);
    world_end(&t);
}

TEST(one_value_is_no_curve) {
    world t = world_begin();
    for (int i = 0; i < 5; i++) world_line(&t, i, "train/loss", 1.0 / (1 + i));
    world_line(&t, 5, "test/rmse", 0.25);
    world_line(&t, 5, "memory_bytes", 5e6);
    const char *page = world_page(&t, NULL);
    CHECK_EQ(page_count(page, "<figure class=\"plot"), 1);
    CHECK_HAS(page, "<p class=\"note\">Logged once: test/rmse <b>0.25</b>, memory bytes "
                    "<b>5.0\xc2\xa0MB</b>.</p>");
    CHECK_HAS(page, "<dt>RMSE</dt><dd>0.25<small>test</small>");
    world_end(&t);
}

TEST(long_figures_are_set_smaller) {
    world t = world_begin();
    world_line(&t, 5, "test/rmse", 0.0125);
    world_line(&t, 5, "test/mae", 0.000125678);
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "<dt>RMSE</dt><dd>0.0125<small>");
    CHECK_HAS(page, "<dt>MAE</dt><dd class=\"long\">0.0001257<small>");
    world_end(&t);
}

TEST(a_rising_test_loss_is_told) {
    static const double loss[][6] = {{1, 0.5, 0.4, 0.41, 0.42, 0.43},
                                     {1, 0.5, 0.4, 0.41, 0.45, 0.5}};
    for (int rises = 0; rises < 2; rises++)
        for (int part = 0; part < 2; part++) {
            CASE("%s %s", part ? "valid" : "train", rises ? "rises" : "falls");
            world t = world_begin();
            for (int i = 0; i < 6; i++)
                world_line(&t, 100 * i, part ? "valid/loss" : "train/loss", loss[rises][i]);
            const char *page = world_page(&t, NULL);
            CHECK_EQ(strstr(page, "The validation loss was lowest, 0.4, at step 200 and rose to "
                                  "0.5") != NULL,
                     rises && part);
            CHECK_EQ(strstr(page, "overfits") != NULL, rises && part);
            world_end(&t);
        }
}

TEST(settings_come_first) {
    world t = world_begin();
    world_line(&t, 1, "train/loss", 1);
    run_write(run_path(&t.f, "config.json"),
              "{\"command\": \"x\", \"settings\": {\"batch\": 64, \"optimiser\": \"<b>\"}}");
    const char *page = world_page(&t, NULL), *settings = strstr(page, "<h2>Settings</h2>");
    CHECK_HAS(page, "<th scope=\"row\">batch</th><td>64</td>");
    CHECK_HAS(page, "<th scope=\"row\">optimiser</th><td>&lt;b&gt;</td>");
    CHECK(!strstr(page, "settings.batch"));
    CHECK(settings && strstr(page, "<h2>Configuration</h2>") > settings);
    world_end(&t);
}

TEST(confusions) {
    static const int64_t three[] = {8, 2, 0, 1, 9, 0, 0, 0, 1234};
    static const char *const names[] = {"a&b", "c", "d"};
    world t = world_begin();
    world_line(&t, 1, "train/loss", 1);
    const char *page =
        world_page(&t, &(weft_report){.confusion = three, .class_count = 3, .classes = names});
    CHECK_HAS(page, "<h2>Confusion matrix</h2>");
    CHECK_HAS(page, "<tr><th></th><th>a&amp;b</th><th>c</th><th>d</th></tr>");
    CHECK_HAS(page,
              "<tr><th scope=\"row\">a&amp;b</th><td class=\"hit\"><i style=\"opacity:0.46\"></i>"
              "<b>8</b></td><td><i style=\"opacity:0.41\"></i><b>2</b></td><td></td></tr>");
    CHECK_HAS(page, "<b>1,234</b>");
    static int64_t many[30 * 30];
    for (int i = 0; i < 30; i++) many[31 * i] = 5;
    many[30 * 7 + 3] = 4, many[30 * 29] = 6, many[2] = 4;
    page = world_page(&t, &(weft_report){.confusion = many, .class_count = 30});
    CHECK_EQ(page_count(page, "<td class=\"n\">"), 3);
    CHECK_HAS(page, "<tr><th scope=\"row\">29</th><td>0</td><td class=\"n\">6</td></tr>\n"
                    "<tr><th scope=\"row\">0</th><td>2</td><td class=\"n\">4</td></tr>\n"
                    "<tr><th scope=\"row\">7</th><td>3</td><td class=\"n\">4</td></tr>");
    many[5] = -1;
    CHECK_EQ(weft_report_write(t.c, t.f.path, &(weft_report){.confusion = many, .class_count = 30}),
             WEFT_ARGUMENT);
    CHECK_HAS(weft_error(t.c), "has -1 at 5");
    CHECK_EQ(weft_report_write(t.c, t.f.path, &(weft_report){.confusion = many}), WEFT_ARGUMENT);
    world_end(&t);
}

TEST(a_locale_with_commas) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    world t = world_begin();
    for (int i = 0; i < 60; i++) world_line(&t, i, "train/loss", test_uniform(1e-5, 1));
    char *want = strdup(world_page(&t, NULL));
    const char *set = NULL;
    for (int i = 0; i < 4 && !set; i++) set = setlocale(LC_ALL, names[i]);
    if (set) CHECK_STR(world_page(&t, NULL), want);
    else test_skip("no such locale is installed");
    setlocale(LC_ALL, "C");
    free(want);
    world_end(&t);
}

TEST(more_metrics_than_fit) {
    world t = world_begin();
    for (int k = 0; k < 100; k++) {
        char name[160];
        snprintf(name, sizeof name, "%s%d",
                 k == 5 ? "a_name_of_more_than_a_hundred_and_twenty_"
                          "letters_which_is_more_than_any_reader_of_a_"
                          "plot_would_want_to_see_beside_a_line_of_it_"
                        : "m",
                 k);
        world_line(&t, 1, name, k);
        world_line(&t, 2, name, k);
    }
    const char *page = world_page(&t, NULL);
    CHECK_EQ(page_count(page, "<figure class=\"plot"), 64);
    CHECK_HAS(page, "Only the first 64 metrics are shown.");
    CHECK_HAS(page, "names of more than 119 bytes are left out.");
    world_end(&t);
}

TEST(a_long_name_alone) {
    world t = world_begin();
    char name[121];
    memset(name, 'x', 120);
    name[119] = 0;
    world_line(&t, 1, name, 1);
    CHECK(!strstr(world_page(&t, NULL), "left out"));
    world_end(&t);
    t = world_begin();
    name[119] = 'x', name[120] = 0;
    world_line(&t, 1, name, 1);
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "names of more than 119 bytes are left out.");
    CHECK(!strstr(page, "Only the first"));
    world_end(&t);
}

TEST(more_settings_than_fit) {
    char config[8000] = "{", *at = config + 1;
    for (int n = 299; n < 302; n += 2) {
        world t = world_begin();
        at = config + 1;
        for (int i = 0; i < n; i++) at += sprintf(at, "%s\"k%d\": 1", i ? ", " : "", i);
        strcpy(at, "}");
        run_write(run_path(&t.f, "config.json"), config);
        const char *page = world_page(&t, NULL);
        CHECK_EQ(strstr(page, "At most 300 settings are shown") != NULL, n > 300);
        world_end(&t);
    }
    static const char *const part[] = {"{\"", "\": \"", "\"}"}; /* a long name, a long value */
    for (int k = 0; k < 2; k++) {
        world t = world_begin();
        at = config + sprintf(config, "%s", part[0]);
        for (int i = 0; i < (k ? 1 : 200); i++) *at++ = 'k';
        at += sprintf(at, "%s", part[1]);
        for (int i = 0; i < (k ? 700 : 1); i++) *at++ = 'v';
        strcpy(at, part[2]);
        run_write(run_path(&t.f, "config.json"), config);
        CHECK_HAS(world_page(&t, NULL), "At most 300 settings are shown");
        world_end(&t);
    }
}

TEST(ticks_are_round) {
    static const struct {
        double low, high;
        int steps;
        const char *y, *x; /* all labels, from the lowest */
    } table[] = {
        {0, 0.93, 1000, "0|0.2|0.4|0.6|0.8|1.0", "0|200|400|600|800|1000"},
        {-3, 12, 12000,
         "\xe2\x88\x92"
         "5|0|5|10|15",
         "0|2k|4k|6k|8k|10k|12k"},
        {1234, 1790, 3, "1200|1400|1600|1800", "0|1|2|3"},
        {0.00002, 0.00009, 2500000,
         "2\xc2\xb7"
         "10\xe2\x81\xbb\xe2\x81\xb5|4\xc2\xb7"
         "10\xe2\x81\xbb\xe2\x81\xb5|6\xc2\xb7"
         "10\xe2\x81\xbb\xe2\x81\xb5|8\xc2\xb7"
         "10\xe2\x81\xbb\xe2\x81\xb5|10\xe2\x81\xbb\xe2\x81\xb4",
         "0|500k|1000k|1500k|2000k|2500k"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CASE("%g to %g in %d", table[i].low, table[i].high, table[i].steps);
        world t = world_begin();
        world_line(&t, 0, "v", table[i].low);
        world_line(&t, table[i].steps, "v", table[i].high);
        const char *page = world_page(&t, NULL);
        char got[2][400] = {"", ""};
        for (const char *p = page; (p = strstr(p, "<text class=\"")); p++) {
            const bool x = p[13] == 'x';
            const char *from = strchr(p, '>') + 1;
            if (strncmp(from, "step<", 5) == 0) continue;
            const size_t n = strlen(got[x]);
            snprintf(got[x] + n, sizeof got[x] - n, "%s%.*s", n ? "|" : "",
                     (int)(strchr(from, '<') - from), from);
        }
        CHECK_STR(got[0], table[i].y);
        CHECK_STR(got[1], table[i].x);
        world_end(&t);
    }
}

/* ---- long runs ---- */

TEST(a_long_run_stays_small) {
    world t = world_begin();
    const int n = test_sanitized() ? 30000 : 100000;
    const int high = n / 3, low = n / 2;
    for (int i = 0; i < n; i++) {
        double v = exp(-2.0 * i / n) + 0.05 * test_uniform(-1, 1);
        if (i == high) v = 20;
        if (i == low) v = 0.001;
        fprintf(t.lines,
                "{\"step\": %d, \"wall\": 1700000000.5, \"time\": %d, \"train/loss\": %.9g, "
                "\"train/rate\": %.9g, \"speed/steps_per_s\": %.9g}\n",
                i * 50, i, v, 1e-3 * i / n, test_uniform(90, 110));
    }
    const clock_t start = clock();
    const char *page = world_page(&t, NULL);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(seconds < (test_sanitized() ? 60 : 10));
    CHECK(strlen(page) < 200000);
    const page_curve raw = page_find(page, "Loss", "noise", "train"),
                     smooth = page_find(page, "Loss", "curve", "train"),
                     rate = page_find(page, "Learning rate", "curve", "train");
    CHECK(raw.points > 400 && raw.points <= 800);
    CHECK(smooth.points > 200 && smooth.points <= 400);
    CHECK(rate.points <= 800);
    CHECK_NEAR(raw.high, 20, 0.1); /* one value in a hundred thousand */
    CHECK_NEAR(raw.low, 0.001, 0.0001);
    CHECK(smooth.high < 2 && smooth.low > 0.05);
    CHECK_NEAR(smooth.last, exp(-2), 0.05);
    CHECK_NEAR(rate.last, 1e-3, 2e-6);
    CHECK_NEAR(rate.x1, (n - 1) * 50, n * 50 * 1e-4);
    CHECK_HAS(page, "<dt>Rate</dt><dd>50<small>");
    world_end(&t);
}

/* ---- when it cannot be ---- */

TEST(errors) {
    world t = world_begin();
    char path[300];
    snprintf(path, sizeof path, "%s/absent", t.f.path);
    CHECK_EQ(weft_report_write(t.c, path, NULL), WEFT_FILE);
    CHECK_HAS(weft_error(t.c), "absent/report.html");
    CHECK_EQ(weft_report_write(t.c, "", NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_report_write(t.c, NULL, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_report_write(NULL, t.f.path, NULL), WEFT_ARGUMENT);

    CHECK_EQ(weft_report_write(t.c, t.f.path, NULL), WEFT_OK);
    char *before = run_read(run_path(&t.f, "report.html"), NULL);
    struct rlimit whole, little;
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &whole), 0);
    little = whole;
    little.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
    CHECK_EQ(weft_report_write(t.c, t.f.path, &(weft_report){.title = "new"}), WEFT_FILE);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &whole), 0);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_HAS(weft_error(t.c), "report.html");
    char *after = run_read(run_path(&t.f, "report.html"), NULL);
    CHECK_STR(after, before);
    CHECK_EQ(run_files(t.f.path, "report", 0, NULL), 1);
    free(before);
    free(after);

    unlink(run_path(&t.f, "metrics.jsonl"));
    CHECK_EQ(mkdir(run_path(&t.f, "metrics.jsonl"), 0777), 0);
    CHECK_EQ(weft_report_write(t.c, t.f.path, NULL), WEFT_FILE);
    CHECK_HAS(weft_error(t.c), "metrics.jsonl");
    world_end(&t);
}

TEST(every_allocation_may_fail) {
    world t = world_begin();
    static float pixels[28 * 28];
    const weft_picture p = {.pixels = pixels, .height = 28, .width = 28, .channels = 1};
    run_write(run_path(&t.f, "config.json"), "{\"a\": 1, \"b\": {\"c\": 2}}");
    run_write(run_path(&t.f, "status.json"), "{\"batch\": 64}");
    run_write(run_path(&t.f, "kernels.json"), "{\"kernels\": [{\"name\": \"k\"}]}");
    for (int i = 0; i < 100; i++)
        world_line(&t, i, i % 3 ? "train/loss" : "test/loss", test_uniform(0, 1));
    const weft_figure plate = {"A plate", "with words", "<svg/>", 6};
    const weft_report r = {
        .pictures = &p, .picture_count = 1, .figures = &plate, .figure_count = 1};
    char *want = strdup(world_page(&t, &r));
    long all = 1;
    const long stride = test_sanitized() && !test_long() ? 7 : 1;
    for (int for_ever = 0; for_ever < 2; for_ever++)
        for (long at = 0; at <= all; at += at ? stride : 1) {
            heap h = {.fail_at = at, .for_ever = for_ever};
            unlink(run_path(&t.f, "report.html"));
            weft_ctx *c = weft_open_with(
                &(weft_open_desc){.device = "null", .resize = heap_resize, .user = &h});
            const weft_err e = c ? weft_report_write(c, t.f.path, &r) : WEFT_MEMORY;
            if (!at) {
                CHECK_EQ(e, WEFT_OK);
                all = h.made;
                CHECK(all > 20);
            }
            CHECK(e == WEFT_OK || (e == WEFT_MEMORY && h.failed));
            if (e) CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
            char *got = run_read(run_path(&t.f, "report.html"), NULL);
            if (e == WEFT_OK) CHECK(got && strcmp(got, want) == 0);
            free(got);
            CHECK_EQ(run_files(t.f.path, "report.html.", 0, NULL), 0);
            weft_close(c);
            CHECK_EQ(h.live, 0);
        }
    free(want);
    world_end(&t);
}
