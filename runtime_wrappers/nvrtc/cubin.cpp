#include "runtime_wrappers/nvrtc/cubin.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>

namespace cudash::nvrtc {
namespace {

// An entry of .nv.info: format, attribute, size of the value. EIATTR_REGCOUNT holds a symbol's index and its registers.
constexpr std::uint8_t format_sized = 0x04;
constexpr std::uint8_t attribute_register_count = 0x2f;

class Elf {
public:
    explicit Elf(std::string_view bytes) : bytes_(bytes) {}

    template <class Value>
    std::optional<Value> read(std::uint64_t offset) const {
        Value value;
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) return std::nullopt;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    std::string_view text(std::uint64_t offset) const {
        if (offset >= bytes_.size()) return {};
        const std::string_view rest = bytes_.substr(offset);
        return rest.substr(0, rest.find('\0'));
    }
    std::optional<Elf64_Shdr> section(std::size_t index) const {
        const auto header = read<Elf64_Ehdr>(0);
        if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || index >= header->e_shnum)
            return std::nullopt;
        return read<Elf64_Shdr>(header->e_shoff + index * sizeof(Elf64_Shdr));
    }
    std::optional<Elf64_Shdr> section(std::string_view name) const {
        const auto header = read<Elf64_Ehdr>(0);
        if (!header) return std::nullopt;
        const auto names = section(header->e_shstrndx);
        if (!names) return std::nullopt;
        for (std::size_t i = 0; i < header->e_shnum; ++i)
            if (const auto candidate = section(i); candidate && text(names->sh_offset + candidate->sh_name) == name)
                return candidate;
        return std::nullopt;
    }

private:
    std::string_view bytes_;
};

}  // namespace

std::map<std::string, unsigned, std::less<>> registers_per_thread(std::string_view cubin) {
    std::map<std::string, unsigned, std::less<>> registers;
    const Elf elf(cubin);
    const auto info = elf.section(".nv.info"), symbols = elf.section(".symtab"), strings = elf.section(".strtab");
    if (!info || !symbols || !strings) return registers;
    for (std::uint64_t at = info->sh_offset; at + 4 <= info->sh_offset + info->sh_size;) {
        const auto format = elf.read<std::uint8_t>(at), attribute = elf.read<std::uint8_t>(at + 1);
        const auto size = elf.read<std::uint16_t>(at + 2);
        if (!format || !attribute || !size) break;
        if (*format == format_sized && *attribute == attribute_register_count && *size >= 8) {
            const auto index = elf.read<std::uint32_t>(at + 4), count = elf.read<std::uint32_t>(at + 8);
            if (!index || !count) break;
            if (const auto symbol = elf.read<Elf64_Sym>(symbols->sh_offset + *index * sizeof(Elf64_Sym)))
                registers.emplace(elf.text(strings->sh_offset + symbol->st_name), *count);
        }
        at += 4u + (*format == format_sized ? *size : 0u);
    }
    return registers;
}

}  // namespace cudash::nvrtc
