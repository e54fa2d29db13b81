// The order in which queued operations run, and the modelled clock.
#include <doctest/doctest.h>

#include <string>

#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

using namespace cudash::virtual_gpu;

namespace {

class Named : public Operation {
public:
    Named(std::string& log, char name, Usage usage) : log_(log), name_(name), usage_(usage) {}
    Usage run() override {
        log_ += name_;
        return usage_;
    }

private:
    std::string& log_;
    char name_;
    Usage usage_;
};

struct Queue {
    const Profile& profile = *find_profile("h200");
    Timeline timeline{profile};
    std::string log;

    OperationPtr issue(Stream& stream, char name, Usage usage = {.duration = 10}) {
        auto operation = std::make_shared<Named>(log, name, usage);
        timeline.issue(stream, operation);
        return operation;
    }
    Stream& create(unsigned flags = cudaStreamDefault) {
        Stream stream;
        stream.id = timeline.next_stream_id();
        stream.flags = flags;
        return *timeline.streams.find(timeline.streams.add(stream));
    }
    void run(const OperationPtr& operation) {
        timeline.want(operation);
        while (const OperationPtr next = timeline.next_wanted()) timeline.complete(*next);
    }
    void run_all() {
        timeline.want_all(0);
        while (const OperationPtr next = timeline.next_wanted()) timeline.complete(*next);
    }
};

}  // namespace

TEST_CASE_FIXTURE(Queue, "nothing runs until something needs it, and then only what it needs") {
    Stream &a = create(), &b = create();
    issue(a, '1');
    const OperationPtr second = issue(b, '2');
    issue(a, '3');
    issue(b, '4');
    CHECK(log == "");
    run(second);
    CHECK(log == "2");
    run_all();
    CHECK(log == "2134");
    CHECK(timeline.waiting() == 0);
}

TEST_CASE_FIXTURE(Queue, "the legacy default stream and blocking streams wait for each other") {
    Stream &blocking = create(), &free = create(cudaStreamNonBlocking);
    issue(blocking, '1');
    issue(free, '2');
    const OperationPtr legacy = issue(timeline.legacy(0), '3');
    run(legacy);
    CHECK(log == "13");
    issue(timeline.legacy(0), '4');
    issue(timeline.per_thread(0, 1), '5');
    const OperationPtr last = issue(blocking, '6');
    run(last);
    CHECK(log == "1346");
    run_all();
    CHECK(log == "134625");
}

TEST_CASE_FIXTURE(Queue, "a destroyed stream's work goes on, and the legacy default stream waits for it") {
    Stream stream;
    const cudaStream_t handle = timeline.streams.add(stream);
    issue(*timeline.streams.find(handle), '1');
    timeline.let_go(*timeline.streams.find(handle));
    timeline.streams.remove(handle);
    run(issue(timeline.legacy(0), '2'));
    CHECK(log == "12");
}

TEST_CASE_FIXTURE(Queue, "what is dropped never runs") {
    const OperationPtr operation = issue(timeline.legacy(0), '1');
    timeline.drop_all();
    run_all();
    CHECK(log == "");
    CHECK(operation->done);
}

TEST_CASE_FIXTURE(Queue, "streams overlap on the clock where the engines allow it") {
    Stream &a = create(cudaStreamNonBlocking), &b = create(cudaStreamNonBlocking);
    const OperationPtr in = issue(a, '1', {100, Engine::to_device});
    const OperationPtr out = issue(b, '2', {100, Engine::to_host});
    const OperationPtr in_again = issue(b, '3', {100, Engine::to_device});
    run_all();
    CHECK(in->end == 100);
    CHECK(out->end == 100);       // the other direction
    CHECK(in_again->end == 200);  // after its stream's copy; the engine is free by then
    const OperationPtr after = issue(a, '4', {50, Engine::to_device});
    run_all();
    CHECK(after->end == 250);
}

TEST_CASE("kernels run side by side as long as they fit") {
    Engines engines(3, 4);
    CHECK(engines.place({100, Engine::kernels, 0.5}, 0) == 100);
    CHECK(engines.place({100, Engine::kernels, 0.5}, 0) == 100);
    CHECK(engines.place({100, Engine::kernels, 0.5}, 0) == 200);
    CHECK(engines.place({10, Engine::kernels, 0.5}, 50) == 110);  // beside the third
    CHECK(engines.place({10, Engine::kernels, 1.0}, 0) == 210);
    CHECK(engines.place({10, Engine::none}, 5) == 15);
}

