/* test_report_kernels.c - the part of the report that tells costs: memory and rate as curves and
 * figures, kernels as a table with bars. */
#include "report_world.h" /* first: it says which functions of the system are wanted */

static void rows(world *t) {
    for (int i = 1; i <= 60; i++) {
        world_line(t, 10 * i, "train/loss", 1.0 / i);
        world_line(t, 10 * i, "speed/steps_per_s", 100 + i);
        world_line(t, 10 * i, "memory_bytes", i < 30 ? 80e6 : 84.7e6);
    }
}

TEST(rate_and_memory) {
    world t = world_begin();
    rows(&t);
    run_write(run_path(&t.f, "status.json"), "{\"state\": \"finished\", \"batch\": 64}");
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "<h3>Memory</h3>");
    const page_curve memory = page_find(page, "Memory", "curve", "memory bytes");
    CHECK_EQ(memory.points, 60);
    CHECK_NEAR(memory.first, 80e6, 1e5);
    CHECK_NEAR(memory.last, 84.7e6, 1e5);
    CHECK_HAS(page, "data-kind=\"bytes\"");
    CHECK_HAS(page, "<b>84.7\xc2\xa0MB</b>");
    CHECK_HAS(page, ">80\xc2\xa0MB</text>"); /* the axis, */
    CHECK_HAS(page, ">0\xc2\xa0MB</text>");  /* which begins at 0 */
    CHECK_HAS(page, "<dt>Memory</dt><dd>84.7\xc2\xa0MB<small>at most</small>");
    CHECK_HAS(page, "<small>steps, 6,400 examples a second</small>");
    CHECK_EQ(page_find(page, "Speed", "curve", "steps per s").points, 60);
    CHECK(!strstr(page, "<h2>Kernels</h2>"));
    world_end(&t);
}

static const char profile[] =
    "{\"schema\": 1, \"plan\": \"train\", \"threads\": 2, \"runs\": 1200, \"step_us\": 2317.2, "
    "\"wait\": 0.25, \"arena_bytes\": 5100000, \"kernels\": ["
    "{\"name\": \"matmul\", \"scope\": \"head/fc1\", \"shape\": \"[64] -> [8]\", \"us\": 1158.6, "
    "\"share\": 0.5, \"gflops\": 38.25, \"gbs\": 4.1, \"of_roof\": 0.62}, "
    "{\"name\": \"<b>&\", \"scope\": \"\", \"us\": 12.345, \"share\": 0.125}, {}], "
    "\"scopes\": [{\"scope\": \"head\", \"us\": 1158.6, \"share\": 0.5}], \"arena\": "
    "{\"peak_bytes\": 5000000, \"at_step\": 1, \"tensors\": [{\"name\": \"h\", \"bytes\": "
    "2500000}], "
    "\"live\": [0, 5000000, 2500000]}}";

TEST(kernels_in_the_report) {
    world t = world_begin();
    rows(&t);
    run_write(run_path(&t.f, "kernels.json"), profile);
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "<h2>Kernels</h2>");
    CHECK_HAS(page, "A step takes <b>2.32\xc2\xa0ms</b> on 2 threads, which wait for each other "
                    "25\xc2\xa0% of the time; measured over 1,200 runs. Its intermediates take "
                    "5.1\xc2\xa0MB. Times of kernels are those of all threads together.</p>");
    /* A bar is as long as its share of the largest. */
    CHECK_HAS(page,
              "<th scope=\"row\">matmul<small>[64] \xe2\x86\x92 [8]</small></th><td class=\"soft\">"
              "head/fc1</td><td class=\"bar\"><i style=\"width:100.0%\"></i></td><td class=\"n\">"
              "50.0\xc2\xa0%</td><td class=\"n\">1.16\xc2\xa0ms</td><td class=\"n\">38.2</td>"
              "<td class=\"n\">4.1</td><td class=\"n\">62\xc2\xa0%</td>");
    CHECK_HAS(page, "<th scope=\"row\">&lt;b&gt;&amp;<small>");
    CHECK_HAS(page, "<i style=\"width:25.0%\"></i></td><td class=\"n\">12.5\xc2\xa0%</td>"
                    "<td class=\"n\">12.3\xc2\xa0\xc2\xb5s</td><td class=\"n\"></td>");
    CHECK_HAS(page, "<h3>By scope</h3>");
    CHECK_HAS(page, "<h3>The arena at its fullest: 5.0\xc2\xa0MB of 5.1\xc2\xa0MB</h3>");
    CHECK_HAS(page,
              "viewBox=\"0 0 3 1000\" preserveAspectRatio=\"none\"><path d=\"M0 1000V1000H1V0H2"
              "V500H3V1000z\"/>");
    CHECK_HAS(page, "<td class=\"n\">2.5\xc2\xa0MB</td>");
    CHECK(!strstr(page, "<details>"));
    /* shares add up: 50 + 12.5 + 25 of waiting, and what is missing */
    CHECK_HAS(page,
              "<th scope=\"row\">waiting for other threads</th><td class=\"soft\"></td><td "
              "class=\"bar\"><i style=\"width:50.0%\"></i></td><td class=\"n\">25.0\xc2\xa0%</td>"
              "<td class=\"n\">1.16\xc2\xa0ms</td>");
    CHECK_HAS(page,
              "<th scope=\"row\">everything else</th><td class=\"soft\"></td><td class=\"bar\">"
              "<i style=\"width:25.0%\"></i></td><td class=\"n\">12.5\xc2\xa0%</td>");
    world_end(&t);
}

