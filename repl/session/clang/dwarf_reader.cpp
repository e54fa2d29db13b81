#include "repl/session/clang/dwarf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/DebugInfo/DWARF/DWARFExpression.h"
#include "llvm/Support/MemoryBuffer.h"
#include "runtime_wrappers/virtual_gpu/ptx/debug_sections.h"

namespace cudash::session {
namespace {

namespace dwarf = llvm::dwarf;
using debug::DebugFunction;
using debug::DebugInfo;
using debug::DebugScope;
using debug::DebugType;
using debug::DebugVariable;
using debug::TypeId;
using debug::VariablePlace;

/// PTX's debug information has the letters of a register's name as its number: "%r2" is 0x257232.
std::string register_name(std::uint64_t number) {
    std::string name;
    for (; number != 0; number >>= 8) name.insert(name.begin(), static_cast<char>(number & 0xFF));
    return name;
}

class DwarfReader {
public:
    explicit DwarfReader(const ptx::DebugSections& sections) : sections_(sections) {}

    DebugInfo run() {
        llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> buffers;
        for (const auto& [name, bytes] : sections_.bytes)
            buffers[name] = llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
        constexpr std::uint8_t address_bytes = 8;
        const auto ignore = [](llvm::Error problem) { llvm::consumeError(std::move(problem)); };
        const auto context = llvm::DWARFContext::create(buffers, address_bytes, true, ignore, ignore);
        for (const auto& unit : context->compile_units()) read_members(unit->getUnitDIE(false));
        return std::move(info_);
    }

private:
    static std::uint64_t number(const llvm::DWARFDie& die, dwarf::Attribute attribute, std::uint64_t otherwise = 0) {
        return dwarf::toUnsigned(die.findRecursively({attribute}), otherwise);
    }
    static std::string text(const llvm::DWARFDie& die, dwarf::Attribute attribute) {
        return dwarf::toString(die.findRecursively({attribute}), "");
    }

    void read_members(const llvm::DWARFDie& parent) {
        for (const llvm::DWARFDie& die : parent.children()) {
            if (die.getTag() == dwarf::DW_TAG_namespace) read_members(die);
            if (die.getTag() == dwarf::DW_TAG_variable) info_.globals.push_back(variable(die));
            if (die.getTag() == dwarf::DW_TAG_subprogram && die.find(dwarf::DW_AT_low_pc)) read_function(die);
        }
    }

    void read_function(const llvm::DWARFDie& die) {
        DebugFunction function;
        function.name = text(die, dwarf::DW_AT_name);
        function.symbol = text(die, dwarf::DW_AT_MIPS_linkage_name);
        if (function.symbol.empty()) function.symbol = text(die, dwarf::DW_AT_linkage_name);
        if (function.symbol.empty()) function.symbol = function.name;
        function.file = static_cast<unsigned>(number(die, dwarf::DW_AT_decl_file));
        function.line = static_cast<unsigned>(number(die, dwarf::DW_AT_decl_line));
        function.scope = scope(die);
        info_.functions.push_back(std::move(function));
    }

    DebugScope scope(const llvm::DWARFDie& die) {
        DebugScope made;
        made.begin = dwarf::toAddress(die.find(dwarf::DW_AT_low_pc), 0);
        made.end = dwarf::toAddress(die.find(dwarf::DW_AT_high_pc), 0);
        if (die.getTag() == dwarf::DW_TAG_inlined_subroutine) {
            made.inlined = text(die, dwarf::DW_AT_name);
            made.call_file = static_cast<unsigned>(dwarf::toUnsigned(die.find(dwarf::DW_AT_call_file), 0));
            made.call_line = static_cast<unsigned>(dwarf::toUnsigned(die.find(dwarf::DW_AT_call_line), 0));
        }
        for (const llvm::DWARFDie& child : die.children()) {
            switch (child.getTag()) {
                case dwarf::DW_TAG_formal_parameter:
                case dwarf::DW_TAG_variable:
                    made.variables.push_back(variable(child));
                    break;
                case dwarf::DW_TAG_lexical_block:
                case dwarf::DW_TAG_inlined_subroutine:
                    made.inner.push_back(scope(child));
                    break;
                default:
                    break;
            }
        }
        return made;
    }

