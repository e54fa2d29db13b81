#include "runtime_wrappers/virtual_gpu/runtime/page_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace cudash::virtual_gpu::runtime {
namespace {

/// Faults cost time: after so many a range is open to all.
constexpr unsigned most_faults = 64;
/// More cannot come of threads that faulted at the same time: these are other faults.
constexpr unsigned endless_faults = 10'000, endless_late_faults = 100;
constexpr std::size_t most_ranges = 128;
/// A program that has had so many pages guarded so often has fewer from then on: each time costs some microseconds.
constexpr std::size_t many_ranges = 48, few_ranges = 16;
constexpr unsigned often = 256;

struct Range {
    GuardedPages pages;
    unsigned faults = 0;
};

// A signal handler reaches nothing but globals. Nothing is done under the lock that could fault.
std::atomic_flag busy = ATOMIC_FLAG_INIT;
std::array<Range, most_ranges> ranges;
std::size_t range_count = 0;
/// What was given back last. A thread that faulted before may get to its handler only now.
std::array<Range, most_ranges> given_back;
std::size_t given_back_count = 0;
unsigned times_many = 0;
std::array<HostAccess, 64> noted;
std::size_t noted_count = 0;
bool watches_again = false;
std::atomic<std::size_t> guarded{0};
std::atomic<std::uint64_t> issued{0};

class Lock {
public:
    Lock() noexcept {
        while (busy.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Lock() { busy.clear(std::memory_order_release); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
};

Range* find(std::span<Range> among, std::uint64_t address) noexcept {
    for (Range& range : among)
        if (address >= range.pages.begin && address < range.pages.end) return &range;
    return nullptr;
}
Range* find(std::uint64_t address) noexcept {
    return find(std::span(ranges).first(range_count), address);
}

bool set(std::uint64_t begin, std::uint64_t end, int protection) noexcept {
    return mprotect(reinterpret_cast<void*>(begin), end - begin, protection) == 0;
}
bool open(const GuardedPages& pages) noexcept {
    return set(pages.begin, pages.end, PROT_READ | PROT_WRITE);
}
bool close(const GuardedPages& pages) noexcept {
    return set(pages.begin, pages.end, pages.reads_too ? PROT_NONE : PROT_READ);
}
/// All ranges that are guarded become those that were given back last.
void keep_for_late_faults() noexcept {
    if (range_count == 0) return;
    given_back_count = range_count;
    for (std::size_t i = 0; i < range_count; ++i) given_back[i] = {ranges[i].pages, 0};
}

}  // namespace

std::uint64_t page_size() {
    static const std::uint64_t size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return size;
}

void PageGuard::guard(std::span<const GuardedPages> pages) {
    const Lock lock;
    page_size();  // known before a handler asks
    times_many += pages.size() > many_ranges && times_many < often;
    const std::size_t most = times_many < often ? most_ranges : few_ranges;
    const std::span<const Range> before(ranges.data(), range_count);
    const auto stays = [&](const GuardedPages& each) {
        return std::ranges::any_of(before, [&](const Range& range) { return range.pages == each && !range.faults; });
    };
    // First what opens: what closes may lie in it.
    for (const Range& range : before)
        if (std::ranges::find(pages, range.pages) == pages.end()) open(range.pages);
    std::array<Range, most_ranges> now;
    std::size_t count = 0;
    for (const GuardedPages& each : pages) {
        const bool is_closed = stays(each);
        if (count >= most) {
            if (is_closed) open(each);
        } else if (is_closed || close(each)) {
            now[count++] = {each, 0};
        }
    }
    keep_for_late_faults();
    ranges = now;
    range_count = count;
    watches_again = false;
    guarded.store(count, std::memory_order_release);
}

void PageGuard::release() {
    if (guarded.load(std::memory_order_acquire) == 0) return;
    const Lock lock;
    for (std::size_t i = 0; i < range_count; ++i) open(ranges[i].pages);
    keep_for_late_faults();
    range_count = 0;
    watches_again = false;
    guarded.store(0, std::memory_order_release);
}

void PageGuard::guard_again() {
    const Lock lock;
    watches_again = true;
    for (std::size_t i = 0; i < range_count; ++i) close(ranges[i].pages);
}

bool PageGuard::any() {
    return guarded.load(std::memory_order_acquire) != 0;
}

void PageGuard::count_issue() {
    issued.fetch_add(1, std::memory_order_relaxed);
}

std::vector<HostAccess> PageGuard::take() {
    const Lock lock;
    std::vector<HostAccess> result(noted.begin(), noted.begin() + static_cast<std::ptrdiff_t>(noted_count));
    noted_count = 0;
    return result;
}

bool PageGuard::holds(std::uint64_t address) noexcept {
    if (guarded.load(std::memory_order_acquire) == 0) return false;
    const Lock lock;
    const Range* range = find(address);
    return range && range->faults < endless_faults;
}

bool PageGuard::was_given_back(std::uint64_t address) noexcept {
    const Lock lock;
    Range* range = find(std::span(given_back).first(given_back_count), address);
    return range && range->faults++ < endless_late_faults;
}

void PageGuard::note(std::uint64_t address, bool writes, std::span<const std::uint64_t> stack) noexcept {
    const Lock lock;
    Range* range = find(address);
    if (!range) return;  // given back meanwhile
    if (watches_again) {
        for (HostAccess& before : std::span(noted).first(noted_count))
            before.again |= before.address == address && before.depth > 0 && !stack.empty() &&
                            before.stack.front() == stack.front();
    } else if (noted_count < noted.size()) {
        HostAccess& access = noted[noted_count++];
        access.address = address;
        access.writes = writes;
        access.issued = issued.load(std::memory_order_relaxed);
        access.depth = std::min(stack.size(), access.stack.size());
        std::copy_n(stack.begin(), access.depth, access.stack.begin());
    }
    if (++range->faults >= most_faults) {
        open(range->pages);
        return;
    }
    const std::uint64_t page = address / page_size() * page_size();
    set(page, page + page_size(), writes ? PROT_READ | PROT_WRITE : PROT_READ);
}

}  // namespace cudash::virtual_gpu::runtime
