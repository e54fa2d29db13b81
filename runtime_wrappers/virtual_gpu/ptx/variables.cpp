#include "runtime_wrappers/virtual_gpu/ptx/variables.h"

#include <bit>
#include <limits>
#include <utility>

#include "runtime_wrappers/virtual_gpu/ptx/names.h"
#include "runtime_wrappers/virtual_gpu/ptx/operands.h"

namespace cudash::ptx {
namespace {

constexpr int deepest_list = 16;  // of nested initialiser lists

/// `name`, `name+8`, `generic(name)+8`, `0xFF00(name)`, a constant, or a list.
bool parse_initializer(TokenReader& reader, Initializer& initializer, int depth) {
    if (depth > deepest_list) return reader.fail("initializers are nested too deep");
    if (reader.accept('{')) {
        if (reader.accept('}')) return true;
        do {
            if (!parse_initializer(reader, initializer.list.emplace_back(), depth + 1)) return false;
        } while (reader.accept(','));
        return reader.expect('}', "after the initializers");
    }
    Operand& scalar = initializer.scalar.emplace();
    if (reader.peek().kind == Token::Kind::word && reader.peek().text != "WARP_SZ") {
        scalar.name = reader.take().text;
    } else if (!parse_constant(reader, scalar)) {
        return false;
    }
    const bool is_name = scalar.kind == Operand::Kind::name;
    if (scalar.negated) return reader.fail("a variable's address can't be negated");
    if (reader.accept('(')) {
        if (is_name && scalar.name == "generic") {
            initializer.generic = true;
        } else if (scalar.kind == Operand::Kind::integer) {
            initializer.mask = static_cast<std::uint64_t>(scalar.integer);
        } else {
            return reader.fail("only generic(...) and an address mask take a parenthesis here");
        }
        scalar = {};
        if (!reader.expect_word(scalar.name, "a variable's name")) return false;
        if (!parse_offsets(reader, scalar.offset) || !reader.expect(')', "after the variable")) return false;
        return parse_offsets(reader, scalar.offset);
    }
    if (is_name) return parse_offsets(reader, scalar.offset);
    return scalar.kind != Operand::Kind::integer || parse_offsets(reader, scalar.integer);
}

/// `.attribute(.managed, .unified(1, 2))`. Unified addresses of functions say nothing to one process: skipped.
bool parse_attributes(TokenReader& reader, Variable& variable) {
    if (!reader.expect('(', "after .attribute")) return false;
    do {
        if (reader.accept_dotted("managed")) {
            variable.is_managed = true;
        } else if (reader.accept_dotted("unified")) {
            if (!reader.expect('(', "after .unified")) return false;
            while (!reader.peek().is(')')) {
                if (reader.peek().kind == Token::Kind::end) return reader.fail_expected("')' after .unified");
                reader.take();
            }
            reader.take();
        } else {
            return reader.fail_expected(".managed or .unified");
        }
    } while (reader.accept(','));
    return reader.expect(')', "after the attributes");
}

/// `.ptr .global .align 4`: the space is optional.
bool parse_pointee(TokenReader& reader, Variable& variable) {
    Pointee& pointee = variable.pointee.emplace();
    if (reader.peek().kind == Token::Kind::dotted) {
        if (const auto space = find_space(reader.peek().text.substr(1))) {
            pointee.space = *space;
            reader.take();
        }
    }
    return !reader.accept_dotted("align") || reader.expect_integer(pointee.alignment, "an alignment");
}

/// Everything before the first name.
bool parse_qualifiers(TokenReader& reader, Variable& variable) {
    while (reader.peek().kind == Token::Kind::dotted) {
        const std::string_view name = reader.peek().text.substr(1);
        if (const auto space = find_space(name); space && variable.space == Space::none) {
            variable.space = *space;
            reader.take();
        } else if (const auto type = find_type(name); type && variable.type == Type::none) {
            variable.type = *type;
            reader.take();
        } else if (reader.accept_dotted("align")) {
            if (!reader.expect_integer(variable.alignment, "an alignment")) return false;
            if (!std::has_single_bit(variable.alignment)) return reader.fail("an alignment is a power of two");
        } else if (name == "v2" || name == "v4" || name == "v8") {
            variable.vector = static_cast<unsigned>(name[1] - '0');
            reader.take();
        } else if (reader.accept_dotted("attribute")) {
            if (!parse_attributes(reader, variable)) return false;
        } else if (reader.accept_dotted("ptr")) {
            if (!parse_pointee(reader, variable)) return false;
        } else {
            return reader.fail_expected("a state space, a type or .align in a declaration");
        }
    }
    if (variable.space == Space::none) return reader.fail_expected("a state space in a declaration");
    if (variable.type == Type::none) return reader.fail_expected("a type in a declaration");
    return true;
}

/// The name, `<N>`, `[N][M]` and `= initialiser` of one variable.
bool parse_declarator(TokenReader& reader, Variable& variable) {
    variable.location.ptx_line = reader.line();
    if (!reader.expect_word(variable.name, "a variable's name")) return false;
    if (reader.accept('<')) {
        if (!reader.expect_integer(variable.count, "a number of registers")) return false;
        if (!reader.expect('>', "after the number of registers")) return false;
    }
    while (reader.accept('[')) {
        std::uint64_t& elements = variable.dimensions.emplace_back(0);
        if (reader.accept(']')) continue;
        constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
        if (!reader.expect_integer(elements, most, "a number of elements")) return false;
        if (!reader.expect(']', "after the number of elements")) return false;
    }
    return !reader.accept('=') || parse_initializer(reader, variable.initializer.emplace(), 0);
}

}  // namespace

bool begins_variable(const Token& token) {
    return token.kind == Token::Kind::dotted && find_space(token.text.substr(1)).has_value();
}

bool parse_variables(TokenReader& reader, const Variable& prototype, std::vector<Variable>& variables) {
    Variable qualifiers = prototype;
    if (!parse_qualifiers(reader, qualifiers)) return false;
    do {
        if (!parse_declarator(reader, variables.emplace_back(qualifiers))) return false;
    } while (reader.accept(','));
    return reader.expect(';', "after the declaration");
}

bool parse_parameters(TokenReader& reader, std::vector<Variable>& parameters) {
    if (!reader.expect('(', "before the parameters")) return false;
    if (reader.accept(')')) return true;
    do {
        Variable& parameter = parameters.emplace_back();
        if (!parse_qualifiers(reader, parameter) || !parse_declarator(reader, parameter)) return false;
    } while (reader.accept(','));
    return reader.expect(')', "after the parameters");
}

}  // namespace cudash::ptx
