// Values of expressions as text.
#include <fmt/format.h>

#include <cstring>

#include "repl/session/debug/evaluator.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::session::debug {

namespace gpu = virtual_gpu;

std::string Evaluator::pointer_text(std::uint64_t address) const {
    const std::string number = fmt::format("{:#x}", address);
    if (address == 0) return "null";
    if (gpu::in_window(address, gpu::shared_window)) {
        const std::uint64_t at = address - gpu::shared_window;
        for (const gpu::SharedVariable& each : debugger_.launch().program->shared_variables)
            if (at >= each.begin && (each.bytes == 0 || at < std::uint64_t{each.begin} + each.bytes))
                return fmt::format("{} (shared {}{})", number, each.name,
                                   at == each.begin ? "" : fmt::format(", byte {}", at - each.begin));
        return number + " (shared)";
    }
    if (gpu::in_window(address, gpu::local_window)) return number + " (local)";
    if (const auto found = debugger_.launch().memory->find(address)) {
        const std::string name =
            found->origin.empty() ? std::string(gpu::row_of(found->kind).description) : found->origin;
        return fmt::format("{} ({}{})", number, name,
                           address == found->begin ? "" : fmt::format(", byte {}", address - found->begin));
    }
    return number + " (in no allocation)";
}

std::string Evaluator::text_of_bytes(TypeId id, const std::vector<std::byte>& bytes, std::size_t at,
                                     unsigned depth) const {
    constexpr std::uint64_t most_elements = 64;
    constexpr unsigned deepest = 8;
    const DebugType& type = unit_.types[id];
    if (depth > deepest) return "...";
    if (type.kind == DebugType::Kind::array) {
        const std::uint64_t size = unit_.types[type.target].bytes;
        std::string text = "{";
        std::uint64_t told = 0;
        for (std::uint64_t i = 0; i < type.count; ++told) {
            if (told == most_elements || at + (i + 1) * size > bytes.size())
                return text + fmt::format("{}... {} more}}", i ? ", " : "", type.count - i);
            std::uint64_t same = 1;
            const std::byte* const first = bytes.data() + at + i * size;
            while (i + same < type.count && at + (i + same + 1) * size <= bytes.size() &&
                   std::memcmp(first, first + same * size, size) == 0)
                ++same;
            // As gdb does.
            constexpr std::uint64_t worth_counting = 8;
            if (same < worth_counting) same = 1;
            text += (i ? ", " : "") + text_of_bytes(type.target, bytes, at + i * size, depth + 1);
            if (same > 1) text += fmt::format(" <repeats {} times>", same);
            i += same;
        }
        return text + "}";
    }
    if (type.kind == DebugType::Kind::record) {
        std::string text = "{";
        for (const DebugType::Member& each : type.members)
            text += (text.size() > 1 ? ", " : "") + (each.name.empty() ? "" : each.name + " = ") +
                    text_of_bytes(each.type, bytes, at + each.offset, depth + 1);
        return text + "}";
    }
    if (at + type.bytes > bytes.size()) return "?";
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto scalar = unit_.types.scalar(id, {first, first + static_cast<std::ptrdiff_t>(type.bytes)});
    if (!scalar) return "?";
    if (type.kind == DebugType::Kind::pointer) return pointer_text(static_cast<std::uint64_t>(scalar->integer));
    if (type.kind == DebugType::Kind::character && scalar->integer >= 32 && scalar->integer < 127)
        return fmt::format("{} '{}'", scalar->integer, static_cast<char>(scalar->integer));
    if (type.kind == DebugType::Kind::enumeration)
        for (const auto& [name, value] : type.enumerators)
            if (value == scalar->integer) return name;
    return text_of(*scalar);
}

Result<std::string> Evaluator::checked_text(const DebugValue& value) const {
    const DebugType& type = unit_.types[value.type];
    if (type.kind == DebugType::Kind::array && type.count == 0 && value.place)
        return std::string("an array of unknown length");
    const auto bytes = load(value);
    if (!bytes) return bytes.error();
    return text_of_bytes(value.type, *bytes, 0, 0);
}

std::string Evaluator::text(const DebugValue& value) const {
    const auto text = checked_text(value);
    return text ? *text : text.error().message;
}

}  // namespace cudash::session::debug
