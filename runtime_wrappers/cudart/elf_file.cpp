#include "runtime_wrappers/cudart/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

#include <algorithm>
#include <cstring>
#include <utility>

namespace cudash::cudart {

/// nullptr if that is not in the file, or not where it can be read.
template <class T>
const T* ElfFile::at(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T) || offset % alignof(T) != 0)
        return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
}

std::optional<ElfFile> ElfFile::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    struct stat about {};
    const bool usable = fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size >= EI_NIDENT;
    const auto size = static_cast<std::size_t>(usable ? about.st_size : 0);
    void* const memory = usable ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (memory == MAP_FAILED) return std::nullopt;
    ElfFile elf(std::span(static_cast<const std::byte*>(memory), size));
    const auto* head = elf.at<Elf64_Ehdr>(0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_ident[EI_DATA] != ELFDATA2LSB)
        return std::nullopt;
    const auto* rows = elf.at<Elf64_Shdr>(head->e_shoff, head->e_shnum);
    for (unsigned i = 0; rows && i < head->e_shnum; ++i)
        elf.sections_.push_back({{}, rows[i].sh_type, rows[i].sh_link, rows[i].sh_offset, rows[i].sh_size});
    if (head->e_shstrndx < elf.sections_.size())
        for (unsigned i = 0; i < elf.sections_.size(); ++i)
            elf.sections_[i].name = elf.text_at(elf.sections_[head->e_shstrndx], rows[i].sh_name);
    return elf;
}

ElfFile::ElfFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

ElfFile::ElfFile(ElfFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), sections_(std::move(other.sections_)) {}

ElfFile::~ElfFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::string_view ElfFile::text_at(const Section& strings, std::uint64_t offset) const {
    const char* text = at<char>(strings.offset, strings.size);
    if (!text || offset >= strings.size) return {};
    return {text + offset, strnlen(text + offset, strings.size - offset)};
}

const ElfFile::Section* ElfFile::section_of_type(std::uint32_t type) const {
    for (const Section& section : sections_)
        if (section.type == type) return &section;
    return nullptr;
}

bool ElfFile::is_for_this_machine() const {
#if defined(__x86_64__)
    constexpr auto machine = EM_X86_64;
#else
    constexpr auto machine = EM_AARCH64;
#endif
    return at<Elf64_Ehdr>(0)->e_machine == machine;
}

bool ElfFile::is_loadable() const {
    const auto type = at<Elf64_Ehdr>(0)->e_type;
    return type == ET_EXEC || type == ET_DYN;
}

bool ElfFile::is_dynamic() const {
    const auto* head = at<Elf64_Ehdr>(0);
    const auto* segments = at<Elf64_Phdr>(head->e_phoff, head->e_phnum);
    for (unsigned i = 0; segments && i < head->e_phnum; ++i)
        if (segments[i].p_type == PT_INTERP) return true;
    return false;
}

bool ElfFile::has_section(std::string_view name) const {
    for (const Section& section : sections_)
        if (section.name == name) return true;
    return false;
}

std::vector<std::string> ElfFile::needed() const {
    std::vector<std::string> names;
    const Section* dynamic = section_of_type(SHT_DYNAMIC);
    if (!dynamic || dynamic->link >= sections_.size()) return names;
    const std::uint64_t count = dynamic->size / sizeof(Elf64_Dyn);
    const auto* entries = at<Elf64_Dyn>(dynamic->offset, count);
    for (std::uint64_t i = 0; entries && i < count; ++i)
        if (entries[i].d_tag == DT_NEEDED) names.emplace_back(text_at(sections_[dynamic->link], entries[i].d_un.d_val));
    return names;
}

std::string ElfFile::run_path() const {
    const Section* dynamic = section_of_type(SHT_DYNAMIC);
    if (!dynamic || dynamic->link >= sections_.size()) return {};
    const std::uint64_t count = dynamic->size / sizeof(Elf64_Dyn);
    const auto* entries = at<Elf64_Dyn>(dynamic->offset, count);
    for (std::uint64_t i = 0; entries && i < count; ++i)
        if (entries[i].d_tag == DT_RPATH || entries[i].d_tag == DT_RUNPATH)
            return std::string(text_at(sections_[dynamic->link], entries[i].d_un.d_val));
    return {};
}

bool ElfFile::has_symbols() const {
    return section_of_type(SHT_SYMTAB) != nullptr;
}

void ElfFile::each_function(const std::function<void(const Function&)>& visit) const {
    for (const Section& section : sections_) {
        if ((section.type != SHT_SYMTAB && section.type != SHT_DYNSYM) || section.link >= sections_.size()) continue;
        const std::uint64_t count = section.size / sizeof(Elf64_Sym);
        const auto* symbols = at<Elf64_Sym>(section.offset, count);
        for (std::uint64_t i = 0; symbols && i < count; ++i)
            if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF)
                visit({text_at(sections_[section.link], symbols[i].st_name), symbols[i].st_value, symbols[i].st_size});
    }
}

std::vector<std::string_view> ElfFile::imported() const {
    std::vector<std::string_view> names;
    const Section* section = section_of_type(SHT_DYNSYM);
    if (!section || section->link >= sections_.size()) return names;
    const std::uint64_t count = section->size / sizeof(Elf64_Sym);
    const auto* symbols = at<Elf64_Sym>(section->offset, count);
    for (std::uint64_t i = 0; symbols && i < count; ++i)
        if (symbols[i].st_shndx == SHN_UNDEF) names.push_back(text_at(sections_[section->link], symbols[i].st_name));
    return names;
}

bool ElfFile::imports(std::string_view name) const {
    const auto names = imported();
    return std::ranges::find(names, name) != names.end();
}

}  // namespace cudash::cudart
