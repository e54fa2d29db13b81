#include "runtime_wrappers/virtual_gpu/runtime/user_object.h"

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/graph.h"

namespace cudash::virtual_gpu::runtime {
namespace {

UserObject* find_object(Gpu& gpu, cudaUserObject_t handle, unsigned count) {
    UserObject* found = gpu.graphs->user_objects.find(handle);
    if (!found) refuse(cudaErrorInvalidValue, "{} is not a user object, or was destroyed", fmt::ptr(handle));
    if (found && count == 0) refuse(cudaErrorInvalidValue, "count is 0");
    return count == 0 ? nullptr : found;
}

}  // namespace

void release_user_object(Gpu& gpu, cudaUserObject_t handle, unsigned references) {
    UserObject* object = gpu.graphs->user_objects.find(handle);
    if (!object) return;
    object->references -= std::min(object->references, references);
    if (object->references > 0) return;
    const UserObject last = *object;
    gpu.graphs->user_objects.remove(handle);
    gpu.scheduler.run_callback([&] { last.destroy(last.pointer); });
}

cudaError_t cudaUserObjectCreate(Gpu& gpu, cudaUserObject_t* object_out, void* ptr, cudaHostFn_t destroy,
                                 unsigned initialRefcount, unsigned flags) {
    if (!object_out || !destroy || initialRefcount == 0)
        return refuse(cudaErrorInvalidValue, "object_out or destroy is null, or initialRefcount is 0");
    if (flags != cudaUserObjectNoDestructorSync)
        return refuse(cudaErrorInvalidValue, "flags must be cudaUserObjectNoDestructorSync");
    *object_out = gpu.graphs->user_objects.add({ptr, destroy, initialRefcount});
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(Gpu& gpu, cudaUserObject_t object, unsigned count) {
    UserObject* found = find_object(gpu, object, count);
    if (!found) return cudaErrorInvalidValue;
    found->references += count;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(Gpu& gpu, cudaUserObject_t object, unsigned count) {
    const UserObject* found = find_object(gpu, object, count);
    if (!found || count > found->references) return cudaErrorInvalidValue;
    release_user_object(gpu, object, count);
    return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(Gpu& gpu, cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
    Graph* found = find_graph(gpu, graph);
    UserObject* kept = found ? find_object(gpu, object, count) : nullptr;
    if (!kept) return cudaErrorInvalidValue;
    if (flags & ~static_cast<unsigned>(cudaGraphUserObjectMove))
        return refuse(cudaErrorInvalidValue, "flags must be 0 or cudaGraphUserObjectMove");
    if (flags & cudaGraphUserObjectMove) {
        if (count > kept->references) return refuse(cudaErrorInvalidValue, "there are fewer references to move");
    } else {
        kept->references += count;
    }
    found->user_objects[object] += count;
    return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(Gpu& gpu, cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
    Graph* found = find_graph(gpu, graph);
    if (!found || count == 0) return cudaErrorInvalidValue;
    if (!find_object(gpu, object, count)) return cudaErrorInvalidValue;
    // References that the graph does not hold are taken from the program all the same (recorded on an H200).
    if (const auto held = found->user_objects.find(object); held != found->user_objects.end()) {
        held->second -= std::min(held->second, count);
        if (held->second == 0) found->user_objects.erase(held);
    }
    release_user_object(gpu, object, count);
    return cudaSuccess;
}

}  // namespace cudash::virtual_gpu::runtime
