// What an executable or a shared library says of itself (ELF, elf(5)): what it needs, which functions it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::cudart {

/// A file, mapped into memory to be read.
class ElfFile {
public:
    /// nullopt: it can't be read, or is not an ELF file of 64 bits and this machine's byte order.
    static std::optional<ElfFile> open(const std::string& path);
    ElfFile(ElfFile&& other) noexcept;
    ElfFile& operator=(ElfFile&&) = delete;
    ~ElfFile();

    bool is_for_this_machine() const;
    /// A program, or a shared library.
    bool is_loadable() const;
    /// The loader of shared libraries starts it.
    bool is_dynamic() const;
    bool has_section(std::string_view name) const;
    /// Names of the shared libraries that it is linked with.
    std::vector<std::string> needed() const;
    /// Where it finds them, beside the usual places: entries of DT_RPATH or DT_RUNPATH.
    std::string run_path() const;
    /// Has a symbol table besides that of what it shares: it was not stripped.
    bool has_symbols() const;

    struct Function {
        std::string_view name;
        std::uint64_t address = 0, size = 0;  ///< as linked
    };
    /// Every function that it defines, of both symbol tables.
    void each_function(const std::function<void(const Function&)>& visit) const;
    /// Whether it calls a function of a shared library by this name.
    bool imports(std::string_view name) const;
    /// All that it takes from shared libraries, by name.
    std::vector<std::string_view> imported() const;

private:
    struct Section {
        std::string_view name;
        std::uint32_t type = 0, link = 0;
        std::uint64_t offset = 0, size = 0;
    };
    explicit ElfFile(std::span<const std::byte> bytes);
    template <class T>
    const T* at(std::uint64_t offset, std::uint64_t count = 1) const;
    std::string_view text_at(const Section& strings, std::uint64_t offset) const;
    const Section* section_of_type(std::uint32_t type) const;

    std::span<const std::byte> bytes_;
    std::vector<Section> sections_;
};

}  // namespace cudash::cudart
