#include "runtime_wrappers/cudart/static_cudart.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "runtime_wrappers/cudart/elf_file.h"

namespace cudash::cudart {
namespace {

#if defined(__x86_64__)
/// movabs $ADDRESS, %rax; jmp *%rax. No argument is in that register. The shortest function has 10 bytes, and each
/// begins at a multiple of 16.
constexpr std::size_t jump_size = 12;
std::array<unsigned char, jump_size> jump_to(const void* target) {
    std::array<unsigned char, jump_size> code = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    std::memcpy(code.data() + 2, &target, sizeof target);
    return code;
}
#else
/// br x16, after loading it from behind.
constexpr std::size_t jump_size = 16;
std::array<unsigned char, jump_size> jump_to(const void* target) {
    std::array<unsigned char, jump_size> code = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6};
    std::memcpy(code.data() + 8, &target, sizeof target);
    return code;
}
#endif
constexpr std::size_t function_alignment = 16;

bool write_jump(std::uintptr_t at, const void* target) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = at & ~(page - 1), end = (at + jump_size + page - 1) & ~(page - 1);
    void* const pages = reinterpret_cast<void*>(begin);
    if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    const auto code = jump_to(target);
    auto* const function = reinterpret_cast<char*>(at);
    std::memcpy(function, code.data(), code.size());
    __builtin___clear_cache(function, function + code.size());
    return mprotect(pages, end - begin, PROT_READ | PROT_EXEC) == 0;
}

/// This library.
void* own_handle() {
    Dl_info about{};
    if (dladdr(reinterpret_cast<const void*>(&replace_static_cudart), &about) == 0) return nullptr;
    return dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

struct LoadedFile {
    std::string path;
    std::uintptr_t base = 0;
    bool is_program = false;
};

std::vector<LoadedFile> loaded_files() {
    std::vector<LoadedFile> files;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& list = *static_cast<std::vector<LoadedFile>*>(data);
            const bool is_program = list.empty();  // it comes first
            list.push_back({is_program ? "/proc/self/exe" : info->dlpi_name, info->dlpi_addr, is_program});
            return 0;
        },
        &files);
    return files;
}

bool is_runtimes(std::string_view name) {
    return name.starts_with("cuda") || name.starts_with("__cuda");
}

/// What nvcc calls the constructor that registers a file's device code.
constexpr std::string_view registers_all = "__sti____cudaRegisterAll";

void replace_in(const LoadedFile& file, void* own) {
    const auto elf = ElfFile::open(file.path);
    // A program may have the runtime without device code of its own, which it loads with the driver.
    if (!elf || (!file.is_program && !elf->has_section(".nvFatBinSegment"))) return;
    std::vector<ElfFile::Function> functions;
    std::vector<std::uint64_t> constructors;
    bool is_static = false;
    elf->each_function([&](const ElfFile::Function& each) {
        is_static |= each.name == "__cudaRegisterFatBinary";
        if (is_runtimes(each.name)) functions.push_back(each);
        if (each.name.find(registers_all) != std::string_view::npos) constructors.push_back(each.address);
    });
    if (!is_static) return;
    for (const ElfFile::Function& each : functions) {
        const void* const ours = dlsym(own, std::string(each.name).c_str());
        if (ours && each.address % function_alignment == 0) write_jump(file.base + each.address, ours);
    }
    if (file.is_program) return;  // its constructors are still to come
    for (const std::uint64_t constructor : constructors) reinterpret_cast<void (*)()>(file.base + constructor)();
}

}  // namespace

void replace_static_cudart() {
    void* const own = own_handle();
    if (!own) return;
    for (const LoadedFile& file : loaded_files()) replace_in(file, own);
}

}  // namespace cudash::cudart
