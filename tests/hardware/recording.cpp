#include "tests/hardware/recording.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>

#include <span>

#include "runtime_wrappers/virtual_gpu/isa/semantics.h"
#include "tests/hardware/operand_values.h"

namespace cudash::oracle {
namespace {

using State = CaseOutcome::State;

/// FNV-1a over the bytes, folded to 24 bits.
std::uint32_t hash_of(std::span<const std::uint64_t> words) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (std::uint64_t word : words)
        for (unsigned byte = 0; byte < 8; ++byte) hash = (hash ^ (word >> 8 * byte & 0xFF)) * 0x100000001B3u;
    return static_cast<std::uint32_t>(hash ^ hash >> 24 ^ hash >> 48) & 0xFFFFFF;
}

std::span<const std::uint64_t> chunk_of(const std::vector<std::uint64_t>& words, std::size_t chunk) {
    const std::size_t begin = chunk * words_in_a_chunk;
    return std::span(words).subspan(begin, std::min(words_in_a_chunk, words.size() - begin));
}

/// A result of an approximate instruction as a number; a pair of halves has two.
struct Reading {
    std::uint64_t bits;
    double value;
    double ulp;  ///< distance to the next number of the format at this magnitude
};
Reading reading_of(std::uint64_t bits, double value, int mantissa_bits, int least_exponent) {
    const int exponent =
        value == 0 || !std::isfinite(value) ? least_exponent : std::max(std::ilogb(value), least_exponent);
    return {bits, value, std::ldexp(1.0, exponent - mantissa_bits)};
}
std::vector<Reading> readings_of(const std::string& kind, std::uint64_t bits) {
    using namespace virtual_gpu::semantics;
    if (kind == "f64") return {reading_of(bits, std::bit_cast<double>(bits), 52, -1022)};
    if (kind == "f32") return {reading_of(bits, std::bit_cast<float>(static_cast<std::uint32_t>(bits)), 23, -126)};
    const bool brain = kind.starts_with("bf16");
    std::vector<Reading> all;
    for (unsigned half = 0; half < (kind.ends_with("x2") ? 2u : 1u); ++half) {
        const auto part = static_cast<std::uint32_t>(bits >> 16 * half) & 0xFFFF;
        all.push_back(brain ? reading_of(part, widen<format_bf16>(part), 7, -126)
                            : reading_of(part, widen<format_f16>(part), 10, -14));
    }
    return all;
}

/// Whether `ours` is as near to what hardware gave as the case demands. NaNs, infinities and zeros must be the same.
bool near(const InstructionCase& test, const std::string& kind, std::uint64_t hardware, std::uint64_t ours) {
    const auto theirs = readings_of(kind, hardware), mine = readings_of(kind, ours);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        const Reading &a = theirs[i], &b = mine[i];
        if (a.bits == b.bits) continue;
        const double distance = std::fabs(a.value - b.value);
        const Tolerance& tolerance = *test.tolerance;
        const bool is_near = distance <= tolerance.ulps * a.ulp || distance <= tolerance.absolute ||
                             distance <= tolerance.relative * std::fabs(a.value);
        // The distance is NaN or infinite unless both are finite.
        if (distance == 0 || !std::isfinite(distance) || !is_near) return false;
    }
    return true;
}

const std::string& kind_of_word(const InstructionCase& test, std::size_t word) {
    return test.results[word % test.results.size()].name;
}
unsigned digits_of(const InstructionCase& test, std::size_t word) {
    if (word >= test.threads() * test.results.size()) return 16;
    const unsigned bytes = test.results[word % test.results.size()].bytes;
    return bytes == 0 ? 1 : std::min(bytes, 8u) * 2;
}

std::string spelled(const InstructionCase& test, std::size_t word, std::uint64_t bits) {
    return fmt::format("{:0{}x}", bits, digits_of(test, word));
}

/// "element 17 (7f800001 00000000)" or "scratch word 3".
std::string place_of(const InstructionCase& test, const std::vector<std::uint64_t>& inputs, std::size_t word) {
    const std::size_t rows = test.threads() * test.results.size();
    if (word >= rows) return fmt::format("scratch word {}", word - rows);
    const std::size_t element = word / test.results.size(), columns = test.source_columns();
    std::string text = fmt::format("element {}", element);
    if (test.results.size() > 1) text += fmt::format(" result {}", word % test.results.size());
    std::size_t column = 0;
    text += ", inputs";
    for (const OperandKind& source : test.sources) {
        if (!source.literal.empty()) {
            text += " " + source.literal;
            continue;
        }
        const unsigned digits = source.bytes == 0 ? 1 : std::min(source.bytes, 8u) * 2;
        text += fmt::format(" {:0{}x}", inputs[element * columns + column], digits);
        column += source.bytes == 16 ? 2 : 1;
    }
    return text;
}

std::string state_name(const CaseOutcome& outcome) {
    return outcome.state == State::ran       ? "it ran"
           : outcome.state == State::refused ? "refused: " + outcome.reason
                                             : "failed: " + outcome.reason;
}

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    for (std::size_t at = 0;;) {
        const std::size_t end = line.find(" | ", at);
        fields.push_back(line.substr(at, end - at));
        if (end == std::string::npos) return fields;
        at = end + 3;
    }
}
std::uint64_t hexadecimal(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
}
std::vector<std::string> words_in(const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

}  // namespace

RecordedCase recorded(const InstructionCase& test, const CaseOutcome& outcome) {
    RecordedCase made;
    made.state = outcome.state;
    made.reason = outcome.reason;
    made.words = outcome.results.size();
    if (outcome.state != State::ran) return made;
    if (test.tolerance) {
        made.values = outcome.results;
    } else {
        for (std::size_t chunk = 0; chunk * words_in_a_chunk < made.words; ++chunk)
            made.hashes.push_back(hash_of(chunk_of(outcome.results, chunk)));
    }
    return made;
}