    DebugVariable variable(const llvm::DWARFDie& die) {
        DebugVariable made;
        made.name = text(die, dwarf::DW_AT_name);
        made.type = type(die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
        if (made.type == debug::no_type)
            if (const auto origin = die.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin))
                made.type = type(origin.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
        made.is_parameter = die.getTag() == dwarf::DW_TAG_formal_parameter;
        made.line = static_cast<unsigned>(number(die, dwarf::DW_AT_decl_line));
        const auto address_class = static_cast<VariablePlace::Class>(number(die, dwarf::DW_AT_address_class, 12));
        auto locations = die.getLocations(dwarf::DW_AT_location);
        if (!locations) {
            llvm::consumeError(locations.takeError());
            return made;
        }
        for (const llvm::DWARFLocationExpression& each : *locations) {
            VariablePlace place;
            place.address_class = address_class;
            if (each.Range) place.begin = each.Range->LowPC, place.end = each.Range->HighPC;
            if (read_place(each.Expr, place)) made.places.push_back(std::move(place));
        }
        return made;
    }

    bool read_place(llvm::ArrayRef<std::uint8_t> bytes, VariablePlace& place) const {
        const llvm::DataExtractor data(bytes, true, 8);
        const llvm::DWARFExpression expression(data, 8);
        for (const auto& operation : expression) {
            if (operation.isError()) return false;
            const std::uint64_t operand = operation.getNumOperands() > 0 ? operation.getRawOperand(0) : 0;
            switch (operation.getCode()) {
                case dwarf::DW_OP_regx:
                    place.address_class = VariablePlace::Class::reg;
                    place.symbol = register_name(operand);
                    break;
                case dwarf::DW_OP_addr: {
                    const std::uint64_t index = operand - ptx::DebugSections::first_symbol;
                    if (index >= sections_.symbols.size()) return false;
                    place.symbol = sections_.symbols[index];
                    break;
                }
                case dwarf::DW_OP_plus_uconst:
                    place.offset += operand;
                    break;
                default:
                    return false;
            }
        }
        return !place.symbol.empty();
    }

    TypeId type(const llvm::DWARFDie& die) {
        if (!die) return debug::no_type;
        if (const auto known = types_.find(die.getOffset()); known != types_.end()) return known->second;
        // Of these the type is that of what they name.
        switch (die.getTag()) {
            case dwarf::DW_TAG_typedef:
            case dwarf::DW_TAG_const_type:
            case dwarf::DW_TAG_volatile_type:
            case dwarf::DW_TAG_restrict_type:
                return types_[die.getOffset()] = type(die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
            default:
                break;
        }
        const auto id = static_cast<TypeId>(info_.types.size());
        types_[die.getOffset()] = id;
        info_.types.emplace_back();
        DebugType made = describe(die);  // which may add types
        info_.types[id] = std::move(made);
        return id;
    }

    DebugType describe(const llvm::DWARFDie& die) {
        DebugType made;
        made.name = text(die, dwarf::DW_AT_name);
        made.bytes = number(die, dwarf::DW_AT_byte_size);
        const auto target = [&] { return type(die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type)); };
        switch (die.getTag()) {
            case dwarf::DW_TAG_base_type:
                made.kind = kind_of_base(number(die, dwarf::DW_AT_encoding));
                break;
            case dwarf::DW_TAG_pointer_type:
                made.kind = DebugType::Kind::pointer;
                made.target = target();
                made.bytes = 8;
                break;
            case dwarf::DW_TAG_reference_type:
            case dwarf::DW_TAG_rvalue_reference_type:
                made.kind = DebugType::Kind::reference;
                made.target = target();
                made.bytes = 8;
                break;
            case dwarf::DW_TAG_array_type:
                return array(die, target());
            case dwarf::DW_TAG_structure_type:
            case dwarf::DW_TAG_class_type:
            case dwarf::DW_TAG_union_type:
                made.kind = DebugType::Kind::record;
                for (const llvm::DWARFDie& child : die.children())
                    if (child.getTag() == dwarf::DW_TAG_member || child.getTag() == dwarf::DW_TAG_inheritance)
                        made.members.push_back(member(child));
                break;
            case dwarf::DW_TAG_enumeration_type:
                made.kind = DebugType::Kind::enumeration;
                for (const llvm::DWARFDie& child : die.children())
                    made.enumerators.emplace_back(text(child, dwarf::DW_AT_name),
                                                  dwarf::toSigned(child.find(dwarf::DW_AT_const_value), 0));
                break;
            default:
                break;
        }
        return made;
    }

    static DebugType::Kind kind_of_base(std::uint64_t encoding) {
        switch (encoding) {
            case dwarf::DW_ATE_boolean:
                return DebugType::Kind::boolean;
            case dwarf::DW_ATE_float:
                return DebugType::Kind::floating;
            case dwarf::DW_ATE_signed:
                return DebugType::Kind::signed_integer;
            case dwarf::DW_ATE_signed_char:
            case dwarf::DW_ATE_unsigned_char:
                return DebugType::Kind::character;
            default:
                return DebugType::Kind::unsigned_integer;
        }
    }

    DebugType::Member member(const llvm::DWARFDie& die) {
        DebugType::Member made{text(die, dwarf::DW_AT_name),
                               type(die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type))};
        const auto place = die.find(dwarf::DW_AT_data_member_location);
        if (!place) return made;
        if (const auto plain = place->getAsUnsignedConstant()) {
            made.offset = *plain;
        } else if (const auto block = place->getAsBlock()) {
            const llvm::DataExtractor data(*block, true, 8);
            for (const auto& operation : llvm::DWARFExpression(data, 8))
                if (operation.getCode() == dwarf::DW_OP_plus_uconst) made.offset = operation.getRawOperand(0);
        }
        return made;
    }

    /// `float s[4][8]` is one DIE with two ranges: an array of arrays here.
    DebugType array(const llvm::DWARFDie& die, TypeId element) {
        std::vector<std::uint64_t> counts;
        for (const llvm::DWARFDie& child : die.children()) {
            if (child.getTag() != dwarf::DW_TAG_subrange_type) continue;
            const auto bound = child.find(dwarf::DW_AT_upper_bound);
            counts.push_back(bound ? dwarf::toUnsigned(bound, 0) + 1 : number(child, dwarf::DW_AT_count));
        }
        if (counts.empty()) counts.push_back(0);
        DebugType made;
        for (std::size_t i = counts.size(); i-- > 0;) {
            made = {};
            made.kind = DebugType::Kind::array;
            made.target = element;
            made.count = counts[i];
            made.bytes = made.count * info_.types[element].bytes;
            if (i == 0) break;
            element = static_cast<TypeId>(info_.types.size());
            info_.types.push_back(made);
        }
        return made;
    }

    const ptx::DebugSections& sections_;
    DebugInfo info_;
    std::map<std::uint64_t, TypeId> types_;
};

}  // namespace

DebugInfo read_debug_info(std::string_view ptx) {
    const ptx::DebugSections sections = ptx::parse_debug_sections(ptx);
    if (!sections.bytes.contains("debug_info")) return {};
    return DwarfReader(sections).run();
}

}  // namespace cudash::session
