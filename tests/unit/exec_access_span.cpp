// The quick ways to memory against the rule that they stand for: every lane's bytes lie in one piece of memory that may
// be accessed so. Addresses are taken from around everything that has an edge: memory, windows, 2^32, 2^64.
#include <doctest/doctest.h>

#include <random>

#include "runtime_wrappers/virtual_gpu/exec/affine_access.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using ptx::Space;

namespace {

constexpr std::uint64_t cases = 10'000'000;
constexpr std::uint32_t shared_bytes = 1040;
constexpr std::int64_t host_offset = 0x1234'5670;
constexpr std::uint32_t lanes_at = 0, affine_at = 512, frame_bytes = 576;

/// A warp on whose addresses nothing ever acts: pointers are compared, never followed.
struct Bench {
    std::vector<Range> ranges{{0x1'0000, 0x1'0410, host_offset, false},
                              {0xFFFF'F000, 0xFFFF'FF00, 3 * host_offset, false},
                              {0x7F00'0000'0000, 0x7F00'0000'1000, 5 * host_offset, false},
                              {0x7F00'0000'1000, 0x7F00'0000'1400, 7 * host_offset, true},
                              {~std::uint64_t{0} - 4095, ~std::uint64_t{0} - 15, 9 * host_offset, false}};
    Launch launch;
    Worker worker;
    Block block;
    Warp warp;
    Instruction instruction;
    AlignedBytes registers{frame_bytes};
    std::mt19937_64 random{1};

    Bench() {
        launch.ranges = &ranges;
        worker.range_cache.assign(1, {});
        worker.used.as.resize(ranges.size());
        block.launch = &launch;
        block.worker = &worker;
        block.shared_bytes = shared_bytes;
        block.shared = registers.get();
        warp.block = &block;
        warp.worker = &worker;
        warp.registers = registers.get();
    }

    std::uint64_t below(std::uint64_t bound) { return random() % bound; }
    template <std::size_t N>
    std::uint64_t one_of(const std::uint64_t (&values)[N]) {
        return values[below(N)];
    }

