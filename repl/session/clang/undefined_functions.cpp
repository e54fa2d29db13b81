#include "repl/session/clang/undefined_functions.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace cudash::session {
namespace {

const std::string* called = nullptr;

/// Where all of them land: a function that the unwinder knows, so that the caller's line is found.
[[noreturn]] void land([[maybe_unused]] const std::string* symbol) {
    called = symbol;
    __builtin_trap();
}

[[noreturn]] void land_anywhere() {
    land(nullptr);
}

#if defined(__x86_64__)
/// mov $symbol, %rdi; mov $land, %rax; jmp *%rax
struct [[gnu::packed]] Jump {
    std::uint16_t load_symbol = 0xbf48;
    const std::string* symbol = nullptr;
    std::uint16_t load_target = 0xb848;
    void (*target)(const std::string*) = &land;
    std::uint16_t jump = 0xe0ff;
};
constexpr std::size_t slot = 32;
static_assert(sizeof(Jump) <= slot);
#endif

std::size_t page_size() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

UndefinedFunctions::~UndefinedFunctions() {
    for (void* page : pages_) munmap(page, page_size());
}

const void* UndefinedFunctions::place_for(const std::string& symbol) {
#if defined(__x86_64__)
    if (pages_.empty() || used_ + slot > page_size()) {
        void* page = mmap(nullptr, page_size(), PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) return reinterpret_cast<const void*>(&land_anywhere);
        pages_.push_back(page);
        used_ = 0;
    }
    symbols_.push_back(symbol);
    unsigned char* place = static_cast<unsigned char*>(pages_.back()) + used_;
    const Jump jump{.symbol = &symbols_.back()};
    std::memcpy(place, &jump, sizeof jump);
    used_ += slot;
    return place;
#else
    symbols_.push_back(symbol);
    return reinterpret_cast<const void*>(&land_anywhere);
#endif
}

std::string UndefinedFunctions::take_called() {
    const std::string* symbol = std::exchange(called, nullptr);
    return symbol ? *symbol : std::string();
}

}  // namespace cudash::session
