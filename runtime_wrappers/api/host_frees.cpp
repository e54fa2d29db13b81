// free and delete of the program, as far as they matter to the device.
#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/api/wrong_free.h"

namespace cudash::api {

void host_frees(const void* pointer, const void* frame) {
    if (const Active* runtime = active()) runtime->backend->host_frees(reinterpret_cast<std::uint64_t>(pointer), frame);
}

bool is_wrong_free(const void* pointer, const char* function, const void* frame) {
    const Active* runtime = active();
    return runtime && runtime->backend->is_wrong_free(reinterpret_cast<std::uint64_t>(pointer), function, frame);
}

}  // namespace cudash::api
