#include "repl/session/guard.h"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdint>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/ptx/parser.h"

using namespace cudash;
using session::Guard;
using session::GuardedEnd;

namespace {

/// A text that nobody may read. The compiler does not know where it is.
std::string_view unreadable() {
    static volatile std::uintptr_t nowhere = 16;
    return {reinterpret_cast<const char*>(nowhere), 64};
}

}  // namespace

TEST_CASE("guard: a fault in the virtual GPU is not the student's") {
    Guard::install(nullptr);
    const GuardedEnd end = Guard::run([] { (void)ptx::parse(unreadable()); });
    CHECK(end.kind == GuardedEnd::Kind::signal);
    CHECK(end.signal == SIGSEGV);
    CHECK(end.internal);
    CHECK_FALSE(end.sound);
}

TEST_CASE("guard: a fault outside of the virtual GPU is not an internal one") {
    Guard::install(nullptr);
    const GuardedEnd end = Guard::run([] {
        volatile const char* text = unreadable().data();
        (void)*text;
    });
    CHECK(end.kind == GuardedEnd::Kind::signal);
    CHECK(end.signal == SIGSEGV);
    CHECK_FALSE(end.internal);
}
