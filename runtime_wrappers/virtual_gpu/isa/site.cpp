#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/isa/decode/emission.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

std::string spelled(const ptx::Instruction& written) {
    std::string text = written.mnemonic;
    for (const std::string& modifier : written.modifiers) text += "." + modifier;
    return text;
}

}  // namespace

void Site::run(Chosen chosen) {
    if (chosen) {
        chosen_ = chosen;
        out.run = chosen.run;
    } else {
        refuse();
    }
}

const ptx::Operand& Site::operand(std::size_t i) {
    static const ptx::Operand missing;
    if (i < operands()) return written.operands[i];
    refuse("an operand is missing");
    return missing;
}

std::uint32_t Site::new_access_site() {
    return emission_.graph.outside->new_access_site();
}

void Site::refuse(std::string why) {
    if (refused_) return;
    refused_ = true;
    const ptx::Location& location = written.location;
    Diagnostic diagnostic =
        error("unsupported-instruction",
              fmt::format("the virtual GPU does not execute {} (PTX line {})", spelled(written), location.ptx_line));
    if (!why.empty()) diagnostic.message += ": " + why;
    diagnostic.where.line = location.line;
    diagnostic.where.column = location.column;
    // The linker knows the files' names.
    diagnostic.where.file = fmt::format("{}", location.file);
    program().unsupported.push_back(std::move(diagnostic));
}

bool Site::fits_vector(std::size_t elements) {
    const std::size_t written = has(Mod::v8) ? 8 : has(Mod::v4) ? 4 : has(Mod::v2) ? 2 : 1;
    if (elements == 0) {
        refuse("a vector has no elements");
    } else if (elements != written) {
        refuse(fmt::format("the vector has {} elements and {} are named", written, elements));
    }
    return elements != 0 && elements == written;
}

std::uint32_t Site::destination(const ptx::Operand& operand, unsigned bytes) {
    if (operand.kind == ptx::Operand::Kind::sink) return emission_.places.scratch;
    RegisterId id = emission_.graph.scopes.find_register(scope_, operand.name);
    if (operand.kind != ptx::Operand::Kind::name || !operand.selector.empty()) {
        refuse("a register is expected as the destination");
        return 0;
    }
    if (id.number == no_index || id.bytes != bytes) {
        refuse(fmt::format("{} is not a {}-bit register", operand.name, bytes * 8));
        return 0;
    }
    return emission_.places.offsets[id.number];
}

std::uint32_t Site::source(const ptx::Operand& operand, ptx::Type type) {
    const unsigned bytes = lane_bytes(type);
    if (operand.kind == ptx::Operand::Kind::integer) {
        if (type == ptx::Type::f32)
            return constant(std::bit_cast<std::uint32_t>(static_cast<float>(operand.integer)), 4);
        if (type == ptx::Type::f64)
            return constant(std::bit_cast<std::uint64_t>(static_cast<double>(operand.integer)), 8);
        auto bits = static_cast<std::uint64_t>(operand.integer);
        if (bytes == 4) bits &= type_bytes(type) >= 4 ? 0xffff'ffffull : (1ull << type_bytes(type) * 8) - 1;
        return constant(bits, bytes);
    }
    if (operand.kind == ptx::Operand::Kind::real) {
        std::uint64_t bits = operand.bits;
        if (operand.single && bytes == 8)
            bits = std::bit_cast<std::uint64_t>(
                static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
        if (!operand.single && bytes == 4)
            bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
        return constant(bits, bytes);
    }
    if (operand.kind != ptx::Operand::Kind::name || !operand.selector.empty()) {
        refuse("unexpected kind of operand");
        return 0;
    }
    RegisterId id = emission_.graph.scopes.find_register(scope_, operand.name);
    if (id.number == no_index) {
        auto named = place(operand.name);
        if (!named || named->in_frame) {
            refuse(fmt::format("{} is not declared", operand.name));
            return 0;
        }
        return constant(named->address + static_cast<std::uint64_t>(operand.offset), bytes);
    }
    if (id.bytes != bytes || operand.negated) {
        refuse(fmt::format("{} has not the type's size", operand.name));
        return 0;
    }
    return emission_.places.offsets[id.number];
}

std::uint32_t Site::predicate(const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::integer) return constant(operand.integer != 0 ? ~0u : 0, 0);
    RegisterId id = emission_.graph.scopes.find_register(scope_, operand.name);
    if (operand.kind != ptx::Operand::Kind::name || id.number == no_index || id.bytes != 0) {
        refuse(fmt::format("{} is not a predicate", operand.name));
        return 0;
    }
    return emission_.places.offsets[id.number];
}

