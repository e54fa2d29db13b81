// What of a lesson's text a real GPU shows, too. Its programs print the same; of findings it has those of the host and
// of calls, in words that know less, since the device tells only an error's number.
#pragma once

#include <string>

#include "repl/lesson/recorder.h"

namespace cudash::lesson {

/// As differences_of, for what a real GPU gave. Printed lines and values must agree, where the virtual GPU's addresses
/// and the numbers of cells stand for any. Of findings the codes are compared: errors of calls ("cuda-...") must be the
/// same, and none may appear that the text does not have.
std::string differences_on_gpu(const grade::Lines& expected, const Given& given);

}  // namespace cudash::lesson
