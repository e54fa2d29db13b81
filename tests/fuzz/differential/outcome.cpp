#include "tests/fuzz/differential/outcome.h"

#include <fmt/format.h>

#include "tests/fuzz/differential/record_hash.h"

namespace cudash::fuzz {

std::string hash_of(const Words& words) {
    RecordHash hash;
    hash.add(std::string_view(reinterpret_cast<const char*>(words.data()), words.size() * 8));
    return hash.text().substr(0, 16);
}

std::string describe(const Diagnostic& diagnostic) {
    std::string text = diagnostic.message;
    for (const Diagnostic::Note& note : diagnostic.notes) text += fmt::format("; {}", note.message);
    return text;
}

}  // namespace cudash::fuzz
