/* tasks.h - the tasks that the applications bring to weft train and weft play. */
#ifndef WEFT_APPS_TASKS_H
#define WEFT_APPS_TASKS_H

#include "cli/command.h"

extern const command train_digits_task, train_csv_task, train_cube_task, train_2048_task,
    train_life_task, train_checkerboard_task, train_lizard_task, train_g_task, train_text_task;
extern const command play_cube_task, play_2048_task, play_life_task, play_checkerboard_task,
    play_lizard_task, play_g_task;

/* Language models: is there one, a run of weft train text or a published folder? Its evaluation on
 * c's second word or the text of the run, and its files for other programs; exit codes. */
bool text_is_model(const call *c, const char *path);
int text_eval(const call *c, int threads, bool as_json);
int text_export(const call *c, const char *folder, weft_dtype type, bool adapters, bool as_json);

#endif
