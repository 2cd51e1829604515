/* play.c - weft play: the options that all its tasks share. The tasks are under apps/. */
#include "play.h"

#include <stddef.h>

/* clang-format off */
static const option play_options[] = {
    ROW_SEED(play_settings),
    { .name = "delay", .kind = OPTION_NUMBER, .value = "SECONDS", .low = 0, .high = 60,
      .help = "between moves, on a terminal (0.3; 2048: 0.1; automata: 0.05)",
      .offset = offsetof(play_settings, delay) },
    ROW_THREADS(play_settings),
    ROW_JSON(play_settings),
    ROW_COLOR(play_settings),
};
/* clang-format on */

const command play_command = {
    .name = "play",
    .summary = "watch a trained network play",
    .about = "Plays with the network of a run and shows every move.\n",
    .examples = "weft play cube\n"
                "weft play cube runs/cube --scramble \"R U' F2\"\n"
                "weft play 2048\n"
                "weft play life --pattern gun\n",
    COMMAND_OPTIONS(play_options),
    .settings_size = sizeof(play_settings),
    .tasks = play_tasks,
};
