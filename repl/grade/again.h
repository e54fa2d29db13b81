// `cudash grade again FOLDER`: a class is graded with the assignment as it is now, beside the marks that it has, and
// nothing changes before somebody has seen whose marks would.
#pragma once

#include "repl/grade/class_setup.h"

namespace cudash::grade {

/// Grades into FOLDER/again, and shows whose marks change, and why. With `accepts`, the new ones become the class's.
/// The exit code: 0: nothing changes, or the changes are made; 1: some would change.
int grade_again(ClassSetup& setup, bool accepts, const view::Display& display);

}  // namespace cudash::grade
