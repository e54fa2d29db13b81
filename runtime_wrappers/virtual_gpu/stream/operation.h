// One thing that a stream was asked to do, from its issue until it has run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace cudash::virtual_gpu {

/// What part of a device works on an operation on the modelled clock.
enum class Engine : std::uint8_t { none, kernels, to_device, to_host };

/// What running an operation took.
struct Usage {
    double duration = 0;  ///< nanoseconds
    Engine engine = Engine::none;
    double share = 1;  ///< of the engine: kernels that leave room run side by side
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
    bool wanted = false;                            ///< something waits for it
    std::vector<std::shared_ptr<Operation>> after;  ///< what must be done first and isn't yet

    virtual Usage run() = 0;
    /// Whether it runs even though an error ended the context.
    virtual bool survives_errors() const { return false; }
};
using OperationPtr = std::shared_ptr<Operation>;

}  // namespace cudash::virtual_gpu
