/* fuzz_csv.c - tables. The first two bytes choose the description; a table that is read is read
 * once more "like" itself, which must give the same rows or say why not. */
#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n < 2) return 0;
    fuzz_world *w = fuzz_begin();
    const weft_bytes file = {"f.csv", bytes + 2, n - 2};
    weft_csv_desc d = {
        .separator = bytes[0] & 8 ? ';' : 0,
        .header = bytes[0] % 3 - 1,
        .label = bytes[0] & 16   ? "1"
                 : bytes[0] & 32 ? "y"
                                 : NULL,
        .no_label = bytes[0] & 64,
        .skip = bytes[0] & 128 ? "2" : NULL,
        .missing = (weft_missing)(bytes[1] % 3),
        .task = (weft_task)(bytes[1] / 3 % 3),
        .max_words = bytes[1] & 64 ? 4 : 0,
    };
    weft_data *set = weft_data_parse_csv(w->ctx, file, &d);
    if (set) {
        d.like = set;
        weft_data *again = weft_data_parse_csv(w->ctx, file, &d);
        if (again) {
            const weft_field a = weft_data_field(set, 0), b = weft_data_field(again, 0);
            const size_t size = (size_t)weft_data_rows(set) * a.row_bytes;
            fuzz_must(weft_data_rows(set) == weft_data_rows(again), "other rows when read again");
            fuzz_must(memcmp(a.rows, b.rows, size) == 0, "other values when read again");
        }
        weft_data_free(again);
    }
    fuzz_end(w, set, n - 2);
    return 0;
}
