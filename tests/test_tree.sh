#!/bin/sh
# test_tree.sh - the parts of the tree know of each other what docs/internals.md says they do.
. tests/shell.sh

# only FOLDER EXPRESSION: whatever sources of the folder include from others of src/ matches
only() {
    ! grep -Hno '^#include "[^"]*/[^"]*"' src/"$1"/*.[ch] | grep -vE "\"($2|$1)/" | grep .
}
check "core knows nothing of plans and devices" only core 'weft|base|kern'
check "plans know what a device must do, and no device" only plan 'weft|base|core|kern|backend'
check "of devices, backend.h alone" sh -c "! grep -n 'include \"backend/' src/plan/*.[ch] | grep -v 'backend/backend.h'"
for folder in nn optim data io special stream bench profile train rl logic; do
    check "$folder is written on public headers" only $folder 'weft|base'
done
finish
