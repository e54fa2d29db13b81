#include "runtime_wrappers/virtual_gpu/ptx/debug_sections.h"

#include <optional>
#include <unordered_map>

#include "runtime_wrappers/virtual_gpu/ptx/lexer.h"

namespace cudash::ptx {
namespace {

/// A value that is known when all labels are.
struct Reference {
    std::string section;
    std::size_t at = 0;
    unsigned size = 0;
    std::string name;
    std::uint64_t offset = 0;
    std::string minus;  ///< of a difference of labels
};

class SectionReader {
public:
    explicit SectionReader(std::string_view text) : lexer_(text) { advance(); }

    DebugSections run() {
        while (token_.kind != Token::Kind::end) {
            if (token_.is_dotted("section")) {
                advance();
                read_section();
            } else if (token_.kind == Token::Kind::word) {
                const Token word = token_;
                advance();
                if (token_.is(':')) labels_[std::string(word.text)] = word.line;
            } else {
                advance();
            }
        }
        for (const Reference& reference : references_) resolve(reference);
        return std::move(sections_);
    }

private:
    void advance() { token_ = lexer_.next(); }

    void read_section() {
        if (token_.kind != Token::Kind::dotted) return;
        const std::string name(token_.text.substr(1));
        advance();
        if (!token_.is('{')) return;
        advance();
        std::string& bytes = sections_.bytes[name];
        while (!token_.is('}') && token_.kind != Token::Kind::end) {
            if (token_.kind == Token::Kind::word) {
                labels_[std::string(token_.text)] = bytes.size();
                advance();
            } else if (const unsigned size = size_of(token_)) {
                advance();
                read_values(name, bytes, size);
            } else {
                advance();
            }
        }
        labels_["." + name] = 0;
    }

    static unsigned size_of(const Token& token) {
        if (token.is_dotted("b8")) return 1;
        if (token.is_dotted("b16")) return 2;
        if (token.is_dotted("b32")) return 4;
        return token.is_dotted("b64") ? 8 : 0;
    }

    /// `1,2`, `$L__tmp0`, `.debug_abbrev`, `name+4`, `$L__tmp1-$L__tmp0`, `-1`
    void read_values(const std::string& section, std::string& bytes, unsigned size) {
        do {
            if (token_.is(',')) advance();
            const bool negative = token_.is('-');
            if (negative) advance();
            std::uint64_t value = 0;
            if (token_.kind == Token::Kind::number) {
                const auto number = parse_number(token_.text);
                value = number ? number->bits : 0;
                if (negative) value = 0 - value;
                advance();
            } else {
                Reference reference{section, bytes.size(), size, std::string(token_.text), 0, {}};
                advance();
                if (token_.is('+') || token_.is('-')) {
                    const bool minus = token_.is('-');
                    advance();
                    const auto number =
                        token_.kind == Token::Kind::number ? parse_number(token_.text) : std::optional<Number>();
                    if (number) reference.offset = minus ? 0 - number->bits : number->bits;
                    if (!number && minus) reference.minus = token_.text;
                    advance();
                }
                references_.push_back(std::move(reference));
            }
            put(bytes, bytes.size(), value, size);
        } while (token_.is(','));
    }

    static void put(std::string& bytes, std::size_t at, std::uint64_t value, unsigned size) {
        if (bytes.size() < at + size) bytes.resize(at + size);
        for (unsigned i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
    }

    std::uint64_t value_of(const std::string& name) {
        if (const auto label = labels_.find(name); label != labels_.end()) return label->second;
        const auto [known, is_new] = symbols_.try_emplace(name, sections_.symbols.size());
        if (is_new) sections_.symbols.push_back(name);
        return DebugSections::first_symbol + known->second;
    }

    void resolve(const Reference& reference) {
        std::uint64_t value = value_of(reference.name) + reference.offset;
        if (!reference.minus.empty()) value -= value_of(reference.minus);
        put(sections_.bytes[reference.section], reference.at, value, reference.size);
    }

    Lexer lexer_;
    Token token_;
    DebugSections sections_;
    std::unordered_map<std::string, std::uint64_t> labels_;  ///< lines of code, offsets in sections
    std::unordered_map<std::string, std::size_t> symbols_;
    std::vector<Reference> references_;
};

}  // namespace

DebugSections parse_debug_sections(std::string_view ptx) {
    return SectionReader(ptx).run();
}

}  // namespace cudash::ptx
