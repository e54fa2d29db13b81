// How a worker that runs a stranger's code is held. Each layer works for an ordinary user in a container; one table
// says what each stops and for which submissions it is needed. repl/grade decides by it what may run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::worker {

/// What a confined worker may use.
struct Confinement {
    std::string folder;                       ///< its current folder, made for it alone; nothing can be written there
    std::uint64_t memory_bytes = 640u << 20;  ///< resident
    std::uint64_t cpu_seconds = 120;
    std::uint64_t output_bytes = 1u << 20;  ///< on stdout and stderr, of one cell
    std::string input;                      ///< its stdin
    std::vector<std::string> without{};     ///< layers that are left out, to test the others
};

/// Whose code the worker runs, from harmless to native.
enum class Trust : std::uint8_t { device_code, native_code };

struct Layer {
    std::string_view name;
    std::string_view stops;
    /// The submissions that are refused without it. Device code alone is not meant to run natively; the layers hold it
    /// where a mistake in the virtual GPU or in a compiler lets it.
    bool for_device_code = false, for_native_code = false;
};

/// All layers, in the order in which they are put on.
std::span<const Layer> layers();
/// The names of the layers that `trust` needs and `active` lacks.
std::vector<std::string_view> missing_layers(Trust trust, std::span<const std::string> active);

/// The worker's side. Put on in two steps: before the session starts its threads, and after it has loaded what it
/// needs. No code of a stranger's runs before the second.
class Sandbox {
public:
    explicit Sandbox(const Confinement& confinement) : confinement_(confinement) {}
    void before_session();
    void after_session();
    /// The names of the layers that hold.
    const std::vector<std::string>& active() const { return active_; }

private:
    Confinement confinement_;
    std::vector<std::string> active_;
};

}  // namespace cudash::worker
