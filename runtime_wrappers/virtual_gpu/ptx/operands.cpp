#include "runtime_wrappers/virtual_gpu/ptx/operands.h"

#include <utility>

#include "runtime_wrappers/virtual_gpu/ptx/expression.h"

namespace cudash::ptx {
namespace {

constexpr int deepest_operand = 4;  // [tex, {a, b}] is the deepest nesting that PTX has

std::int64_t add(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

bool parse_any(TokenReader& reader, Operand& operand, int depth);

/// `a, b, c` up to and with `close`.
bool parse_elements(TokenReader& reader, std::vector<Operand>& elements, char close, int depth) {
    if (reader.accept(close)) return true;
    do {
        if (!parse_any(reader, elements.emplace_back(), depth)) return false;
    } while (reader.accept(','));
    return reader.expect(close, "after the operands");
}

/// ".b0", ".h10": parts of a register, as video instructions select them (PTX ISA 9.7.19).
bool is_selector(std::string_view text) {
    return text.size() > 2 && (text[1] == 'b' || text[1] == 'h') &&
           text.find_first_not_of("01234567", 2) == std::string_view::npos;
}

/// "%tid" ".x", "%r1" ".b0": the parts of a name.
bool parse_name(TokenReader& reader, Operand& operand) {
    operand.kind = Operand::Kind::name;
    operand.name = reader.take().text;
    while (reader.peek().kind == Token::Kind::dotted) {
        const std::string_view part = reader.take().text;
        if (is_selector(part)) {
            operand.selector = part.substr(1);
        } else {
            operand.name += part;
        }
    }
    return parse_offsets(reader, operand.offset);
}

/// What follows `[`.
bool parse_address(TokenReader& reader, Operand& operand, int depth) {
    operand.kind = Operand::Kind::address;
    if (reader.peek().kind == Token::Kind::word && reader.peek().text != "WARP_SZ") {
        if (!parse_name(reader, operand)) return false;
        operand.kind = Operand::Kind::address;
    } else {
        Operand base;
        if (!parse_constant(reader, base)) return false;
        if (base.kind != Operand::Kind::integer) return reader.fail_expected("an integer address");
        operand.integer = base.integer;
        if (!parse_offsets(reader, operand.integer)) return false;
    }
    if (reader.accept(',')) return parse_elements(reader, operand.elements, ']', depth);
    return reader.expect(']', "after the address");
}

bool parse_single(TokenReader& reader, Operand& operand, int depth) {
    const Token& token = reader.peek();
    if (token.kind == Token::Kind::word) {
        if (token.text == "WARP_SZ") return parse_constant(reader, operand);
        if (token.text == "_") {
            reader.take();
            operand.kind = Operand::Kind::sink;
            return true;
        }
        return parse_name(reader, operand);
    }
    if (reader.accept('!')) {
        if (reader.peek().kind != Token::Kind::word || reader.peek().text == "WARP_SZ") {
            if (!parse_constant(reader, operand)) return false;
            if (operand.kind != Operand::Kind::integer) return reader.fail_expected("a predicate after '!'");
            operand.integer = operand.integer == 0;
            return true;
        }
        operand.negated = true;
        return parse_name(reader, operand);
    }
    if (reader.accept('[')) return parse_address(reader, operand, depth);
    if (reader.accept('{')) {
        operand.kind = Operand::Kind::vector;
        return parse_elements(reader, operand.elements, '}', depth);
    }
    return parse_constant(reader, operand);
}

bool parse_any(TokenReader& reader, Operand& operand, int depth) {
    if (depth > deepest_operand) return reader.fail("operands are nested too deep");
    if (!parse_single(reader, operand, depth + 1)) return false;
    if (!reader.accept('|')) return true;
    Operand pair;
    pair.kind = Operand::Kind::predicate_pair;
    pair.elements.push_back(std::move(operand));
    if (!parse_single(reader, pair.elements.emplace_back(), depth + 1)) return false;
    operand = std::move(pair);
    return true;
}

}  // namespace

bool parse_offsets(TokenReader& reader, std::int64_t& offset) {
    while (reader.peek().is('+') || reader.peek().is('-')) {
        if (reader.peek().is('+')) reader.take();
        Operand term;
        if (!parse_constant(reader, term)) return false;
        if (term.kind != Operand::Kind::integer) return reader.fail_expected("an integer offset");
        offset = add(offset, term.integer);
    }
    return true;
}

bool parse_constant(TokenReader& reader, Operand& operand) {
    bool negative = false;
    while (reader.peek().is('-') || reader.peek().is('+')) negative ^= reader.take().is('-');
    if (negative && reader.peek().kind == Token::Kind::word && reader.peek().text != "WARP_SZ") {
        operand.negated = true;
        return parse_name(reader, operand);
    }
    return parse_expression(reader, operand, negative);
}

bool parse_operand(TokenReader& reader, Operand& operand) {
    return parse_any(reader, operand, 0);
}

bool parse_call_list(TokenReader& reader, std::vector<Operand>& operands) {
    return reader.expect('(', "before the list of operands") && parse_elements(reader, operands, ')', 0);
}

}  // namespace cudash::ptx
