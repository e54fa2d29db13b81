#include "runtime_wrappers/virtual_gpu/jit/code_cache.h"

#include <fstream>
#include <iterator>
#include <string_view>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/raw_ostream.h>

#include "runtime_wrappers/nvrtc/cache_folder.h"
#include "runtime_wrappers/nvrtc/content_hash.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::string_view code_magic = "cudash machine code 2\n";
constexpr std::size_t check_size = 32;

std::filesystem::path code_folder() {
    return nvrtc::cache_folder("kernels");
}

/// What stands before an object file.
std::string check_of(const std::string& key, std::string_view object) {
    return nvrtc::ContentHash().add(key).add(object).text();
}

}  // namespace

std::string code_key(const llvm::Module& module, const llvm::TargetMachine& target) {
    llvm::SmallVector<char, 0> bitcode;
    llvm::raw_svector_ostream out(bitcode);
    llvm::WriteBitcodeToFile(module, out);
    nvrtc::ContentHash hash;
    hash.add(code_magic).add(LLVM_VERSION_STRING);
    hash.add(std::string_view(target.getTargetCPU())).add(std::string_view(target.getTargetFeatureString()));
    return hash.add(std::string_view(bitcode.data(), bitcode.size())).text();
}

std::unique_ptr<llvm::MemoryBuffer> load_code(const std::string& key) {
    const auto folder = code_folder();
    if (folder.empty()) return nullptr;
    std::ifstream in(folder / key, std::ios::binary);
    if (!in) return nullptr;
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    std::string_view object = content;
    if (!object.starts_with(code_magic) || object.size() < code_magic.size() + check_size) return nullptr;
    object.remove_prefix(code_magic.size());
    const std::string_view check = object.substr(0, check_size);
    object.remove_prefix(check_size);
    if (check != check_of(key, object)) return nullptr;
    nvrtc::touch_entry(folder / key);
    return llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()), "kernel");
}

void store_code(const std::string& key, llvm::StringRef object) {
    const auto folder = code_folder();
    if (folder.empty()) return;
    nvrtc::store_entry(folder / key, [&](const std::filesystem::path& path) {
        std::ofstream out(path, std::ios::binary | std::ios::trunc);
        out << code_magic << check_of(key, {object.data(), object.size()});
        out.write(object.data(), static_cast<std::streamsize>(object.size()));
        return static_cast<bool>(out.flush());
    });
}

}  // namespace cudash::virtual_gpu
