// Ctrl-C while NVRTC compiles.
#pragma once

#include "runtime_wrappers/nvrtc/library.h"

namespace cudash::nvrtc {

/// Asks the compilations that are under way to end; may be called in a signal handler. NVRTC looks for it between its
/// passes: within half a second as a rule, within ten in a function of megabytes of PTX (measured with NVRTC 13.0).
/// compile() then fails with the code "interrupted".
void cancel_compilations() noexcept;

/// Whether a compilation is under way that can be asked to end. Those of NVRTC before 12.9 can't.
bool is_cancelable() noexcept;

/// While it lives, the program's compilation can be asked to end.
class Cancelable {
public:
    Cancelable(const Library& library, nvrtcProgram program);
    ~Cancelable();
    Cancelable(const Cancelable&) = delete;
    Cancelable& operator=(const Cancelable&) = delete;

private:
    const unsigned earlier_requests_;
    bool is_counted_;
};

}  // namespace cudash::nvrtc
