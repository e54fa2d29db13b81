// What comes before what, whatever order things run in.
#include <doctest/doctest.h>

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/check/footprint.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

using namespace cudash::virtual_gpu;

namespace {

class Nothing final : public Operation {
public:
    Usage run() override { return {}; }
};

struct Streams {
    Timeline timeline{*find_profile("h200")};

    Stream& create(unsigned flags = cudaStreamDefault) {
        Stream stream;
        stream.id = timeline.next_stream_id();
        stream.flags = flags;
        timeline.count_stream(stream);
        handles.push_back(timeline.streams.add(stream));
        return *timeline.streams.find(handles.back());
    }
    OperationPtr issue(Stream& stream) {
        auto operation = std::make_shared<Nothing>();
        timeline.issue(stream, operation);
        return operation;
    }
    OperationPtr issue_after(std::vector<OperationPtr> before) {
        auto operation = std::make_shared<Nothing>();
        timeline.issue_after(0, operation, before);
        return operation;
    }
    void run_all() {
        timeline.want_all(0);
        while (const OperationPtr next = timeline.next_wanted()) timeline.complete(*next);
    }
    static bool ordered(const OperationPtr& first, const OperationPtr& second) {
        return first->moment.before(second->moment);
    }
    static bool unordered(const OperationPtr& a, const OperationPtr& b) { return !ordered(a, b) && !ordered(b, a); }
    std::vector<cudaStream_t> handles;
};

}  // namespace

TEST_CASE_FIXTURE(Streams, "order: a stream, and the default stream with others") {
    Stream &a = create(), &b = create(), &free = create(cudaStreamNonBlocking), &legacy = timeline.legacy(0);
    const auto first = issue(a), second = issue(a), other = issue(b), beside = issue(free);
    CHECK(ordered(first, second));
    CHECK(!ordered(second, first));
    CHECK(unordered(second, other));
    const auto between = issue(legacy);
    CHECK(ordered(second, between));
    CHECK(ordered(other, between));
    CHECK(unordered(beside, between));
    CHECK(ordered(between, issue(b)));
    CHECK(ordered(first, issue(b)));
    CHECK(unordered(first, issue(free)));
}

TEST_CASE_FIXTURE(Streams, "order: that something has run says nothing") {
    Stream &a = create(), &b = create();
    const auto first = issue(a);
    run_all();
    const auto second = issue(b);
    CHECK(unordered(first, second));
    timeline.order.host_waited(first->moment);
    const auto third = issue(b);
    CHECK(ordered(first, third));
    CHECK(ordered(first, issue(create())));
}

TEST_CASE_FIXTURE(Streams, "order: a wait of the host for one operation holds what came before it, and no more") {
    Stream &a = create(), &b = create(), &c = create();
    const auto before = issue(a), waited = issue_after({before}), other = issue(b);
    timeline.order.host_waited(waited->moment);
    const auto next = issue(c);
    CHECK(ordered(before, next));
    CHECK(ordered(waited, next));
    CHECK(unordered(other, next));
    timeline.order.host_waited_for_all();
    CHECK(ordered(other, issue(c)));
    CHECK(timeline.order.host_knows(next->moment));
}

TEST_CASE_FIXTURE(Streams, "order: branches and joins") {
    const auto root = issue_after({});
    const auto left = issue_after({root}), right = issue_after({root});
    const auto left_end = issue_after({left});
    auto join = issue_after({left_end, right});
    CHECK(unordered(left, right));
    CHECK(unordered(left_end, right));
    CHECK(ordered(root, left_end));
    CHECK(ordered(left, join));
    CHECK(ordered(right, join));
    // Chains are used again by what comes after them.
    for (int i = 0; i < 100; ++i) {
        const auto begin = issue_after({join}), a = issue_after({begin}), b = issue_after({begin});
        CHECK(unordered(a, b));
        join = issue_after({a, b});
        CHECK(std::max(a->moment.chain, b->moment.chain) < 2);
    }
}

TEST_CASE_FIXTURE(Streams, "order: work that is all in order makes one chain") {
    Stream& legacy = timeline.legacy(0);
    Stream& a = create();
    CHECK(!issue(a)->has_concurrent_work);
    for (int i = 0; i < 10; ++i) {
        const auto operation = issue(i % 2 ? a : legacy);
        CHECK(operation->moment.chain == 0);
        CHECK(!operation->has_concurrent_work);
    }
    create();
    CHECK(issue(a)->has_concurrent_work);
}

TEST_CASE_FIXTURE(Streams, "order: the default stream comes after streams that are gone") {
    Stream& legacy = timeline.legacy(0);
    for (const bool run : {false, true}) {
        Stream& a = create();
        const auto first = issue(a);
        if (run) run_all();
        timeline.let_go(a);
        timeline.streams.remove(handles.back());
        if (!run) run_all();
        CHECK(ordered(first, issue(legacy)));
    }
}

TEST_CASE("footprints hold exactly the bytes that were added") {
    Footprint footprint;
    footprint.add(Use::read, 1000, 24, 1);
    footprint.add(Use::read, 1024, 100, 1);
    footprint.add(Use::read, 1200, 4, 2);
    footprint.add(Use::write, 1200, 4, 3);
    footprint.add(Use::read, (1 << 21) - 8, 16, 1);
    const auto read = footprint.take(Use::read);
    REQUIRE(read.size() == 3);
    CHECK((read[0].begin == 1000 && read[0].end == 1124 && read[0].site == 1));
    CHECK((read[1].begin == 1200 && read[1].end == 1204 && read[1].site == 2));
    CHECK((read[2].begin == (1 << 21) - 8 && read[2].end == (1 << 21) + 8));
    CHECK(footprint.take(Use::read).empty());
    CHECK(footprint.take(Use::write).size() == 1);
    footprint.add(Use::read, 1008, 8, 5);
    footprint.add(Use::read, 1024, 64, 5);
    const auto again = footprint.take(Use::read);
    REQUIRE(again.size() == 2);
    CHECK((again[0].begin == 1008 && again[0].end == 1016));
    CHECK((again[1].begin == 1024 && again[1].end == 1088));
}
