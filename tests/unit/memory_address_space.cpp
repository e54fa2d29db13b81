#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

using namespace cudash::virtual_gpu;

TEST_CASE("allocations are aligned, zero-filled, apart from each other and at the same addresses in every space") {
    std::vector<Address> first;
    for (int round = 0; round < 2; ++round) {
        auto space = AddressSpace::create(1 << 20);
        REQUIRE(space);
        std::vector<Address> all;
        for (std::uint64_t size : {1, 512, 513, 4096}) {
            auto made = space->allocate(size, 256, MemoryKind::device, "a");
            REQUIRE(made);
            CHECK(made->begin % 512 == 0);
            if (!all.empty()) CHECK(made->begin >= all.back() + 1024);
            all.push_back(made->begin);
            const std::byte* bytes = space->pointer(made->begin, size);
            REQUIRE(bytes);
            for (std::uint64_t i = 0; i < size; ++i) REQUIRE(bytes[i] == std::byte{0});
        }
        if (round == 0) first = all;
        CHECK(all == first);
    }
}

TEST_CASE("released memory is used again and is zero again") {
    auto space = AddressSpace::create(64 << 20);
    for (std::uint64_t size : {100, 5 << 20}) {
        auto made = space->allocate(size, 512, MemoryKind::device, "a");
        REQUIRE(made);
        std::memset(space->pointer(made->begin, size), 0xAB, size);
        CHECK(space->used(MemoryKind::device) == size);
        CHECK(space->release(made->begin));
        CHECK_FALSE(space->release(made->begin));
        CHECK(space->used(MemoryKind::device) == 0);
        auto again = space->allocate(size, 512, MemoryKind::device, "b");
        REQUIRE(again);
        CHECK(again->begin == made->begin);
        CHECK(again->serial > made->serial);
        const std::byte* bytes = space->pointer(again->begin, size);
        CHECK(bytes[0] == std::byte{0});
        CHECK(bytes[size / 2] == std::byte{0});
        CHECK(bytes[size - 1] == std::byte{0});
        CHECK(space->release(again->begin));
    }
}

TEST_CASE("neighbouring free ranges join") {
    auto space = AddressSpace::create(1 << 20);
    auto a = space->allocate(300 << 10, 512, MemoryKind::device, "a");
    auto b = space->allocate(300 << 10, 512, MemoryKind::device, "b");
    auto c = space->allocate(300 << 10, 512, MemoryKind::device, "c");
    REQUIRE((a && b && c));
    CHECK_FALSE(space->allocate(300 << 10, 512, MemoryKind::device, "d"));  // capacity
    CHECK(space->release(a->begin));
    CHECK(space->release(c->begin));
    CHECK(space->release(b->begin));
    auto whole = space->allocate(1 << 20, 512, MemoryKind::device, "e");
    REQUIRE(whole);
    CHECK(whole->begin == a->begin);
}

TEST_CASE("what cannot be allocated is refused") {
    auto space = AddressSpace::create(1 << 20);
    CHECK_FALSE(space->allocate(0, 512, MemoryKind::device, ""));
    CHECK_FALSE(space->allocate((1 << 20) + 1, 512, MemoryKind::device, ""));
    CHECK_FALSE(space->allocate(~std::uint64_t{0}, 512, MemoryKind::device, ""));
    CHECK_FALSE(space->allocate(16, 16, MemoryKind::pinned, ""));
}

TEST_CASE("host memory is entered at its own address") {
    auto space = AddressSpace::create(1 << 20);
    std::vector<int> host(100);
    Allocation pinned;
    pinned.begin = reinterpret_cast<Address>(host.data());
    pinned.size = 400;
    pinned.kind = MemoryKind::pinned;
    CHECK(space->enter_host(pinned));
    CHECK_FALSE(space->enter_host(pinned));
    Allocation inside = pinned;
    inside.begin += 4;
    inside.size = 4;
    CHECK_FALSE(space->enter_host(inside));
    CHECK(space->pointer(pinned.begin + 8, 4) == reinterpret_cast<std::byte*>(&host[2]));
    CHECK(space->pointer(pinned.begin + 398, 4) == nullptr);
    CHECK_FALSE(space->is_device_range(pinned.begin));
    CHECK(space->release(pinned.begin));
    CHECK_FALSE(space->find(pinned.begin));
}

TEST_CASE("the nearest allocation, live or released, is known") {
    auto space = AddressSpace::create(1 << 20);
    CHECK_FALSE(space->nearest(0x1000));
    auto a = space->allocate(400, 512, MemoryKind::device, "first");
    auto b = space->allocate(400, 512, MemoryKind::device, "second");
    CHECK(space->nearest(a->end() + 3)->allocation.origin == "first");
    CHECK(space->nearest(b->begin - 3)->allocation.origin == "second");
    CHECK(space->is_device_range(a->end() + 3));
    CHECK(space->release(a->begin));
    auto nearest = space->nearest(a->begin + 100);
    REQUIRE(nearest);
    CHECK(nearest->released);
    CHECK(nearest->allocation.origin == "first");
}

