// Batches: many copies, prefetches or discards in one call. "The batch as a whole executes in stream order but copies
// within a batch are not guaranteed to execute in any specific order"; here they go one after the other.
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/transfer.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// "hStream - The stream to enqueue the operations in. Must not be legacy NULL stream."
Stream* stream_of_batch(Gpu& gpu, cudaStream_t handle, cudaError_t& status) {
    Stream* stream = gpu.stream(handle);
    status = stream ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (!stream || !stream->legacy) return stream;
    status = refuse_with_hint(cudaErrorInvalidValue, "batches can't be given to the legacy default stream",
                              "create a stream with cudaStreamCreate");
    return nullptr;
}

/// Which entry applies to which operation: entry k to those from indices[k] to indices[k + 1] - 1.
class Assigned {
public:
    Assigned(const std::size_t* indices, std::size_t entries, std::size_t operations)
        : indices_(indices), entries_(entries), operations_(operations) {}
    cudaError_t check(const void* entries) const {
        bool ordered = entries && indices_ && entries_ > 0 && entries_ <= operations_ && indices_[0] == 0;
        for (std::size_t k = 1; ordered && k < entries_; ++k)
            ordered = indices_[k] > indices_[k - 1] && indices_[k] < operations_;
        if (ordered) return cudaSuccess;
        return refuse_with_hint(cudaErrorInvalidValue,
                                "the entries and their indices do not cover the operations of the batch",
                                "the first index is 0, and each is greater than the one before and less than count");
    }
    std::size_t entry(std::size_t operation) const {
        std::size_t k = 0;
        while (k + 1 < entries_ && indices_[k + 1] <= operation) ++k;
        return k;
    }

private:
    const std::size_t* indices_;
    std::size_t entries_, operations_;
};

cudaError_t check_order(cudaMemcpySrcAccessOrder order, unsigned flags) {
    if (order < cudaMemcpySrcAccessOrderStream || order > cudaMemcpySrcAccessOrderAny)
        return refuse_with_hint(cudaErrorInvalidValue,
                                fmt::format("srcAccessOrder = {} is no order", static_cast<int>(order)),
                                "cudaMemcpySrcAccessOrderStream reads the source when the copy's turn comes");
    if (flags & ~static_cast<unsigned>(cudaMemcpyFlagPreferOverlapWithCompute))
        return refuse(cudaErrorInvalidValue, "{:#x} is not a valid combination of cudaMemcpyFlags", flags);
    return cudaSuccess;
}

/// "If the source access order is set to cudaMemcpySrcAccessOrderStream, then the source will be accessed in stream
/// order", and during the call with cudaMemcpySrcAccessOrderDuringApiCall.
cudaError_t copy_one(Gpu& gpu, const CopyTask& task, cudaMemcpySrcAccessOrder order, Stream& stream) {
    if (order == cudaMemcpySrcAccessOrderDuringApiCall)
        return copy(gpu, task.dst, task.src, task.box, task.kind, stream, Wait::none);
    Side to, from;
    if (const cudaError_t bad = check_copy(gpu, task, to, from); bad != cudaSuccess) return bad;
    return gpu.submit(stream, task);
}

void set_operand(const cudaMemcpy3DOperand& operand, cudaArray_t& array, cudaPos& position, cudaPitchedPtr& memory,
                 const cudaExtent& extent) {
    if (operand.type == cudaMemcpyOperandTypeArray) {
        array = operand.op.array.array;
        position = {operand.op.array.offset.x, operand.op.array.offset.y, operand.op.array.offset.z};
        return;
    }
    const auto& rows = operand.op.ptr;
    const std::size_t length = rows.rowLength ? rows.rowLength : extent.width;
    memory = {rows.ptr, length, extent.width, rows.layerHeight ? rows.layerHeight : extent.height};
}

bool is_operand(const cudaMemcpy3DOperand& operand) {
    return operand.type == cudaMemcpyOperandTypePointer || operand.type == cudaMemcpyOperandTypeArray;
}

/// Rows of pointers are counted in elements: of the array on the other side, or in bytes where there is none.
void use_bytes(Gpu& gpu, cudaMemcpy3DParms& parameters) {
    const cudaArray_t array = parameters.srcArray ? parameters.srcArray : parameters.dstArray;
    const Array* found = array ? gpu.images.arrays.find(array) : nullptr;
    if (!found) return;
    const std::size_t element = found->image.format.bytes();
    parameters.srcPtr.pitch *= element;
    parameters.dstPtr.pitch *= element;
}

