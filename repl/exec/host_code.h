// Where the program's own host code is, by its DWARF line tables (nvcc -g): which line made a call of the CUDA runtime.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "repl/session/code_place.h"
#include "runtime_wrappers/api/runtime.h"

struct Dwfl;

namespace cudash::exec {

class HostCode {
public:
    HostCode();
    ~HostCode();
    HostCode(const HostCode&) = delete;
    HostCode& operator=(const HostCode&) = delete;

    /// The line whose call this thread serves now, and what its text says of it.
    api::CallPlace place_of_call();
    /// The first of these instructions, innermost first, that is the program's own code.
    std::optional<session::CodePlace> own_place(std::span<const std::uint64_t> addresses);

private:
    /// The line of an instruction, and then those at which the functions are called that were inlined there.
    const std::vector<session::CodePlace>& places_of(std::uint64_t address);
    void open();

    std::mutex mutex_;
    bool has_lines_ = false, opened_ = false;
    Dwfl* modules_ = nullptr;
    std::map<std::uint64_t, std::vector<session::CodePlace>> known_;
};

}  // namespace cudash::exec
