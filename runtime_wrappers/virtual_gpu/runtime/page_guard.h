// Pages of host memory that pending work uses: they are taken from host code, so that its first access faults, is noted
// and goes on. One per process, as its handler is. What a signal handler may call is marked so: it takes no lock that
// ordinary code can hold while it faults, and no memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cudash::virtual_gpu::runtime {

/// An access that host code made to a guarded page.
struct HostAccess {
    std::uint64_t address = 0;
    bool writes = false;
    std::uint64_t issued = 0;               ///< operations that had been issued then
    std::array<std::uint64_t, 16> stack{};  ///< the instruction and its callers, innermost first
    std::size_t depth = 0;
    bool again = false;  ///< the same instruction was at it again after guard_again()
};

/// Pages from `begin` to `end`, which are multiples of the page size.
struct GuardedPages {
    std::uint64_t begin = 0, end = 0;
    bool reads_too = false;  ///< against all accesses; else against writing only
    friend bool operator==(const GuardedPages&, const GuardedPages&) = default;
};

class PageGuard {
public:
    /// Guards these pages and no others; none is in two of them. Those that are guarded already, and which nobody has
    /// touched, cost nothing. Of more than 128 the last ones stay open; of more than 16, where there were often many.
    static void guard(std::span<const GuardedPages> pages);
    /// Gives all pages back. What was noted stays.
    static void release();
    static bool any();
    /// An operation was issued: what is noted from now on came after it.
    static void count_issue();
    static std::vector<HostAccess> take();
    /// Guards the pages again that were let go, to see who still reads what they read before.
    static void guard_again();

    /// True if the page is guarded. (Signal handler.)
    static bool holds(std::uint64_t address) noexcept;
    /// True, for a hundred times, of a page that was guarded until lately: a thread may have faulted before it was
    /// given back, and may try again. (Signal handler.)
    static bool was_given_back(std::uint64_t address) noexcept;
    /// Notes the access and lets it through. (Signal handler.)
    static void note(std::uint64_t address, bool writes, std::span<const std::uint64_t> stack) noexcept;
};

/// Of the host.
std::uint64_t page_size();

}  // namespace cudash::virtual_gpu::runtime
