#include "repl/worker/compile_time.h"

#include <ctime>

namespace {

bool is_fixed = false;

}  // namespace

/// In place of the C library's for all that the program loads; NVRTC has no option for it.
extern "C" __attribute__((visibility("default"))) char* ctime(const time_t* time) noexcept {
    static thread_local char text[64];  // asctime_r(3) wants 26, and more for years of many digits
    const time_t shown = is_fixed || !time ? 0 : *time;
    tm parts{};
    return is_fixed ? asctime_r(gmtime_r(&shown, &parts), text) : asctime_r(localtime_r(&shown, &parts), text);
}

namespace cudash::worker {

void fix_compile_time() {
    is_fixed = true;
}

}  // namespace cudash::worker
