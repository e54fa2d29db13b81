#include "runtime_wrappers/nvrtc/cancel.h"

#include <atomic>

namespace cudash::nvrtc {
namespace {

std::atomic<unsigned> requests = 0, under_way = 0;
static_assert(std::atomic<unsigned>::is_always_lock_free, "a signal handler writes them");

int has_new_requests(void* earlier, void*) {
    return requests == *static_cast<const unsigned*>(earlier) ? 0 : 1;
}

}  // namespace

void cancel_compilations() noexcept {
    ++requests;
}

bool is_cancelable() noexcept {
    return under_way != 0;
}

Cancelable::Cancelable(const Library& library, nvrtcProgram program) : earlier_requests_(requests) {
    is_counted_ = library.set_flow_callback &&
                  library.set_flow_callback(program, &has_new_requests, const_cast<unsigned*>(&earlier_requests_)) ==
                      NVRTC_SUCCESS;
    if (is_counted_) ++under_way;
}

Cancelable::~Cancelable() {
    if (is_counted_) --under_way;
}

}  // namespace cudash::nvrtc