std::string line_of(const InstructionCase& test, const RecordedCase& recorded) {
    if (recorded.state != State::ran)
        return fmt::format("{} | {} | {}\n", test.name, recorded.state == State::refused ? "refused" : "failed",
                           recorded.reason);
    std::string line = fmt::format("{} | {} |", test.name, recorded.words);
    for (std::uint32_t hash : recorded.hashes) line += fmt::format(" {:06x}", hash);
    if (test.tolerance) line += " values";
    for (std::size_t i = 0; i < recorded.values.size(); ++i) line += " " + spelled(test, i, recorded.values[i]);
    return line + "\n";
}

std::string known_line(const InstructionCase& test, const RecordedCase& recorded) {
    if (recorded.known.empty()) return {};
    std::string line = "! " + test.name;
    for (const auto& [word, bits] : recorded.known) line += fmt::format(" | {} {}", word, spelled(test, word, bits));
    return line + "\n";
}

Result<Recording> read_recording(const std::string& path) {
    std::ifstream file(path);
    if (!file) return error("no-recording", fmt::format("{} cannot be read", path));
    Recording recording;
    for (std::string line; std::getline(file, line);) {
        if (line.empty()) continue;
        if (line.starts_with("! ")) {
            const auto fields = fields_of(line.substr(2));
            RecordedCase& one = recording.cases[fields[0]];
            for (std::size_t i = 1; i < fields.size(); ++i)
                if (const auto words = words_in(fields[i]); words.size() == 2)
                    one.known[std::strtoull(words[0].c_str(), nullptr, 10)] = hexadecimal(words[1]);
            continue;
        }
        const auto fields = fields_of(line);
        if (fields.size() < 3) {
            recording.about += line + "\n";
            continue;
        }
        RecordedCase& one = recording.cases[fields[0]];
        if (fields[1] == "refused" || fields[1] == "failed") {
            one.state = fields[1] == "refused" ? State::refused : State::failed;
            one.reason = fields[2];
            continue;
        }
        one.words = std::strtoull(fields[1].c_str(), nullptr, 10);
        auto words = words_in(fields[2]);
        const bool are_values = !words.empty() && words.front() == "values";
        if (are_values) words.erase(words.begin());
        for (const std::string& word : words) {
            if (are_values) {
                one.values.push_back(hexadecimal(word));
            } else {
                one.hashes.push_back(static_cast<std::uint32_t>(hexadecimal(word)));
            }
        }
    }
    return recording;
}

std::string differences(const InstructionCase& test, const CaseOutcome& outcome, const RecordedCase& recorded,
                        std::size_t most_shown) {
    if (recorded.state != outcome.state)
        return fmt::format("hardware: {}; ours: {}\n", state_name({recorded.state, recorded.reason, {}}),
                           state_name(outcome));
    if (outcome.state == State::refused) return {};
    if (outcome.state == State::failed)
        return outcome.reason == recorded.reason
                   ? std::string()
                   : fmt::format("hardware: {}; ours: {}\n", recorded.reason, outcome.reason);
    if (outcome.results.size() != recorded.words)
        return fmt::format("{} results are recorded, now there are {}: record again\n", recorded.words,
                           outcome.results.size());
    const std::vector<std::uint64_t> inputs = inputs_of(test);
    std::string report;
    std::size_t count = 0;
    auto differs = [&](std::size_t word, const std::string& hardware) {
        if (++count <= most_shown)
            report += fmt::format("  {}: hardware {}, ours {}\n", place_of(test, inputs, word), hardware,
                                  spelled(test, word, outcome.results[word]));
    };
    if (test.tolerance && recorded.hashes.empty()) {
        if (recorded.values.size() != outcome.results.size()) return "its results are not recorded: record again\n";
        for (std::size_t i = 0; i < outcome.results.size(); ++i)
            if (!near(test, kind_of_word(test, i), recorded.values[i], outcome.results[i]))
                differs(i, spelled(test, i, recorded.values[i]));
        return count == 0 ? std::string() : fmt::format("{} of {} results\n{}", count, recorded.words, report);
    }
    std::string chunks;
    std::size_t first = outcome.results.size();
    for (std::size_t chunk = 0; chunk < recorded.hashes.size(); ++chunk)
        if (hash_of(chunk_of(outcome.results, chunk)) != recorded.hashes[chunk]) {
            chunks += fmt::format(" {}", chunk);
            first = std::min(first, chunk * words_in_a_chunk);
        }
    if (chunks.empty()) return {};
    for (const auto& [word, bits] : recorded.known)
        if (word < outcome.results.size() && outcome.results[word] != bits) differs(word, spelled(test, word, bits));
    // What hardware gave there is not known one by one: the first differing chunk, as it is here.
    for (std::size_t word = first; count == 0 && word < std::min(first + most_shown, outcome.results.size()); ++word)
        report +=
            fmt::format("  {}: ours {}\n", place_of(test, inputs, word), spelled(test, word, outcome.results[word]));
    return fmt::format("chunks{} of {}\n{}", chunks, recorded.hashes.size(), report);
}

std::map<std::size_t, std::uint64_t> differing_words(const InstructionCase& test, const CaseOutcome& hardware,
                                                     const CaseOutcome& ours, std::size_t most) {
    std::map<std::size_t, std::uint64_t> words;
    if (test.tolerance || hardware.results.size() != ours.results.size()) return words;
    for (std::size_t i = 0; i < hardware.results.size() && words.size() < most; ++i)
        if (hardware.results[i] != ours.results[i]) words[i] = hardware.results[i];
    return words;
}

}  // namespace cudash::oracle
