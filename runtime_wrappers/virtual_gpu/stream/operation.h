// One thing that a stream was asked to do, from its issue until it has run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime_wrappers/virtual_gpu/stream/happens_before.h"

namespace cudash::virtual_gpu {

/// What part of a device works on an operation on the modelled clock.
enum class Engine : std::uint8_t { none, kernels, to_device, to_host };

/// What running an operation took.
struct Usage {
    double duration = 0;  ///< nanoseconds
    Engine engine = Engine::none;
    double share = 1;  ///< of the engine: kernels that leave room run side by side
};

/// Where an operation was asked for, to be told to the reader.
struct IssuedIn {
    enum class Kind : std::uint8_t { none, legacy, per_thread, blocking, non_blocking };
    Kind kind = Kind::none;
    std::uint64_t number = 0;        ///< of the streams that were created, from 1
    std::uint64_t graph_launch = 0;  ///< counts launches of graphs; 0: not in a graph
};

class Operation {
public:
    virtual ~Operation() = default;

    int device = 0;
    int priority = 0;  ///< as of streams: lower numbers go first
    double issued = 0;
    double earliest = 0;  ///< not before this time: when it was issued, or what it waits for has ended
    double end = 0;       ///< once done
    bool done = false;
    bool started = false;  ///< and waits for something outside of it, until it is done
    Moment moment{};       ///< when it was issued
    IssuedIn issued_in{};
    bool has_concurrent_work = false;               ///< operations may be in no order with this one
    bool wanted = false;                            ///< something waits for it
    std::vector<std::shared_ptr<Operation>> after;  ///< what must be done first and isn't yet

    virtual Usage run() = 0;
    /// Whether it may have to wait in its midst, for other operations or for the program.
    virtual bool may_wait() const { return false; }
    /// Whether it runs even though an error ended the context.
    virtual bool survives_errors() const { return false; }
};
using OperationPtr = std::shared_ptr<Operation>;

}  // namespace cudash::virtual_gpu
