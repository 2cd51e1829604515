/* export.c - weft export: a trained model as one C99 file with its weights inside. */
#include "study_tasks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct export_settings {
    bool c, model, adapters, json;
    const char *output, *name;
    int type;
} export_settings;

/* clang-format off */
#define EXPORT_TYPES "f32|bf16|f16"
/* clang-format on */
static const weft_dtype export_types[] = {WEFT_F32, WEFT_BF16, WEFT_F16};

static bool export_is_name(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return strspn(name, letters) == strlen(name) && !(name[0] >= '0' && name[0] <= '9');
}

static weft_err export_write(study *t, const export_settings *s, size_t *bytes) {
    weft_plan *p = weft_compile(t->eval_graph,
                                &(weft_plan_desc){.fetch = weft_list(t->scores), .portable = true});
    char *text = p ? weft_plan_emit_c(p, s->name ? s->name : "model") : NULL;
    weft_plan_free(p);
    if (!text) return weft_error_code(t->run.ctx);
    *bytes = strlen(text);
    weft_err e = WEFT_OK;
    if (s->output && strcmp(s->output, "-") != 0)
        e = weft_file_write(t->run.ctx, s->output, text, *bytes);
    else fwrite(text, 1, *bytes, stdout);
    weft_text_free(t->run.ctx, text);
    return e;
}

static int export_main(const call *c) {
    const export_settings *s = c->settings;
    study t;
    void *settings = NULL;
    const study_task *task = NULL;
    if (s->model || s->adapters)
        return text_export(c, s->output, export_types[s->type], s->adapters, s->json);
    if (!s->c || (s->name && !export_is_name(s->name))) {
        tell(stderr,
             s->c ? "weft %s: --name must be a C identifier\n"
                  : "weft %s: choose an output format: --c, --model or --adapters\n",
             c->name);
        return EXIT_USAGE;
    }
    size_t bytes = 0;
    weft_err e = study_reopen(&t, c, c->words[0], 1, &task, &settings);
    if (!e) e = study_evaluate_prepare(&t, 1);
    if (!e) e = study_weights(&t);
    if (!e) e = export_write(&t, s, &bytes);
    int status = e ? command_failed(c, t.run.ctx) : EXIT_GOOD;
    if (!e && s->output && s->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", RUN_SCHEMA);
        json_text(&j, "file", s->output);
        json_integer(&j, "bytes", (int64_t)bytes);
        json_integer(&j, "inputs", t.model.net.rows * t.model.net.columns);
        json_integer(&j, "outputs", t.model.net.outputs);
        json_end(&j);
    }
    study_close(&t);
    free(settings);
    return status;
}

static const option export_options[] = {
    {.name = "c",
     .kind = OPTION_FLAG,
     .help = "one C99 file that needs only libm",
     .offset = offsetof(export_settings, c)},
    {.name = "model",
     .kind = OPTION_FLAG,
     .help = "a language model as it is published: config.json, tokenizer.json, model.safetensors",
     .offset = offsetof(export_settings, model)},
    {.name = "adapters",
     .kind = OPTION_FLAG,
     .help = "the adapters of one in PEFT's files; without this they are merged",
     .offset = offsetof(export_settings, adapters)},
    {.name = "type",
     .kind = OPTION_CHOICE,
     .value = EXPORT_TYPES,
     .help = "of its weights (f32)",
     .offset = offsetof(export_settings, type)},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_FILE,
     .value = "FILE",
     .help = "file or folder to write (stdout)",
     .offset = offsetof(export_settings, output)},
    {.name = "name",
     .kind = OPTION_TEXT,
     .value = "NAME",
     .help = "prefix of its functions: NAME_run (model)",
     .offset = offsetof(export_settings, name)},
    ROW_JSON(export_settings),
};

const command export_command = {
    .name = "export",
    .summary = "export a trained model as C source",
    .operands = "RUN",
    .about = "RUN is the folder of a run, or one of its checkpoints. The C file has the weights\n"
             "and a function that runs the network on one row. Compiled with -DWEFT_MAIN it is a\n"
             "filter like weft eval RUN --raw: raw f32 rows from stdin, outputs to stdout.\n"
             "A language model becomes a folder that other programs read.\n",
    .examples = "weft export --c runs/digits-mlp -o digits.c\n"
                "cc -std=c99 -O2 -DWEFT_MAIN digits.c -lm -o digits\n"
                "weft export --model runs/text-nano -o nano\n",
    COMMAND_OPTIONS(export_options),
    .settings_size = sizeof(export_settings),
    .run = export_main,
};