    /// Near some edge, and mostly a multiple of the access's size.
    std::uint64_t address(std::uint32_t size) {
        const Range& range = ranges[below(ranges.size())];
        const std::uint64_t edge =
            one_of({0, shared_bytes, shared_window, shared_window + shared_bytes, shared_window + window_size,
                    range.begin, range.begin, range.end, std::uint64_t{1} << 32, std::uint64_t{1} << 63});
        const std::uint64_t distance = below(600) * (below(16) == 0 ? 1 : size);
        return below(2) == 0 ? edge + distance : edge - distance;
    }
    std::uint64_t step(std::uint32_t size) {
        const std::uint64_t by = size;
        switch (below(8)) {
            case 0:
                return 0;
            case 1:
            case 2:
                return by;
            case 3:
                return 0 - by;
            case 4:
                return below(9) * by - 4 * by;
            case 5:
                return below(64) - 32;
            case 6:
                return one_of({std::uint64_t{1} << 28, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                               std::uint64_t{1} << 60, std::uint64_t{1} << 63}) *
                       (below(2) == 0 ? 1 : ~std::uint64_t{0});
            default:
                return random() >> below(64);
        }
    }
};

/// What a pointer has more than the address, where an access of `size` bytes at `address` is allowed.
std::optional<std::uint64_t> allowed(const Bench& bench, Space space, AccessKind kind, std::uint64_t address,
                                     std::uint32_t size) {
    const auto inside = [&](std::uint64_t begin, std::uint64_t end) {
        return address >= begin && address < end && end - address >= size;
    };
    if (address % size != 0) return std::nullopt;
    const auto shared = reinterpret_cast<std::uint64_t>(bench.block.shared);
    if (space == Space::shared) return inside(0, shared_bytes) ? std::optional(shared) : std::nullopt;
    if (space == Space::none && inside(shared_window, shared_window + shared_bytes)) return shared - shared_window;
    if (space == Space::none && in_window(address, shared_window)) return std::nullopt;
    for (const Range& range : bench.ranges)
        if (inside(range.begin, range.end) && !(range.read_only && kind != AccessKind::load))
            return static_cast<std::uint64_t>(range.host_offset);
    return std::nullopt;
}

/// All accesses allowed, with one bias; `addresses` may be any number.
std::optional<std::uint64_t> common_bias(const Bench& bench, Space space, AccessKind kind,
                                         std::span<const std::uint64_t> addresses, std::uint32_t size) {
    std::optional<std::uint64_t> bias;
    for (std::uint64_t address : addresses) {
        const auto found = allowed(bench, space, kind, address, size);
        if (!found || (bias && *bias != *found)) return std::nullopt;
        bias = found;
    }
    return bias;
}

struct Case {
    Affine address;
    AccessKind kind;
};

template <class Word>
Case choose(Bench& bench, std::uint32_t size) {
    Case made;
    const std::uint64_t offset = bench.below(3) == 0 ? bench.step(size) : bench.below(64) * size;
    bench.instruction.immediate = static_cast<std::int64_t>(offset);
    made.address.base = bench.address(size) - offset;
    made.address.step = bench.step(size);
    made.address.half = bench.below(2) == 0 ? 16 * made.address.step : bench.step(size);
    made.address.warp = bench.below(2) == 0 ? 32 * made.address.step : bench.step(size);
    made.kind = bench.below(2) == 0 ? AccessKind::load : AccessKind::store;
    return made;
}

template <class Word>
std::uint64_t lane_address(const Bench& bench, const Affine& address, unsigned warp, unsigned lane) {
    return static_cast<Word>(address.base + lane % 16 * address.step + lane / 16 * address.half + warp * address.warp +
                             static_cast<std::uint64_t>(bench.instruction.immediate));
}

/// What each quick way said, against the lanes; `said` of it: where it must lead, `exact`: it must not refuse.
void hold(bool answered, std::optional<std::uint64_t> expected, bool exact, std::uint64_t& wrong) {
    wrong += answered ? !expected : exact && expected.has_value();
}

template <Space S, class Word, std::uint32_t Size>
std::uint64_t check_affine(Bench& bench) {
    std::uint64_t wrong = 0;
    const Case made = choose<Word>(bench, Size);
    bench.instruction.a = affine_at;
    affine(bench.warp, affine_at) = made.address;
    const auto step = static_cast<std::int64_t>(static_cast<std::make_signed_t<Word>>(made.address.step));
    const bool exact = !is_too_long(step);

    std::uint64_t addresses[warp_size];
    for (unsigned l = 0; l < warp_size; ++l) addresses[l] = lane_address<Word>(bench, made.address, 0, l);
    const auto expected = common_bias(bench, S, made.kind, addresses, Size);
    AffinePlaces places;
    const bool one = resolve_affine<S, Word, Size>(&bench.instruction, bench.warp, made.kind, places);
    hold(one, expected, exact, wrong);
    for (unsigned l = 0; one && expected && l < warp_size; ++l)
        wrong +=
            reinterpret_cast<std::uint64_t>(places.first[l / 16]) + l % 16 * static_cast<std::uint64_t>(places.step) !=
            addresses[l] + *expected;
    return wrong;
}

template <Space S, class Word, std::uint32_t Size>
std::uint64_t check_block(Bench& bench) {
    std::uint64_t wrong = 0;
    const Case made = choose<Word>(bench, Size);
    bench.instruction.a = affine_at;
    affine(bench.warp, affine_at) = made.address;
    Lockstep& lockstep = bench.block.lockstep;
    lockstep.first = static_cast<std::uint32_t>(bench.below(3));
    lockstep.last = lockstep.first + static_cast<std::uint32_t>(bench.below(2));

    std::uint64_t addresses[2 * warp_size];
    const std::size_t count = (lockstep.last - lockstep.first + 1) * warp_size;
    for (std::size_t n = 0; n < count; ++n)
        addresses[n] = lane_address<Word>(bench, made.address, lockstep.first + static_cast<unsigned>(n / warp_size),
                                          static_cast<unsigned>(n % warp_size));
    const auto expected = common_bias(bench, S, made.kind, std::span(addresses).first(count), Size);
    BlockPlaces places;
    const bool all = resolve_block<S, Word, Size>(&bench.instruction, bench.warp, made.kind, places);
    // The span reaches from the lowest warp's lowest lane to the highest one's: it may hold more than the lanes.
    hold(all, expected, false, wrong);
    for (std::size_t n = 0; all && expected && n < count; ++n) {
        const AffinePlaces warp = places.of_warp(lockstep.first + static_cast<std::uint32_t>(n / warp_size));
        const std::size_t l = n % warp_size;
        wrong += reinterpret_cast<std::uint64_t>(warp.first[l / 16]) + l % 16 * static_cast<std::uint64_t>(warp.step) !=
                 addresses[n] + *expected;
    }
    return wrong;
}

template <Space S, class Word, std::uint32_t Size>
std::uint64_t check_lanes_together(Bench& bench) {
    std::uint64_t wrong = 0;
    Case made = choose<Word>(bench, Size);
    if (bench.below(2) == 0) made.address.step = bench.below(4) == 0 ? 0 : Size;
    bench.instruction.a = lanes_at;
    Word* const registers = lanes<Word>(bench.warp, lanes_at);
    const auto offset = static_cast<Word>(bench.instruction.immediate);
    std::uint64_t addresses[warp_size];
    for (unsigned l = 0; l < warp_size; ++l) {
        addresses[l] = lane_address<Word>(bench, made.address, 0, l);
        if (bench.below(64) == 0) addresses[l] = static_cast<Word>(bench.address(Size));
        registers[l] = static_cast<Word>(static_cast<Word>(addresses[l]) - offset);
    }
    bench.warp.mask = bench.below(2) == 0 ? full_mask : static_cast<std::uint32_t>(bench.random());
    std::vector<std::uint64_t> active;
    for_each_lane(bench.warp.mask, [&](unsigned l) { active.push_back(addresses[l]); });

    const auto expected = common_bias(bench, S, made.kind, active, Size);
    HalfWarpAccess halves;
    const bool by_halves = resolve_halves<S, Word, Size>(&bench.instruction, bench.warp, made.kind, halves);
    hold(by_halves, expected, false, wrong);
    for (unsigned l = 0; by_halves && expected && l < warp_size; ++l) {
        const std::uint64_t apart = halves.layout[l / 16] == Layout::uniform ? 0 : l % 16 * Size;
        wrong += reinterpret_cast<std::uint64_t>(halves.first[l / 16]) + apart != addresses[l] + *expected;
    }

    Access access;
    Layout layouts[2] = {Layout::scattered, Layout::scattered};
    std::copy(std::begin(addresses), std::end(addresses), access.address);
    const bool together =
        check_together<S>(&bench.instruction, bench.warp, access, AccessShape{S, made.kind, Size}, layouts);
    hold(together, expected, !active.empty(), wrong);
    wrong += together && expected && access.bias != *expected;
    return wrong;
}

template <Space S, class Word, std::uint32_t Size>
std::uint64_t check_one(Bench& bench) {
    const std::uint64_t kind = bench.below(8);
    return kind < 4   ? check_affine<S, Word, Size>(bench)
           : kind < 7 ? check_lanes_together<S, Word, Size>(bench)
                      : check_block<S, Word, Size>(bench);
}

template <std::uint32_t Size>
std::uint64_t check_space(Bench& bench) {
    switch (bench.below(5)) {
        case 0:
            return check_one<Space::shared, Lane32, Size>(bench);
        case 1:
            return check_one<Space::shared, Lane64, Size>(bench);
        case 2:
            return check_one<Space::none, Lane64, Size>(bench);
        case 3:
            return check_one<Space::global, Lane64, Size>(bench);
        default:
            return check_one<Space::global, Lane32, Size>(bench);
    }
}

}  // namespace