TEST_CASE("the number of resident grids is limited, and old devices overlap nothing") {
    Engines few(1, 2);
    CHECK(few.place({100, Engine::kernels, 0.1}, 0) == 100);
    CHECK(few.place({100, Engine::kernels, 0.1}, 0) == 100);
    CHECK(few.place({100, Engine::kernels, 0.1}, 0) == 200);
    CHECK(few.place({100, Engine::to_device}, 0) == 100);
    CHECK(few.place({100, Engine::to_host}, 0) == 200);  // one engine for both directions
    Engines old(0, 1);
    CHECK(old.place({100, Engine::kernels, 0.1}, 0) == 100);
    CHECK(old.place({100, Engine::to_device}, 0) == 200);
}

TEST_CASE("a gap that was left is filled") {
    Engines engines(2, 128);
    CHECK(engines.place({10, Engine::to_device}, 100) == 110);
    CHECK(engines.place({50, Engine::to_device}, 0) == 50);
    CHECK(engines.place({60, Engine::to_device}, 0) == 170);
    engines.forget_before(200);
    CHECK(engines.place({10, Engine::to_device}, 200) == 210);
}

TEST_CASE_FIXTURE(Queue, "each thread has its own default stream") {
    Stream& mine = timeline.per_thread(0, 1);
    Stream& other = timeline.per_thread(0, 2);
    CHECK(&mine != &other);
    const OperationPtr first = issue(mine, '1');
    const OperationPtr second = issue(other, '2');
    run(second);
    CHECK(log == "2");
    run(first);
    CHECK(log == "21");
}

TEST_CASE_FIXTURE(Queue, "of what could run, the stream of higher priority goes first") {
    Stream &low = create(), &high = create();
    high.priority = -2;
    const Usage whole{.duration = 100, .engine = Engine::kernels, .share = 1};
    const OperationPtr a = issue(low, 'a', whole), b = issue(low, 'b', whole);
    timeline.host_works(10);
    const OperationPtr c = issue(high, 'c', whole);
    SUBCASE("even where only the other was waited for") {
        run(b);
        CHECK(log == "cab");
    }
    SUBCASE("while the others go on around it") {
        run_all();
        CHECK(c->end == 110);
        CHECK(a->end == 200);
        CHECK(b->end == 300);
    }
}

TEST_CASE_FIXTURE(Queue, "priority does not come before order") {
    Stream &low = create(), &high = create();
    high.priority = -1;
    const OperationPtr before = issue(low, 'a');
    timeline.issue_after(0, std::make_shared<Named>(log, 'b', Usage{}), {before}, high.priority);
    run_all();
    CHECK(log == "ab");
}

TEST_CASE_FIXTURE(Queue, "after an error only what survives it runs") {
    class Surviving : public Named {
    public:
        using Named::Named;
        bool survives_errors() const override { return true; }
    };
    Stream& stream = create();
    issue(stream, '1');
    timeline.issue(stream, std::make_shared<Surviving>(log, '2', Usage{}));
    const OperationPtr last = issue(stream, '3');
    timeline.drop_after_error();
    while (const OperationPtr next = timeline.next_wanted()) timeline.complete(*next);
    CHECK(log == "2");
    CHECK(last->done);
    CHECK(timeline.waiting() == 0);
}

TEST_CASE_FIXTURE(Queue, "a device that ends takes its streams, events and waiting work, and no other's") {
    Stream &here = create(), &there = create();
    there.device = 1;
    const cudaEvent_t event = timeline.events.add({.device = 1}), other = timeline.events.add({.device = 0});
    issue(here, '1');
    issue(there, '2');
    timeline.end_device(1);
    CHECK(timeline.events.find(event) == nullptr);
    CHECK(timeline.events.find(other) != nullptr);
    CHECK(std::distance(timeline.streams.begin(), timeline.streams.end()) == 1);
    run_all();
    CHECK(log == "1");
}

TEST_CASE_FIXTURE(Queue, "the default stream comes after each stream's newest operation, and names those once") {
    Stream &a = create(), &b = create();
    issue(a, '1');
    issue(b, '2');
    Stream& legacy = timeline.legacy(0);
    CHECK(timeline.frontier(legacy).size() == 2);
    issue(legacy, '3');
    CHECK(timeline.frontier(legacy).size() == 1);  // '3' is behind both
    issue(b, '4');
    CHECK(timeline.frontier(legacy).size() == 2);
    // A stream that moved on while the default stream's operation was on its way stays ahead.
    const OperationPtr late = std::make_shared<Named>(log, '5', Usage{});
    timeline.issue_after(0, late, timeline.frontier(legacy));
    issue(a, '6');
    timeline.set_last(legacy, late);
    CHECK(timeline.frontier(legacy).size() == 2);
}