TEST_CASE("a snapshot is sorted, stays as it was, and follows updates") {
    auto space = AddressSpace::create(1 << 20);
    auto a = space->allocate(400, 512, MemoryKind::device, "a");
    auto b = space->allocate(400, 512, MemoryKind::heap, "b");
    auto before = space->snapshot();
    REQUIRE(before->size() == 2);
    CHECK((*before)[0].begin < (*before)[1].begin);
    CHECK(before == space->snapshot());
    a->pitch = 128;
    CHECK(space->update(*a));
    CHECK(space->snapshot()->front().pitch == 128);
    CHECK(before->front().pitch == 0);
    CHECK(space->release(b->begin));
    CHECK(space->snapshot()->size() == 1);
    CHECK(before->size() == 2);
    CHECK_FALSE(space->update(*b));
}

TEST_CASE("the first place that fits is taken among 100,000 free ranges that don't fit") {
    auto space = AddressSpace::create(1ull << 30);
    constexpr std::size_t count = 200'000;
    std::vector<Address> begins;
    for (std::size_t i = 0; i < count; ++i) begins.push_back(space->allocate(100, 512, MemoryKind::device, "")->begin);
    for (std::size_t i = 1; i < count; i += 2) space->release(begins[i]);
    // A walk past all of them for each allocation would take 10^10 steps.
    const Address first = space->allocate(1000, 512, MemoryKind::device, "")->begin;
    CHECK(first == begins.back());  // free, and the space behind it too
    Address last = first;
    for (std::size_t i = 0; i < count / 2; ++i) {
        const Address next = space->allocate(1000, 512, MemoryKind::device, "")->begin;
        REQUIRE(next > last);
        last = next;
    }
    // Those that fit are taken from the lowest address on.
    CHECK(space->allocate(100, 512, MemoryKind::device, "")->begin == begins[1]);
    CHECK(space->allocate(100, 512, MemoryKind::device, "")->begin == begins[3]);
    space->release(begins[0]);
    space->release(begins[1]);
    CHECK(space->allocate(1000, 512, MemoryKind::device, "")->begin == begins[0]);
}

TEST_CASE("one file shows at two reserved addresses, and what is hidden is gone") {
    auto space = AddressSpace::create(64 << 20);
    constexpr std::uint64_t size = 2 << 20;
    const SharedFile file = SharedFile::create("test", size);
    REQUIRE(file);
    const auto room = space->reserve(2 * size, size);
    REQUIRE(room);
    CHECK(*room % size == 0);
    CHECK_FALSE(space->find(*room));
    for (const Address at : {*room, *room + size}) {
        REQUIRE(space->show(at, file, 0, size));
        Allocation allocation;
        allocation.begin = at;
        allocation.size = size;
        space->enter_shown(allocation);
    }
    *space->pointer(*room, 1) = std::byte{7};
    CHECK(*space->pointer(*room + size, 1) == std::byte{7});
    CHECK(space->state_of(*room) == 0);  // others may store to it unseen
    for (const Address at : {*room, *room + size}) {
        CHECK(space->release(at));
        space->hide(at, size);
    }
    space->unreserve(*room);
    const auto again = space->allocate(size, size, MemoryKind::device, "a");
    REQUIRE(again);
    CHECK(again->begin == *room);
    CHECK(*space->pointer(again->begin, 1) == std::byte{0});
    CHECK_FALSE(space->reserve(std::uint64_t{1} << 50, 1));
}

TEST_CASE("memory that is shared keeps its bytes and its neighbors', and is zero again when it was released") {
    auto space = AddressSpace::create(64 << 20);
    const auto before = space->allocate(100, 512, MemoryKind::device, "before");
    const auto shared = space->allocate(100000, 512, MemoryKind::device, "shared");
    *space->pointer(before->begin, 1) = std::byte{1};
    *space->pointer(shared->begin, 1) = std::byte{2};
    const auto share = space->share(shared->begin);
    REQUIRE(share);
    CHECK(*space->pointer(before->begin, 1) == std::byte{1});
    const SharedFile file = SharedFile::open(share->descriptor);
    REQUIRE(file);
    auto other = AddressSpace::create(64 << 20);
    const std::uint64_t page = 4096, phase = share->offset % page;
    const auto room = other->reserve(100000 + 2 * page, page);
    REQUIRE(other->show(*room, file, share->offset - phase, 100000 / page * page));
    Allocation allocation;
    allocation.begin = *room + phase;
    allocation.size = 1000;
    other->enter_shown(allocation);
    CHECK(*other->pointer(allocation.begin, 1) == std::byte{2});
    *other->pointer(allocation.begin + 1, 1) = std::byte{3};
    CHECK(*space->pointer(shared->begin + 1, 1) == std::byte{3});
    CHECK(space->release(shared->begin));
    const auto again = space->allocate(100000, 512, MemoryKind::device, "again");
    REQUIRE(again->begin == shared->begin);
    CHECK(*space->pointer(again->begin + 1, 1) == std::byte{0});
    CHECK_FALSE(space->share(12345));
    CHECK_FALSE(SharedFile::open(0));
}
