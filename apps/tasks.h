/* tasks.h - the tasks that the applications bring to weft train and weft play. */
#ifndef WEFT_APPS_TASKS_H
#define WEFT_APPS_TASKS_H

#include "cli/command.h"

extern const command train_digits_task, train_csv_task, train_cube_task, train_2048_task,
    train_life_task, train_checkerboard_task, train_lizard_task, train_g_task;
extern const command play_cube_task, play_2048_task, play_life_task, play_checkerboard_task,
    play_lizard_task, play_g_task;

#endif
