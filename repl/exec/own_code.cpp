#include "repl/exec/own_code.h"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <string_view>
#include <vector>

namespace cudash::exec {
namespace {

struct Range {
    std::uintptr_t begin, end;
};

/// Of the loaded files whose names begin so.
std::vector<Range> find_ranges(std::span<const std::string_view> names) {
    struct Search {
        std::span<const std::string_view> names;
        std::vector<Range> found;
    } search{names, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& [names, found] = *static_cast<Search*>(data);
            const std::string_view path = info->dlpi_name;
            const std::string_view file = path.substr(path.rfind('/') + 1);
            if (std::ranges::none_of(names, [&](std::string_view begin) { return file.starts_with(begin); })) return 0;
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
                const std::uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
                found.push_back({begin, begin + info->dlpi_phdr[i].p_memsz});
            }
            return 0;
        },
        &search);
    return search.found;
}

bool is_in(std::uintptr_t address, const std::vector<Range>& ranges) {
    return std::ranges::any_of(ranges, [&](const Range& each) { return address >= each.begin && address < each.end; });
}

constexpr std::string_view own[] = {"libcudart.so.", "libcuda.so.", "libcudash_", "libLLVM"};
constexpr std::string_view called[] = {"libc.so.", "libstdc++.so.", "libfmt.so.",
                                       "ld-linux", "libdw.so.",     "libelf.so."};

std::atomic<const std::vector<Range>*>& own_ranges() {
    static std::atomic<const std::vector<Range>*> ranges = new std::vector<Range>(find_ranges(own));
    return ranges;
}

}  // namespace

// Never destroyed: they are asked for during destruction, too.

bool is_own(std::uintptr_t address) {
    return is_in(address, *own_ranges().load(std::memory_order_acquire));
}

// Other threads may still read the ranges that were.
void find_own_again() {
    own_ranges().store(new std::vector<Range>(find_ranges(own)), std::memory_order_release);
}

bool is_of_program(std::uintptr_t address) {
    static const std::vector<Range>& ranges = *new std::vector<Range>(find_ranges(called));
    return !is_own(address) && !is_in(address, ranges);
}

}  // namespace cudash::exec
