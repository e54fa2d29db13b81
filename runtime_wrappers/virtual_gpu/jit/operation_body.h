// The bodies of operations in a context of LLVM, and their use for one value or for the 32 lanes of a warp: bodies have
// no loops, and LLVM has their instructions for vectors too.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace cudash::virtual_gpu {

inline constexpr unsigned lanes_of_warp = 32;

class OperationBodies {
public:
    explicit OperationBodies(llvm::LLVMContext& context);

    /// nullptr: there is none, or it can't be used for lanes.
    const llvm::Function* find(std::string_view function);
    /// The function of `arguments`: scalars, or vectors of 32 lanes.
    static llvm::Value* apply(llvm::IRBuilder<>& builder, const llvm::Function& body,
                              const std::vector<llvm::Value*>& arguments, bool lanes);

private:
    std::unique_ptr<llvm::Module> module_;
    std::map<std::string, const llvm::Function*, std::less<>> found_;
};

}  // namespace cudash::virtual_gpu