TEST(equal_kernels_are_one_row) {
    world t = world_begin();
    rows(&t);
    FILE *const f = fopen(run_path(&t.f, "kernels.json"), "w");
    if (!CHECK(f)) return;
    fputs("{\"step_us\": 1000, \"threads\": 1, \"kernels\": [", f);
    for (int i = 0; i < 12; i++)
        fprintf(f,
                "{\"name\": \"matmul\", \"scope\": \"block%d/fc1\", \"shape\": \"[8] -> [8]\", "
                "\"calls\": 1, \"us\": %d, \"share\": 0.05, \"gflops\": %d}, ",
                i, i < 6 ? 10 : 30, i < 6 ? 8 : 4);
    fputs("{\"name\": \"matmul\", \"scope\": \"block/fc1\", \"shape\": \"[8] -> [8]\", \"share\": "
          "0.2}, {\"name\": \"matmul\", \"scope\": \"block1/fc1\", \"shape\": \"[9] -> [8]\", "
          "\"share\": 0.2}]}",
          f);
    fclose(f);
    const char *page = world_page(&t, NULL);
    CHECK_EQ(page_count(page, "<th scope=\"row\">matmul"), 3);
    CHECK_HAS(page,
              "<th scope=\"row\">matmul \xc3\x97 12<small>[8] \xe2\x86\x92 [8]</small></th><td "
              "class=\"soft\">block*/fc1</td>");
    /* 240 us, 60 %; 5 GFLOP/s is the mean by time */
    CHECK_HAS(page, "<td class=\"n\">60.0\xc2\xa0%</td><td class=\"n\">240.0\xc2\xa0\xc2\xb5s</td>"
                    "<td class=\"n\">5.0</td>");
    CHECK(!strstr(page, "waiting for"));
    CHECK(!strstr(page, "everything else"));
    world_end(&t);
}

TEST(many_kernels_unfold) {
    world t = world_begin();
    rows(&t);
    FILE *const f = fopen(run_path(&t.f, "kernels.json"), "w");
    if (!CHECK(f)) return;
    fputs("{\"kernels\": [", f);
    for (int i = 0; i < 40; i++)
        fprintf(f, "%s{\"name\": \"k%d\", \"share\": 0.0%d}", i ? ", " : "", i, 50 - i);
    fputs("]}", f);
    fclose(f);
    const char *page = world_page(&t, NULL);
    CHECK_HAS(page, "<details><summary>24 more</summary>");
    CHECK_EQ(page_count(page, "<th scope=\"row\">k"), 40);
    CHECK(!strstr(page, "A step takes"));
    world_end(&t);
}

TEST(kernels_that_cannot_be_read) {
    world t = world_begin();
    rows(&t);
    static const char *const bad[] = {"", "{\"kernels\": [", "5", "{\"schema\": 9}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("\"%s\"", bad[i]);
        run_write(run_path(&t.f, "kernels.json"), bad[i]);
        const char *page = world_page(&t, NULL);
        CHECK(!strstr(page, "<h2>Kernels</h2>"));
        CHECK_HAS(page, " The kernels are left out: kernels.json: ");
        CHECK_HAS(page, "from 180 lines");
    }
    CASE("numbers out of all bounds");
    run_write(
        run_path(&t.f, "kernels.json"),
        "{\"step_us\": 1e300, \"threads\": 1e18, \"wait\": 1e99, \"kernels\": [{\"us\": 1e308, "
        "\"share\": -5, \"gflops\": 1e308, \"of_roof\": 1e308}, {\"share\": 1e308}], \"arena\": "
        "{\"peak_bytes\": 9e15, \"tensors\": [{\"bytes\": -1}], \"live\": [-1, \"x\", 1e308]}}");
    CHECK_HAS(world_page(&t, NULL), "<h2>Kernels</h2>");
    world_end(&t);
}