cudaError_t check_ranges(Gpu& gpu, void* const* pointers, const std::size_t* sizes, std::size_t count,
                         unsigned long long flags) {
    if (!pointers || !sizes || count == 0)
        return refuse(cudaErrorInvalidValue, "the batch is empty, or its arrays are null");
    if (flags != 0) return refuse(cudaErrorInvalidValue, "flags must be 0");
    for (std::size_t i = 0; i < count; ++i) {
        const auto allocation = gpu.memory.space->find(reinterpret_cast<Address>(pointers[i]));
        const bool managed = allocation && allocation->kind == MemoryKind::managed && sizes[i] > 0 &&
                             allocation->contains(reinterpret_cast<Address>(pointers[i]), sizes[i]);
        if (!managed)
            return refuse_with_hint(cudaErrorInvalidValue,
                                    fmt::format("range {} of the batch is not all managed memory", i),
                                    "allocate it with cudaMallocManaged");
    }
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpyBatchAsync(Gpu& gpu, void* const* dsts, const void* const* srcs, const std::size_t* sizes,
                                 std::size_t count, cudaMemcpyAttributes* attrs, std::size_t* attrsIdxs,
                                 std::size_t numAttrs, cudaStream_t stream) {
    cudaError_t status = cudaSuccess;
    Stream* on = stream_of_batch(gpu, stream, status);
    if (!on) return status;
    if (!dsts || !srcs || !sizes || count == 0)
        return refuse(cudaErrorInvalidValue, "the batch is empty, or its arrays are null");
    const Assigned assigned(attrsIdxs, numAttrs, count);
    if (const cudaError_t bad = assigned.check(attrs); bad != cudaSuccess) return bad;
    const auto copy_of = [&](std::size_t i) {
        return CopyTask{.dst = {.pointer = dsts[i]},
                        .src = {.pointer = srcs[i]},
                        .box = {.width = sizes[i]},
                        .kind = cudaMemcpyDefault};
    };
    // All are looked at before the first is made.
    for (std::size_t i = 0; i < count; ++i) {
        const cudaMemcpyAttributes& attributes = attrs[assigned.entry(i)];
        Side to, from;
        status = check_order(attributes.srcAccessOrder, attributes.flags);
        if (status == cudaSuccess && sizes[i] == 0)
            status = refuse(cudaErrorInvalidValue, "copy {} of the batch is of 0 bytes", i);
        if (status == cudaSuccess) status = check_copy(gpu, copy_of(i), to, from);
        if (status != cudaSuccess) return status;
    }
    for (std::size_t i = 0; i < count && status == cudaSuccess; ++i)
        status = copy_one(gpu, copy_of(i), attrs[assigned.entry(i)].srcAccessOrder, *on);
    return status;
}

cudaError_t cudaMemcpy3DBatchAsync(Gpu& gpu, std::size_t numOps, cudaMemcpy3DBatchOp* opList, unsigned long long flags,
                                   cudaStream_t stream) {
    cudaError_t status = cudaSuccess;
    Stream* on = stream_of_batch(gpu, stream, status);
    if (!on) return status;
    if (!opList || numOps == 0) return refuse(cudaErrorInvalidValue, "the batch is empty, or opList is null");
    if (flags != 0) return refuse(cudaErrorInvalidValue, "flags must be 0");
    std::vector<CopyTask> tasks(numOps);
    for (std::size_t i = 0; i < numOps; ++i) {
        const cudaMemcpy3DBatchOp& operation = opList[i];
        status = check_order(operation.srcAccessOrder, operation.flags);
        if (status != cudaSuccess) return status;
        const cudaExtent& extent = operation.extent;
        if (!is_operand(operation.src) || !is_operand(operation.dst) ||
            Box{extent.width, extent.height, extent.depth}.empty())
            return refuse(cudaErrorInvalidValue, "operation {} of the batch has an empty extent or no operands", i);
        cudaMemcpy3DParms parameters{};
        parameters.extent = extent;
        parameters.kind = cudaMemcpyDefault;
        set_operand(operation.src, parameters.srcArray, parameters.srcPos, parameters.srcPtr, extent);
        set_operand(operation.dst, parameters.dstArray, parameters.dstPos, parameters.dstPtr, extent);
        use_bytes(gpu, parameters);
        Side to, from;
        status = read_parameters(gpu, parameters, tasks[i]);
        if (status == cudaErrorInvalidPitchValue) status = cudaErrorInvalidValue;  // as recorded on an H200
        if (status == cudaSuccess) status = check_copy(gpu, tasks[i], to, from);
        if (status != cudaSuccess) return status;
    }
    for (std::size_t i = 0; i < numOps && status == cudaSuccess; ++i)
        status = copy_one(gpu, tasks[i], opList[i].srcAccessOrder, *on);
    return status;
}

cudaError_t cudaMemPrefetchBatchAsync(Gpu& gpu, void** dptrs, std::size_t* sizes, std::size_t count,
                                      cudaMemLocation* prefetchLocs, std::size_t* prefetchLocIdxs,
                                      std::size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream) {
    cudaError_t status = cudaSuccess;
    if (!stream_of_batch(gpu, stream, status)) return status;
    if (const cudaError_t bad = check_ranges(gpu, dptrs, sizes, count, flags); bad != cudaSuccess) return bad;
    const Assigned assigned(prefetchLocIdxs, numPrefetchLocs, count);
    if (const cudaError_t bad = assigned.check(prefetchLocs); bad != cudaSuccess) return bad;
    for (std::size_t k = 0; k < numPrefetchLocs; ++k)
        if (prefetchLocs[k].type == cudaMemLocationTypeDevice && !gpu.has_device(prefetchLocs[k].id))
            return refuse(cudaErrorInvalidValue, "there is no device {}", prefetchLocs[k].id);
    for (std::size_t i = 0; i < count && status == cudaSuccess; ++i)
        status = cudaMemPrefetchAsync(gpu, dptrs[i], sizes[i], prefetchLocs[assigned.entry(i)], 0, stream);
    return status;
}

// "Reading from a discarded range [...] will return an indeterminate value": the bytes stay as they are.
cudaError_t cudaMemDiscardBatchAsync(Gpu& gpu, void** dptrs, std::size_t* sizes, std::size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
    cudaError_t status = cudaSuccess;
    Stream* on = stream_of_batch(gpu, stream, status);
    if (!on) return status;
    if (const cudaError_t bad = check_ranges(gpu, dptrs, sizes, count, flags); bad != cudaSuccess) return bad;
    return gpu.submit(*on, EmptyTask{});
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(Gpu& gpu, void** dptrs, std::size_t* sizes, std::size_t count,
                                                cudaMemLocation* prefetchLocs, std::size_t* prefetchLocIdxs,
                                                std::size_t numPrefetchLocs, unsigned long long flags,
                                                cudaStream_t stream) {
    return cudaMemPrefetchBatchAsync(gpu, dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                                     stream);
}

}  // namespace cudash::virtual_gpu::runtime
