// The work that a call of a library asks a stream for, put together operand by operand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime_wrappers/libraries/serve.h"
#include "runtime_wrappers/virtual_gpu/runtime/library_work.h"

namespace cudash::libraries {

/// `none`: it has to be there.
enum class Access : std::uint8_t { none = 0, read = 1, written = 2, both = 3 };

/// How a call ended for the stream.
enum class Asked : std::uint8_t { done, no_memory, failed };

using virtual_gpu::runtime::LibraryMemory;
using virtual_gpu::runtime::LibraryTask;

/// An array of `height` columns (or rows) of `width` elements, `pitch` elements apart, in `depth` slices.
struct Shape {
    std::int64_t width = 0, height = 1, depth = 1, pitch = 0, slice = 0;
};
template <class T>
LibraryTask::Operand operand(std::string_view name, const T* pointer, Shape shape, Access access) {
    const auto bytes = [](std::int64_t elements) { return static_cast<std::uint64_t>(elements) * sizeof(T); };
    const auto count = [](std::int64_t number) { return static_cast<std::uint64_t>(number > 0 ? number : 0); };
    return {.name = name,
            .rows = {.pointer = pointer, .pitch = bytes(shape.pitch), .slice = bytes(shape.slice)},
            .box = {.width = bytes(shape.width > 0 ? shape.width : 0),
                    .height = count(shape.height),
                    .depth = count(shape.depth)},
            .read = (static_cast<unsigned>(access) & 1) != 0,
            .written = (static_cast<unsigned>(access) & 2) != 0};
}

/// What the function that computes is given.
class Operands {
public:
    Operands(LibraryMemory& memory, const std::vector<std::byte*>& bytes) : memory_(memory), bytes_(bytes) {}
    template <class T>
    T* at(std::size_t index) const {
        return reinterpret_cast<T*>(bytes_[index]);
    }
    /// An operand whose address only the device's memory has; nullptr if it is not there.
    template <class T>
    T* find(std::string_view name, const T* pointer, Shape shape, Access access) {
        const LibraryTask::Operand found = operand(name, pointer, shape, access);
        std::byte* const bytes = memory_.find(found);
        if (bytes) memory_.note(found);
        return reinterpret_cast<T*>(bytes);
    }

private:
    LibraryMemory& memory_;
    const std::vector<std::byte*>& bytes_;
};

class Work {
public:
    Work(Served& served, cudaStream_t stream) : served_(served), stream_(stream), task_{.function = served.function} {}

    /// Its number, for Operands::at.
    template <class T>
    std::size_t add(std::string_view name, const T* pointer, Shape shape, Access access) {
        task_.operands.push_back(operand(name, pointer, shape, access));
        return task_.operands.size() - 1;
    }
    void costs(double floating_point, bool doubles) { task_.floating_point = floating_point, task_.doubles = doubles; }
    /// Whether the operands so far are there; the explanation of the thread says what is wrong. `ask` looks, too.
    bool has_operands() const { return virtual_gpu::runtime::has_operands(served_.gpu, task_); }
    /// The host waits for it: its result goes to host memory.
    void wait() { waits_ = true; }
    /// `compute(Operands&)` returns nothing, or false if an operand was not found.
    template <class Compute>
    Asked ask(Compute compute) {
        task_.run = [compute = std::move(compute)](LibraryMemory& memory,
                                                   const std::vector<std::byte*>& bytes) mutable {
            Operands operands(memory, bytes);
            if constexpr (std::is_void_v<decltype(compute(operands))>) {
                compute(operands);
                return true;
            } else {
                return compute(operands);
            }
        };
        return ask_stream();
    }

private:
    Asked ask_stream();

    Served& served_;
    cudaStream_t stream_;
    LibraryTask task_;
    bool waits_ = false;
};

}  // namespace cudash::libraries
