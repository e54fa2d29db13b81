// What a stream does for a library: its operands are found and looked at, then the library's function computes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime_wrappers/virtual_gpu/runtime/task.h"

namespace cudash::virtual_gpu::runtime {

/// Memory of the device as a library's function finds it when its turn has come.
class LibraryMemory {
public:
    explicit LibraryMemory(Gpu& gpu) : gpu_(gpu) {}
    /// Where this process reaches the operand; nullptr, with the explanation of the thread set, if it is not memory of
    /// the device, or not all of it.
    std::byte* find(const LibraryTask::Operand& operand);
    /// Tells the checkers what becomes of it.
    void note(const LibraryTask::Operand& operand);

private:
    Gpu& gpu_;
};

/// Whether the operands are there now, as far as the call names them. The explanation of the thread says what is wrong.
bool has_operands(Gpu& gpu, const LibraryTask& task);

std::optional<Usage> run_library(Gpu& gpu, const LibraryTask& task);

}  // namespace cudash::virtual_gpu::runtime
