#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>

namespace cudash::virtual_gpu {
namespace {

// Inside the 47 bits that Linux gives a process on x86-64 and aarch64, far from where the loader, the heap, the stacks
// and the sanitizers' shadows live, so that device addresses are the same in every run.
#ifdef __SANITIZE_THREAD__
// ThreadSanitizer allows three ranges of addresses only; this lies in one of them.
constexpr Address first_base = 0x5600'0000'0000;
constexpr Address base_step = 0x0010'0000'0000;
#else
constexpr Address first_base = 0x2000'0000'0000;
constexpr Address base_step = 0x0400'0000'0000;
#endif
constexpr int base_candidates = 8;

// The runtime aligns device memory to 512 bytes (recorded on an H200). A gap of the same size follows each allocation,
// so that walking off its end meets no other allocation.
constexpr std::uint64_t device_granularity = 512;
// "The returned pointer is aligned to 16 bytes" (Programming Guide, Dynamic Global Memory Allocation).
constexpr std::uint64_t heap_granularity = 16;
constexpr std::uint64_t give_back_threshold = 64 * 1024;
constexpr std::size_t remembered_releases = 64;

constexpr std::uint64_t next_multiple(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

constexpr bool has_device_memory(MemoryKind kind) {
    return kind == MemoryKind::device || kind == MemoryKind::variable || kind == MemoryKind::heap;
}

std::uint64_t page_size() {
    static const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return page;
}

std::uint64_t charge_of(const Allocation& allocation) {
    return allocation.kind == MemoryKind::heap ? heap_charge(allocation.size) : allocation.size;
}

std::uint64_t distance(const Allocation& allocation, Address address) {
    if (address < allocation.begin) return allocation.begin - address;
    return address < allocation.end() ? 0 : address - allocation.end() + 1;
}

/// A mapping that ends with its owner.
class Mapping {
public:
    Mapping() = default;
    Mapping(void* at, std::size_t size, int protection, int flags) {
        void* result = mmap(at, size, protection, flags | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (result == MAP_FAILED) return;
        pointer_ = static_cast<std::byte*>(result);
        size_ = size;
    }
    Mapping(Mapping&& other) noexcept { swap(other); }
    Mapping& operator=(Mapping&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Mapping() {
        if (pointer_) munmap(pointer_, size_);
    }
    std::byte* get() const { return pointer_; }
    explicit operator bool() const { return pointer_ != nullptr; }

private:
    void swap(Mapping& other) {
        std::swap(pointer_, other.pointer_);
        std::swap(size_, other.size_);
    }
    std::byte* pointer_ = nullptr;
    std::size_t size_ = 0;
};

/// From the device range to the memory behind it: more than the largest profile's range.
constexpr std::ptrdiff_t backing_distance = 1ll << 44;

Mapping reserve_device_range(std::size_t size) {
#ifdef MAP_FIXED_NOREPLACE
    constexpr int placement = MAP_FIXED_NOREPLACE;
#else
    constexpr int placement = 0;
#endif
    for (int i = 0; i < base_candidates; ++i) {
        auto wanted = reinterpret_cast<void*>(first_base + i * base_step);
        Mapping range(wanted, size, PROT_NONE, placement);
        if (range && range.get() == wanted) return range;
    }
    return Mapping(nullptr, size, PROT_NONE, 0);
}

}  // namespace

std::uint64_t heap_charge(std::uint64_t size) {
    constexpr std::uint64_t least_counted = 1000, small = 1500, unit_payload = 2220;
    // As many units as the next of these, or a double of the last one.
    constexpr std::uint64_t classes[] = {1, 2, 3, 6, 12, 24, 48, 96, 144, 288, 576, 1152, 1728, 3456};
    if (size < least_counted) return size;
    if (size <= small) return unit_payload;
    const std::uint64_t needed = size / unit_payload + (size % unit_payload != 0);
    std::uint64_t units = classes[std::size(classes) - 1];
    for (const std::uint64_t each : classes)
        if (each >= needed) {
            units = each;
            break;
        }
    while (units < needed) units *= 2;
    return (units * 22209 + 9) / 10;
}

struct AddressSpace::State {
    mutable std::mutex mutex;
    std::uint64_t capacity = 0, range_size = 0;
    Mapping reserved;  ///< what device pointers point at: no access
    Mapping backing;   ///< the same bytes for the executor
    std::map<Address, Allocation> live;
    std::map<Address, std::uint64_t> states;  ///< of live device memory
    std::uint64_t last_state = 0;
    std::map<Address, std::uint64_t> occupied;  ///< bytes taken from the free ranges, gap included, by begin
    std::map<Address, std::uint64_t> free_ranges;
    std::map<std::uint64_t, std::set<Address>> free_by_size;  ///< the same ranges
    std::deque<Allocation> released;
    std::uint64_t next_serial = 1;
    std::uint64_t used_bytes[std::size(memory_kinds)] = {};
    mutable std::shared_ptr<const std::vector<Allocation>> view;
    std::map<Address, std::uint64_t> reservations;  ///< bytes taken from the free ranges, by begin
    SharedFile shared;                              ///< of pages that other processes may open
    std::set<Address> shared_pages;                 ///< those

    Address base() const { return reinterpret_cast<Address>(reserved.get()); }
    std::ptrdiff_t offset() const { return backing.get() - reserved.get(); }

    const Allocation* find(Address address) const {
        auto after = live.upper_bound(address);
        if (after == live.begin()) return nullptr;
        const Allocation& candidate = std::prev(after)->second;
        return candidate.contains(address, 1) ? &candidate : nullptr;
    }

    void enter(const Allocation& allocation) {
        live.emplace(allocation.begin, allocation);
        if (has_device_memory(allocation.kind) && !allocation.shared) states[allocation.begin] = ++last_state;
        used_bytes[static_cast<int>(allocation.kind)] += charge_of(allocation);
        view.reset();
    }

    std::uint64_t device_used() const {
        std::uint64_t sum = 0;
        for (MemoryKind kind : {MemoryKind::device, MemoryKind::variable, MemoryKind::heap})
            sum += used_bytes[static_cast<int>(kind)];
        return sum;
    }

    void add_free(Address begin, std::uint64_t size) {
        free_ranges.emplace(begin, size);
        free_by_size[size].insert(begin);
    }
    std::map<Address, std::uint64_t>::iterator remove_free(std::map<Address, std::uint64_t>::iterator range) {
        const auto of_size = free_by_size.find(range->second);
        of_size->second.erase(range->first);
        if (of_size->second.empty()) free_by_size.erase(of_size);
        return free_ranges.erase(range);
    }

    /// Takes the first place that fits out of the free ranges, or the last. Of ranges of one size all fit or, but for
    /// alignment, none: programs free many of few sizes.
    std::optional<Address> take(std::uint64_t needed, std::uint64_t alignment, bool last) {
        const auto place_in = [&](Address first, std::uint64_t available) -> std::optional<Address> {
            if (needed > available) return std::nullopt;
            const Address latest = first + available - needed;
            const Address begin = last ? latest / alignment * alignment : next_multiple(first, alignment);
            if (begin < first || begin > latest) return std::nullopt;
            return begin;
        };
        std::optional<Address> range, begin;
        const auto look_at = [&](Address first, std::uint64_t size) {
            const auto found = place_in(first, size);
            if (found && (!range || (last ? first > *range : first < *range))) range = first, begin = found;
            return found.has_value();
        };
        for (auto at = free_by_size.lower_bound(needed); at != free_by_size.end(); ++at) {
            const auto& [size, begins] = *at;
            const auto fits = [&, bytes = size](Address first) { return look_at(first, bytes); };
            (void)(last ? std::any_of(begins.rbegin(), begins.rend(), fits)
                        : std::any_of(begins.begin(), begins.end(), fits));
        }
        if (!begin) return std::nullopt;
        const auto found = free_ranges.find(*range);
        const auto [first, available] = *found;
        remove_free(found);
        if (*begin > first) add_free(first, *begin - first);
        if (const Address rest = *begin + needed, end = first + available; rest < end) add_free(rest, end - rest);
        occupied.emplace(*begin, needed);
        return begin;
    }

    void return_range(Address begin, std::uint64_t size) {
        auto next = free_ranges.lower_bound(begin);
        if (next != free_ranges.end() && begin + size == next->first) {
            size += next->second;
            next = remove_free(next);
        }
        if (next != free_ranges.begin()) {
            auto previous = std::prev(next);
            if (previous->first + previous->second == begin) {
                begin = previous->first;
                size += previous->second;
                remove_free(previous);
            }
        }
        add_free(begin, size);
    }

    /// Memory that nobody wrote to is left alone: writing zeros would have the host give out a (huge) page.
    static void zero(std::byte* memory, std::uint64_t size) {
        const bool is_zero = size == 0 || (memory[0] == std::byte{0} && std::memcmp(memory, memory + 1, size - 1) == 0);
        if (!is_zero) std::memset(memory, 0, size);
    }

    /// Free memory is kept zero: small blocks are cleared, whole pages of big ones go back to the host.
    void clear(Address begin, std::uint64_t size) {
        std::byte* memory = backing.get() + (begin - base());
        const std::uint64_t page = page_size();
        const auto shared_page = shared_pages.lower_bound(begin / page * page);
        const bool is_shared = shared_page != shared_pages.end() && *shared_page < begin + size;
        if (size < give_back_threshold || is_shared) {
            zero(memory, size);
            return;
        }
        std::uint64_t first = next_multiple(begin, page), last = (begin + size) / page * page;
        zero(memory, first - begin);
        zero(memory + (last - begin), begin + size - last);
        if (madvise(backing.get() + (first - base()), last - first, MADV_DONTNEED) != 0)
            std::memset(backing.get() + (first - base()), 0, last - first);
    }
};

std::unique_ptr<AddressSpace> AddressSpace::create(std::uint64_t capacity) {
    auto state = std::make_unique<State>();
    state->capacity = next_multiple(std::max<std::uint64_t>(capacity, device_granularity), device_granularity);
    // Room for gaps and fragmentation costs only addresses.
    state->range_size = state->capacity + state->capacity / 4 + (64ull << 20);
    state->reserved = reserve_device_range(state->range_size);
    // A mapping of this size must not lie among the process's own, or just-in-time compiled code on either side of it
    // could not reach the other's (32-bit displacements).
    state->backing = Mapping(state->reserved.get() + backing_distance, state->range_size, PROT_READ | PROT_WRITE, 0);
    if (!state->reserved || !state->backing) return nullptr;
#ifdef MADV_HUGEPAGE
    madvise(state->backing.get(), state->range_size, MADV_HUGEPAGE);
#endif
    // The first block stays free, so that no allocation begins at the round address that a wild pointer may name.
    state->add_free(state->base() + device_granularity, state->range_size - device_granularity);
    std::unique_ptr<AddressSpace> space(new AddressSpace);
    space->state_ = std::move(state);
    return space;
}

AddressSpace::~AddressSpace() = default;

std::optional<Allocation> AddressSpace::allocate(std::uint64_t size, std::uint64_t alignment, MemoryKind kind,
                                                 std::string origin) {
    if (size == 0 || !has_device_memory(kind)) return std::nullopt;
    std::lock_guard lock(state_->mutex);
    if (size > state_->capacity || state_->device_used() > state_->capacity - size) return std::nullopt;
    std::uint64_t granularity = kind == MemoryKind::heap ? heap_granularity : device_granularity;
    alignment = next_multiple(std::max(alignment, granularity), granularity);
    std::uint64_t needed = next_multiple(size, granularity) + granularity;
    // Variables come from the far end: a stale pointer to memory that was freed never names one.
    const bool far_end = kind == MemoryKind::variable;
    const auto begin = state_->take(needed, alignment, far_end);
    if (!begin) return std::nullopt;
    Allocation allocation;
    allocation.begin = *begin;
    allocation.size = size;
    allocation.kind = kind;
    allocation.host_offset = state_->offset();
    allocation.serial = state_->next_serial++;
    allocation.origin = std::move(origin);
    state_->enter(allocation);
    return allocation;
}

bool AddressSpace::enter_host(Allocation allocation) {
    if (allocation.size == 0 || has_device_memory(allocation.kind)) return false;
    std::lock_guard lock(state_->mutex);
    auto next = state_->live.lower_bound(allocation.begin);
    if (next != state_->live.end() && next->first - allocation.begin < allocation.size) return false;
    if (state_->find(allocation.begin)) return false;
    allocation.serial = state_->next_serial++;
    state_->enter(allocation);
    return true;
}

bool AddressSpace::release(Address begin) {
    std::lock_guard lock(state_->mutex);
    auto found = state_->live.find(begin);
    if (found == state_->live.end()) return false;
    Allocation allocation = std::move(found->second);
    state_->live.erase(found);
    state_->states.erase(begin);
    state_->used_bytes[static_cast<int>(allocation.kind)] -= charge_of(allocation);
    state_->view.reset();
    if (auto taken = state_->occupied.find(begin); taken != state_->occupied.end()) {
        state_->clear(begin, allocation.size);
        state_->return_range(begin, taken->second);
        state_->occupied.erase(taken);
    }
    state_->released.push_front(std::move(allocation));
    if (state_->released.size() > remembered_releases) state_->released.pop_back();
    return true;
}

std::optional<Address> AddressSpace::reserve(std::uint64_t size, std::uint64_t alignment) {
    std::lock_guard lock(state_->mutex);
    if (size == 0 || size > state_->range_size) return std::nullopt;
    const std::uint64_t needed =
        next_multiple(size, page_size()) + page_size();  // with a gap, as behind each allocation
    const auto begin = state_->take(needed, std::max(alignment, page_size()), false);
    if (!begin) return std::nullopt;
    state_->occupied.erase(*begin);
    state_->reservations.emplace(*begin, needed);
    return begin;
}

void AddressSpace::unreserve(Address begin) {
    std::lock_guard lock(state_->mutex);
    const auto found = state_->reservations.find(begin);
    if (found == state_->reservations.end()) return;
    state_->return_range(begin, found->second);
    state_->reservations.erase(found);
}

bool AddressSpace::show(Address at, const SharedFile& file, std::uint64_t offset, std::uint64_t size) {
    void* const where = reinterpret_cast<std::byte*>(at) + state_->offset();
    return mmap(where, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.descriptor(),
                static_cast<off_t>(offset)) == where;
}

void AddressSpace::hide(Address at, std::uint64_t size) {
    void* const where = reinterpret_cast<std::byte*>(at) + state_->offset();
    (void)mmap(where, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

Allocation AddressSpace::enter_shown(Allocation allocation) {
    std::lock_guard lock(state_->mutex);
    allocation.host_offset = state_->offset();
    allocation.serial = state_->next_serial++;
    allocation.shared = true;
    state_->enter(allocation);
    return allocation;
}

std::optional<AddressSpace::Share> AddressSpace::share(Address begin) {
    std::lock_guard lock(state_->mutex);
    const auto found = state_->live.find(begin);
    if (found == state_->live.end() || !has_device_memory(found->second.kind)) return std::nullopt;
    if (!state_->shared) state_->shared = SharedFile::create("shared", next_multiple(state_->range_size, page_size()));
    if (!state_->shared) return std::nullopt;
    const std::uint64_t page = page_size();
    for (Address at = begin / page * page; at < found->second.end(); at += page) {
        if (!state_->shared_pages.insert(at).second) continue;
        std::byte* const bytes = reinterpret_cast<std::byte*>(at) + state_->offset();
        const auto offset = static_cast<off_t>(at - state_->base());
        const bool moved = pwrite(state_->shared.descriptor(), bytes, page, offset) == static_cast<ssize_t>(page) &&
                           mmap(bytes, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                                state_->shared.descriptor(), offset) == bytes;
        if (!moved) {
            state_->shared_pages.erase(at);
            return std::nullopt;
        }
    }
    found->second.shared = true;
    state_->states.erase(begin);
    state_->view.reset();
    return Share{state_->shared.descriptor(), begin - state_->base()};
}

void AddressSpace::note_change(Address address) {
    std::lock_guard lock(state_->mutex);
    const Allocation* found = state_->find(address);
    if (!found) return;
    if (const auto known = state_->states.find(found->begin); known != state_->states.end())
        known->second = ++state_->last_state;
}

std::uint64_t AddressSpace::state_of(Address begin) const {
    std::lock_guard lock(state_->mutex);
    const auto found = state_->states.find(begin);
    return found == state_->states.end() ? 0 : found->second;
}

std::optional<Allocation> AddressSpace::find(Address address) const {
    std::lock_guard lock(state_->mutex);
    const Allocation* found = state_->find(address);
    return found ? std::optional(*found) : std::nullopt;
}

std::optional<AddressSpace::Nearest> AddressSpace::nearest(Address address) const {
    std::lock_guard lock(state_->mutex);
    const Allocation* best = nullptr;
    bool released = false;
    auto offer = [&](const Allocation& allocation, bool is_released) {
        if (best && distance(allocation, address) >= distance(*best, address)) return;
        best = &allocation;
        released = is_released;
    };
    auto after = state_->live.upper_bound(address);
    if (after != state_->live.begin()) offer(std::prev(after)->second, false);
    if (after != state_->live.end()) offer(after->second, false);
    for (const Allocation& allocation : state_->released) offer(allocation, true);
    if (!best) return std::nullopt;
    return Nearest{*best, released};
}

std::vector<Allocation> AddressSpace::allocations() const {
    return *snapshot();
}

bool AddressSpace::update(const Allocation& allocation) {
    std::lock_guard lock(state_->mutex);
    auto found = state_->live.find(allocation.begin);
    if (found == state_->live.end() || found->second.size != allocation.size || found->second.kind != allocation.kind)
        return false;
    found->second = allocation;
    state_->view.reset();
    return true;
}

std::byte* AddressSpace::pointer(Address address, std::uint64_t bytes) const {
    std::lock_guard lock(state_->mutex);
    const Allocation* found = state_->find(address);
    if (!found || !found->contains(address, bytes)) return nullptr;
    return reinterpret_cast<std::byte*>(address + static_cast<std::uint64_t>(found->host_offset));
}

bool AddressSpace::is_device_range(Address address) const {
    return address - state_->base() < state_->range_size;
}

std::uint64_t AddressSpace::used(MemoryKind kind) const {
    std::lock_guard lock(state_->mutex);
    return state_->used_bytes[static_cast<int>(kind)];
}

std::shared_ptr<const std::vector<Allocation>> AddressSpace::snapshot() const {
    std::lock_guard lock(state_->mutex);
    if (!state_->view) {
        auto all = std::make_shared<std::vector<Allocation>>();
        all->reserve(state_->live.size());
        for (const auto& [begin, allocation] : state_->live) all->push_back(allocation);
        state_->view = std::move(all);
    }
    return state_->view;
}

}  // namespace cudash::virtual_gpu
