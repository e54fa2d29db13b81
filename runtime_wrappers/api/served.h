// What the runtimes of both backends have in common: the state that entry points reach, and what is said at the end.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/host_check/ledger.h"
#include "runtime_wrappers/virtual_gpu/check/checkers.h"

namespace cudash::api {

/// Owns what entry points reach through active(), from begin() on.
class Served {
public:
    Served(DeviceCode& code, Events events, const Options& options);
    ~Served();
    void begin(Backend& backend);
    Active state;
};

HostChecks host_checks(const virtual_gpu::Selection& selection);
std::vector<Diagnostic> what_leaks(std::span<const host_check::Leak> memory, const host_check::Ledger& ledger);
/// What is to be said when a program has ended.
std::vector<Diagnostic> what_is_left(const Runtime& runtime, const Active& state, bool as_it_should);
std::string details_of_pitched(std::uint64_t pitch, std::uint64_t width, std::uint64_t height);

}  // namespace cudash::api