TEST_CASE("what the quick ways to memory allow, every lane may do, and the other way round") {
    Bench bench;
    std::uint64_t wrong = 0;
    for (std::uint64_t n = 0; n < cases; n += 4) {
        wrong += check_space<1>(bench);
        wrong += check_space<2>(bench);
        wrong += check_space<4>(bench);
        wrong += check_space<8>(bench);
        // Elsewhere is another access, with nothing in its cache.
        if (bench.below(16) == 0) bench.worker.range_cache[0] = {};
    }
    CHECK(wrong == 0);
}

TEST_CASE("a region holds what lies inside and nothing that wraps around") {
    constexpr Region region{0x1000, 64};
    CHECK(region.holds({0x1000, 0, 64}));
    CHECK(region.holds({0x1000, 60, 4}));
    CHECK_FALSE(region.holds({0x1000, 61, 4}));
    CHECK_FALSE(region.holds({0xFFF, 0, 1}));
    CHECK_FALSE(region.holds({0x1000, ~std::uint64_t{0}, 1}));
    CHECK_FALSE(region.holds({0x103F, ~std::uint64_t{0} - 0x3F, 1}));
    CHECK_FALSE(Region{}.holds({0, 0, 1}));
    const Span down = span_of_progression<std::uint32_t>(4, -4, 16, 4);
    CHECK(down.first == 0xFFFF'FFC8);
    CHECK(down.reach == 60);
}
