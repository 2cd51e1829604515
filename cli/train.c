/* train.c - weft train: the options that all its tasks share. The tasks are under apps/. */
#include "run.h"

#include <stddef.h>

/* clang-format off */
#define ROW(member_, name_, kind_, value_, low_, role_, help_)                                     \
    { .name = name_, .kind = kind_, .value = value_, .low = low_, .role = role_, .help = help_,    \
      .offset = offsetof(run_settings, member_) }
static const option train_options[] = {
    ROW(run, "run", OPTION_FOLDER, "FOLDER", 0, OPTION_MANNER,
        "folder of the run (runs/NAME, or NAME-2, ... if it exists)"),
    ROW(resume, "resume", OPTION_FLAG, NULL, 0, OPTION_MANNER,
        "continue the run, with its options unless given again"),
    ROW(overwrite, "overwrite", OPTION_FLAG, NULL, 0, OPTION_MANNER,
        "start over if the folder has a run already"),
    ROW(steps, "steps", OPTION_LONG, "N", 1, OPTION_MANNER,
        "stop after N steps in total; does not change the schedule"),
    ROW(seconds, "seconds", OPTION_POSITIVE, "N", 0, OPTION_MANNER,
        "stop after N seconds of training"),
    ROW(outliers, "outliers", OPTION_FLAG, NULL, 0, OPTION_RECALLED,
        "mark steps with an unusually high loss in metrics and report"),
    ROW(profile, "profile", OPTION_FILE, "FILE", 0, OPTION_MANNER,
        "write a trace of the kernels, for ui.perfetto.dev"),
    ROW(profile_summary, "profile-summary", OPTION_FLAG, NULL, 0, OPTION_MANNER,
        "print a table of the most expensive kernels at the end"),
    ROW_SEED(run_settings),
    ROW_THREADS(run_settings),
    ROW_DEVICE(run_settings),
    ROW_JSON(run_settings),
    ROW_QUIET(run_settings),
    ROW_COLOR(run_settings),
};
#undef ROW
/* clang-format on */

static const command_note train_files[] = {
    {"RUN/config.json", "the options of the run; read by --resume"},
    {"RUN/metrics.jsonl", "metrics, one JSON object per line"},
    {"RUN/events.out.tfevents.*", "the same for TensorBoard"},
    {"RUN/kernels.json", "profile of a training step, by kernel"},
    {"RUN/checkpoints/latest.safetensors", "checkpoint: all that --resume needs"},
    {"RUN/checkpoints/latest.previous.safetensors", "the checkpoint before it"},
    {"RUN/report.html", "report with curves and samples, in one file"},
    {"RUN/circuit.*", "of automata: the gates as JSON, C, Verilog, BLIF and SVG"},
    {"RUN/automaton.gif", "of automata: an animation"},
    {NULL, NULL},
};

const command train_command = {
    .name = "train",
    .summary = "train a network: checkpoint, metrics, report",
    .about =
        "Trains, shows progress on stderr, and writes a folder with config.json, metrics.jsonl,\n"
        "TensorBoard events, checkpoints and report.html. Ctrl-C writes a checkpoint and\n"
        "stops; --resume continues from it, and gives the same bits as a run that was never\n"
        "stopped, on any number of threads.\n",
    .examples = "weft train digits --model cnn\n"
                "weft train digits --run runs/mine --steps 2000\n"
                "weft train digits --run runs/mine --steps 4000 --resume\n"
                "weft train csv flowers.csv --label flower\n"
                "weft train cube --seconds 60\n"
                "weft train 2048 --seconds 600\n"
                "weft train life\n",
    .files = train_files,
    COMMAND_OPTIONS(train_options),
    .settings_size = sizeof(run_settings),
    .tasks = train_tasks,
};
