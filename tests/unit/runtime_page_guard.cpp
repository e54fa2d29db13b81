#include "runtime_wrappers/virtual_gpu/runtime/page_guard.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <csignal>

using cudash::virtual_gpu::runtime::GuardedPages;
using cudash::virtual_gpu::runtime::page_size;
using cudash::virtual_gpu::runtime::PageGuard;

namespace {

void on_fault(int, siginfo_t* info, void* context) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (!PageGuard::holds(address)) {
        std::signal(SIGSEGV, SIG_DFL);
        return;
    }
    const bool writes = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
    const std::array<std::uint64_t, 1> stack = {7};
    PageGuard::note(address, writes, stack);
}

/// Four pages, and the handler that lets host code go on.
class Guarded {
public:
    Guarded() {
        struct sigaction action {};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = on_fault;
        sigaction(SIGSEGV, &action, &before_);
        memory = static_cast<unsigned char*>(
            mmap(nullptr, 4 * page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        begin = reinterpret_cast<std::uint64_t>(memory);
    }
    ~Guarded() {
        PageGuard::release();
        (void)PageGuard::take();
        munmap(memory, 4 * page_size());
        sigaction(SIGSEGV, &before_, nullptr);
    }
    volatile unsigned char& at(std::uint64_t offset) { return memory[offset]; }
    unsigned char* memory;
    std::uint64_t begin;

private:
    struct sigaction before_ {};
};

void guard(std::uint64_t begin, std::uint64_t end, bool reads_too) {
    const GuardedPages pages[] = {{begin, end, reads_too}};
    PageGuard::guard(pages);
}

}  // namespace

TEST_CASE("page guard: the first access to a page is noted, and goes on") {
    Guarded guarded;
    guarded.at(5) = 42;
    guard(guarded.begin, guarded.begin + 2 * page_size(), true);
    CHECK(PageGuard::holds(guarded.begin));
    CHECK(!PageGuard::holds(guarded.begin + 2 * page_size()));
    CHECK(guarded.at(5) == 42);
    CHECK(guarded.at(6) == 0);
    guarded.at(7) = 1;
    guarded.at(page_size() + 3) = 2;
    guarded.at(2 * page_size()) = 3;
    const auto noted = PageGuard::take();
    REQUIRE(noted.size() == 3);
    CHECK(noted[0].address == guarded.begin + 5);
    CHECK(!noted[0].writes);
    CHECK(noted[0].depth == 1);
    CHECK(noted[0].stack[0] == 7);
    CHECK(noted[1].address == guarded.begin + 7);
    CHECK(noted[1].writes);
    CHECK(noted[2].address == guarded.begin + page_size() + 3);
    CHECK(guarded.at(7) == 1);
    CHECK(guarded.at(page_size() + 3) == 2);
}

TEST_CASE("page guard: memory that is only read may be read by all") {
    Guarded guarded;
    guard(guarded.begin, guarded.begin + page_size(), false);
    CHECK(guarded.at(5) == 0);
    CHECK(PageGuard::take().empty());
    guarded.at(5) = 1;
    CHECK(PageGuard::take().size() == 1);
}

TEST_CASE("page guard: what is released is nobody's") {
    Guarded guarded;
    guard(guarded.begin, guarded.begin + 4 * page_size(), true);
    PageGuard::release();
    CHECK(!PageGuard::any());
    guarded.at(0) = 1;
    CHECK(PageGuard::take().empty());
}

TEST_CASE("page guard: who faulted before the pages were given back may try again, but not for ever") {
    Guarded guarded;
    const std::uint64_t page = page_size(), begin = guarded.begin;
    guard(begin, begin + page, true);
    PageGuard::release();
    CHECK_FALSE(PageGuard::holds(begin));
    CHECK(PageGuard::was_given_back(begin + 7));
    CHECK_FALSE(PageGuard::was_given_back(begin + page));
    guard(begin + page, begin + 2 * page, true);
    CHECK(PageGuard::was_given_back(begin));
    guard(begin + 2 * page, begin + 3 * page, true);
    CHECK(PageGuard::was_given_back(begin + page));
    int times = 0;
    while (times < 1000 && PageGuard::was_given_back(begin + page)) ++times;
    CHECK(times > 10);
    CHECK(times < 1000);
}

TEST_CASE("page guard: pages that stay are not guarded again, touched ones are, and others are given back") {
    Guarded guarded;
    const std::uint64_t page = page_size(), begin = guarded.begin;
    const GuardedPages first[] = {{begin, begin + page, true}, {begin + page, begin + 2 * page, true}};
    PageGuard::guard(first);
    guarded.at(0) = 1;
    CHECK(PageGuard::take().size() == 1);
    const GuardedPages second[] = {{begin, begin + page, true}, {begin + 2 * page, begin + 3 * page, false}};
    PageGuard::guard(second);
    guarded.at(0) = 2;         // again
    guarded.at(page) = 3;      // nobody's now
    guarded.at(2 * page) = 4;  // new
    const auto noted = PageGuard::take();
    REQUIRE(noted.size() == 2);
    CHECK(noted[0].address == begin);
    CHECK(noted[1].address == begin + 2 * page);
}

TEST_CASE("page guard: after many faults the rest is open") {
    Guarded guarded;
    const std::uint64_t pages = 100;
    auto* memory = static_cast<volatile unsigned char*>(
        mmap(nullptr, pages * page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    const auto begin = reinterpret_cast<std::uint64_t>(memory);
    guard(begin, begin + pages * page_size(), true);
    for (std::uint64_t i = 0; i < pages; ++i) memory[i * page_size()] = 1;
    CHECK(PageGuard::take().size() == 64);
    PageGuard::release();
    munmap(const_cast<unsigned char*>(memory), pages * page_size());
}

TEST_CASE("page guard: guarded again, a page tells who still reads the same byte, and notes nothing new") {
    Guarded guarded;
    guard(guarded.begin, guarded.begin + 2 * page_size(), true);
    CHECK(guarded.at(5) == 0);
    CHECK(guarded.at(page_size()) == 0);
    PageGuard::guard_again();
    CHECK(guarded.at(5) == 0);
    CHECK(guarded.at(page_size() + 1) == 0);
    const auto accesses = PageGuard::take();
    REQUIRE(accesses.size() == 2);
    CHECK(accesses[0].again);
    CHECK_FALSE(accesses[1].again);
}
