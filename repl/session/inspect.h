// What the shell asks about a session: its variables, kernels, memory, device. One table of inspections; each gives a
// table or text, and changes nothing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/clang/host_engine.h"
#include "repl/session/device/device_unit.h"
#include "repl/session/outcome.h"
#include "repl/session/profile_pictures.h"
#include "repl/session/tracer.h"
#include "runtime_wrappers/api/runtime.h"

namespace cudash::session {

struct Inspected {
    HostEngine& engine;
    DeviceUnit& unit;
    api::Runtime& runtime;
    Tracer& tracer;
    const std::map<std::string, std::string>& shown;  ///< the types of the values of cells, by their names
    const std::set<std::string>& with_last_value;     ///< cells that use `_`
    LineText source{};
};

/// Where a __device__, __constant__ or __managed__ variable is, by its host shadow; 0: nowhere.
std::uint64_t device_address(void* shadow);

/// `request` is an inspection's name and its argument: "ptx k". A request that can't be answered gives an outcome of
/// status compile_error with a diagnostic.
Outcome inspect(const Inspected& session, std::string_view request);

}  // namespace cudash::session
