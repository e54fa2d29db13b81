// What every text must survive, whoever made it: a fuzzer, or the mutator of the short run.
#pragma once

#include <string_view>

namespace cudash::fuzz {

/// How far a text came.
enum class Stage { refused, parsed, loaded, decoded, ran };

/// Parses `ptx`; prints it and parses the print, which must print the same; loads it; decodes every kernel, and runs
/// those that can run with one block of 40 threads and strict limits. Aborts where the print differs; anything else
/// that must not happen is the sanitizers' to find.
Stage survive(std::string_view ptx);

}  // namespace cudash::fuzz
