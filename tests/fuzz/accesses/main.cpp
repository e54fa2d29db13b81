// Kernels whose accesses may go anywhere, each in every form and with every degree of checking.
#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "tests/fuzz/accesses/access_kernels.h"

using namespace cudash::fuzz;

int main(int argc, char** argv) {
    std::uint64_t count = 2000, seed = 1;
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
        std::uint64_t number = 0;
        const bool is_number = std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc();
        if (is_number && name == "--count") {
            count = number;
        } else if (is_number && name == "--seed") {
            seed = number;
        } else if (is_number && name == "--show") {
            fmt::print("{}", access_kernel(number));
            return 0;
        } else {
            fmt::print(stderr, "access_fuzz [--count N] [--seed S] | --show SEED\n");
            return 2;
        }
    }
    std::uint64_t failed = 0;
    for (std::uint64_t n = seed; n < seed + count; ++n)
        if (const auto wrong = try_access_kernel(n)) {
            ++failed;
            fmt::print(stderr, "seed {}: {}\n", n, *wrong);
        }
    fmt::print("{} passed, {} failed\n", count - failed, failed);
    return failed == 0 ? 0 : 1;
}
