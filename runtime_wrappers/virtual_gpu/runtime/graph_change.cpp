#include "runtime_wrappers/virtual_gpu/runtime/graph_change.h"

#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

enum class OperandType : std::uint8_t { host, device, array, unknown };

/// Of memory that was freed meanwhile it is known only where its address tells.
OperandType operand_type(const Gpu& gpu, const Rows& rows) {
    if (rows.array) return OperandType::array;
    const Address address = reinterpret_cast<Address>(rows.pointer);
    if (gpu.memory.space->is_device_range(address)) return OperandType::device;
    if (const auto allocation = gpu.memory.space->find(address))
        return allocation->kind == MemoryKind::managed ? OperandType::device : OperandType::host;
    const auto near = gpu.memory.space->nearest(address);
    const bool freed = near && near->released && near->allocation.contains(address, 1);
    return freed ? OperandType::unknown : OperandType::host;
}

bool same_type(const Gpu& gpu, const Rows& now, const Rows& wanted) {
    const OperandType a = operand_type(gpu, now), b = operand_type(gpu, wanted);
    return a == b || a == OperandType::unknown || b == OperandType::unknown;
}

bool is_1d(const Box& box) {
    return box.height == 1 && box.depth == 1;
}

}  // namespace

const char* unchangeable(const Gpu& gpu, const Task& now, const Task& wanted) {
    const auto* copy = std::get_if<CopyTask>(&now);
    if (const auto* other = copy ? std::get_if<CopyTask>(&wanted) : nullptr)
        return same_type(gpu, copy->dst, other->dst) && same_type(gpu, copy->src, other->src)
                   ? nullptr
                   : "a copy cannot be made one between other types of memory";
    const auto* fill = std::get_if<FillTask>(&now);
    if (const auto* other = fill ? std::get_if<FillTask>(&wanted) : nullptr) {
        const bool same = fill->box.width == other->box.width && fill->box.height == other->box.height &&
                          fill->dst.pitch == other->dst.pitch && fill->element == other->element;
        return same || (is_1d(fill->box) && is_1d(other->box)) ? nullptr : "the extent of a 2D memset cannot change";
    }
    return nullptr;
}

const char* not_settable(const Gpu& gpu, const Task& now, const Task& wanted) {
    const auto* copy = std::get_if<CopyTask>(&now);
    const auto* other = std::get_if<CopyTask>(&wanted);
    if (copy && other && !(is_1d(copy->box) && is_1d(other->box)))
        return "a copy of several rows cannot change in an executable graph";
    return unchangeable(gpu, now, wanted);
}

}  // namespace cudash::virtual_gpu::runtime
