#include "runtime_wrappers/api/host_waits.h"

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::api {

void host_waits(double nanoseconds) {
    if (const Active* runtime = active(); runtime && runtime->virtual_gpu)
        runtime->virtual_gpu->host_waits(nanoseconds);
}

bool work_goes_on() {
    const Active* runtime = active();
    return runtime && runtime->virtual_gpu && runtime->virtual_gpu->goes_on();
}

}  // namespace cudash::api