std::uint32_t Site::predicate_destination(const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::sink) return emission_.places.scratch;
    return predicate(operand);
}

std::uint32_t Site::predicate_destination_or_scratch(const ptx::Operand* operand) {
    return operand ? predicate_destination(*operand) : emission_.places.scratch;
}

std::uint32_t Site::constant(std::uint64_t bits, unsigned bytes) {
    const std::uint32_t place = emission_.constant(bits, bytes);
    if (place != no_index) return place;
    refuse("the function has too many constants");
    return 0;
}

unsigned Site::register_bytes(const ptx::Operand& operand) const {
    if (operand.kind == ptx::Operand::Kind::sink) return 0;
    RegisterId id = emission_.graph.scopes.find_register(scope_, operand.name);
    return id.number == no_index ? 0 : id.bytes;
}

bool Site::is_predicate(const ptx::Operand& operand) const {
    RegisterId id = emission_.graph.scopes.find_register(scope_, operand.name);
    return id.number != no_index && id.bytes == 0;
}

bool Site::is_read(const ptx::Operand& operand) const {
    for (const ptx::Operand& element : operand.elements)
        if (is_read(element)) return true;
    RegisterId id = emission_.graph.scopes.find_register(scope_, operand.name);
    return id.number != no_index && emission_.is_read(id.number);
}

Site::MemoryOperand Site::memory(const ptx::Operand& operand, ptx::Space space) {
    MemoryOperand result;
    result.space = space;
    out.cache = new_access_site();
    if (operand.kind != ptx::Operand::Kind::address || !operand.elements.empty()) {
        refuse("a memory address is expected");
        return result;
    }
    out.immediate = operand.offset;
    if (operand.name.empty()) {
        out.immediate = operand.integer;
        out.a = constant(0, 8);
        return result;
    }
    RegisterId id = emission_.graph.scopes.find_register(scope_, operand.name);
    if (id.number != no_index) {
        result.wide = id.bytes == 8;
        out.a = emission_.places.offsets[id.number];
        if (id.bytes != 8 && id.bytes != 4) refuse("an address register has 32 or 64 bits");
        return result;
    }
    auto named = place(operand.name);
    if (!named) {
        refuse(fmt::format("{} is not declared", operand.name));
        return result;
    }
    result.in_frame = named->in_frame;
    result.kernel_parameter = named->kernel_parameter;
    result.offset = operand.offset;
    result.size = named->size;
    auto place = static_cast<std::uint64_t>(out.immediate) + named->address;
    out.a = constant(0, 8);
    // A generic access names a variable of any space.
    if (space == ptx::Space::none && !named->in_frame) {
        if (named->space == ptx::Space::shared) place += shared_window;
        if (named->kernel_parameter) place += param_window;
    }
    out.immediate = static_cast<std::int64_t>(place);
    return result;
}

void Site::image(const ptx::Operand& operand) {
    out.cache = new_access_site();
    RegisterId id = emission_.graph.scopes.find_register(scope_, operand.name);
    if (operand.kind != ptx::Operand::Kind::address || operand.offset != 0 || id.number == no_index || id.bytes != 8)
        return refuse("a texture or surface is named by a 64-bit register");
    out.a = emission_.places.offsets[id.number];
}

std::uint32_t Site::list(const std::vector<std::uint32_t>& offsets) {
    auto& operands = code().operands;
    auto first = static_cast<std::uint32_t>(operands.size());
    operands.insert(operands.end(), offsets.begin(), offsets.end());
    return first;
}

std::optional<NamedPlace> Site::place(const std::string& name) const {
    if (auto found = emission_.graph.scopes.find_place(scope_, name)) return found;
    return emission_.graph.outside->find(name);
}

std::optional<std::uint32_t> Site::label(const std::string& name) const {
    return emission_.graph.scopes.find_label(scope_, name);
}

std::vector<std::string> Site::branch_targets(const std::string& name) const {
    auto* found = emission_.graph.scopes.find_targets(scope_, name);
    return found ? *found : std::vector<std::string>();
}

std::uint32_t Site::callee(const std::string& name) const {
    return emission_.graph.outside->callee(name);
}
Code& Site::code() const {
    return emission_.code;
}
Program& Site::program() const {
    return emission_.graph.outside->program();
}
bool Site::in_kernel() const {
    return emission_.graph.function->is_entry;
}

}  // namespace cudash::virtual_gpu
