// The short run of the PTX fuzzer, without clang: changes texts of a few folders at random, the same way in every run,
// and sees that they are survived. Also writes what libFuzzer wants: a dictionary, and a text as it is run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#include "tests/fuzz/ptx_fuzz.h"
#include "tests/fuzz/ptx_mutator.h"

using namespace cudash::fuzz;

namespace {

constexpr std::string_view usage =
    R"(ptx_mutate [--seconds N] [--count N] [--seed S] FOLDER|FILE...
    runs the .ptx texts found, then changes them for N seconds or N times (10000) and runs the results; a text that
    crashes is left in ptx_mutate_crash.ptx, one that takes more than a second is a failure
ptx_mutate --dictionary FILE
    writes the words of PTX as libFuzzer's -dict wants them
)";
constexpr std::size_t most_bytes = 1 << 16, most_pool = 4096;
constexpr auto too_long = std::chrono::seconds(1);

using Clock = std::chrono::steady_clock;

std::string current;  // what the handler of a crash saves

void save() {
    if (std::FILE* file = std::fopen("ptx_mutate_crash.ptx", "w")) {
        std::fwrite(current.data(), 1, current.size(), file);
        std::fclose(file);
    }
}

#ifdef __SANITIZE_ADDRESS__
void watch_for_crashes() {
    __sanitizer_set_death_callback(save);  // its own handler of signals says more than ours
}
#else
extern "C" void save_and_die(int signal) {
    std::signal(signal, SIG_DFL);
    save();
    std::raise(signal);
}

void watch_for_crashes() {
    for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, save_and_die);
}
#endif

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The texts of the seeds, and each function of theirs alone with the module's head: short texts are quicker.
void add_text(std::vector<std::string>& pool, const std::string& text) {
    if (text.size() <= most_bytes) pool.push_back(text);
    const std::size_t first = text.find(".visible");
    if (first == std::string::npos) return;
    const std::string head = text.substr(0, first);
    for (std::size_t at = first; at < text.size();) {
        std::size_t next = text.find(".visible", at + 1);
        if (next == std::string::npos) next = text.size();
        if (head.size() + next - at <= most_bytes) pool.push_back(head + text.substr(at, next - at));
        at = next;
    }
}

int write_dictionary(const char* path) {
    std::ofstream file(path);
    for (const std::string& word : dictionary()) file << fmt::format("\"{}\"\n", word);
    return file.flush() ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t count = 10000, seed = 1;
    std::chrono::seconds seconds{0};
    std::vector<std::filesystem::path> files;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name.starts_with("--")) {
            if (i + 1 == argc) return fmt::print(stderr, "{}", usage), 2;
            const char* value = argv[++i];
            if (name == "--dictionary") return write_dictionary(value);
            const std::uint64_t number = std::strtoull(value, nullptr, 10);
            if (name == "--seconds") {
                seconds = std::chrono::seconds(number);
            } else if (name == "--count") {
                count = number;
            } else if (name == "--seed") {
                seed = number;
            } else {
                return fmt::print(stderr, "{}", usage), 2;
            }
        } else if (std::filesystem::is_directory(name)) {
            for (const auto& entry : std::filesystem::recursive_directory_iterator(name))
                if (entry.path().extension() == ".ptx") files.push_back(entry.path());
        } else {
            files.emplace_back(name);
        }
    }
    std::ranges::sort(files);
    std::vector<std::string> pool;
    for (const auto& file : files) add_text(pool, read(file));
    if (pool.empty()) return fmt::print(stderr, "{}", usage), 2;

    watch_for_crashes();
    Random random(seed);
    std::map<Stage, std::uint64_t> stages;
    std::uint64_t passed = 0, slow = 0;
    const Clock::time_point start = Clock::now();
    const std::size_t seeds = pool.size();
    // First the texts as they are, then changed ones.
    for (std::uint64_t i = 0; i < seeds || (seconds.count() > 0 ? Clock::now() - start < seconds : i - seeds < count);
         ++i) {
        if (i < seeds) {
            current = pool[i];
        } else {
            const std::string& text = pool[random() % pool.size()];
            const std::string& other = pool[random() % pool.size()];
            current = mutate(text, other, most_bytes, random);
        }
        const Clock::time_point before = Clock::now();
        const Stage stage = survive(current);
        ++stages[stage];
        if (Clock::now() - before > too_long) {
            ++slow;
            std::ofstream(fmt::format("ptx_mutate_slow_{}.ptx", slow)) << current;
        } else {
            ++passed;
        }
        // What still decodes is worth changing further.
        if (i >= seeds && stage >= Stage::decoded) {
            if (pool.size() < most_pool) {
                pool.push_back(current);
            } else {
                pool[seeds + random() % (most_pool - seeds)] = current;
            }
        }
    }
    fmt::print("{} refused by the parser, {} by the loader, {} by the decoder; {} decoded, {} of them ran to the end\n",
               stages[Stage::refused], stages[Stage::parsed], stages[Stage::loaded],
               stages[Stage::decoded] + stages[Stage::ran], stages[Stage::ran]);
    fmt::print("{} passed, {} failed\n", passed, slow);
    return slow == 0 ? 0 : 1;
}
