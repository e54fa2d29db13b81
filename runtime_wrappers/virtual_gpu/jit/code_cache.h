// Machine code kept on disk between runs: one file a kernel and shape of blocks, named by the hash of the LLVM
// instructions that it was made from, of the processor, and of LLVM's version.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

namespace cudash::virtual_gpu {

/// Of instructions that hold no addresses of this process.
std::string code_key(const llvm::Module& module, const llvm::TargetMachine& target);
/// An object file; nullptr: there is none, or it is damaged, or was made under another key.
std::unique_ptr<llvm::MemoryBuffer> load_code(const std::string& key);
/// Failures are no error.
void store_code(const std::string& key, llvm::StringRef object);

}  // namespace cudash::virtual_gpu
