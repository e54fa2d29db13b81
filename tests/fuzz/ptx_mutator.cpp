#include "tests/fuzz/ptx_mutator.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::fuzz {
namespace {

constexpr std::string_view modifier_names[] = {
#define PTX_MODIFIER(name, text) text,
#include "runtime_wrappers/virtual_gpu/isa/modifiers.def"
#undef PTX_MODIFIER
};
constexpr std::string_view types_and_spaces[] = {
    ".b8",   ".b16", ".b32",   ".b64",   ".b128",   ".u8",    ".u16",    ".u32", ".u64",
    ".s8",   ".s16", ".s32",   ".s64",   ".f16",    ".f16x2", ".bf16",   ".f32", ".f64",
    ".pred", ".reg", ".param", ".const", ".global", ".local", ".shared", ".tex", ".shared::cta"};
constexpr std::string_view directives[] = {
    ".version 9.0",   ".target sm_90",  ".address_size 64", ".visible",        ".extern",   ".weak",      ".entry",
    ".func",          ".maxntid 64",    ".reqntid 64",      ".minnctapersm 1", ".align 8",  ".loc 1 2 3", ".file 1",
    ".callprototype", ".branchtargets", ".calltargets",     ".pragma",         ".noreturn", ".alias",     ".section"};
constexpr std::string_view special_registers[] = {
    "%tid.x",   "%ntid.x",      "%ctaid.x", "%nctaid.x",          "%laneid", "%warpid", "%lanemask_lt",
    "%clock64", "%globaltimer", "%envreg2", "%dynamic_smem_size", "WARP_SZ", "%smid",   "%activemask"};
constexpr std::string_view numbers[] = {"0",
                                        "1",
                                        "-1",
                                        "2",
                                        "3",
                                        "7",
                                        "31",
                                        "32",
                                        "33",
                                        "64",
                                        "255",
                                        "16",
                                        "4096",
                                        "32764",
                                        "524288",
                                        "16777216",
                                        "65535",
                                        "2147483647",
                                        "-2147483648",
                                        "4294967295",
                                        "4294967296",
                                        "4294967312",
                                        "9223372032559808512",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "0x7fffffff",
                                        "0f7F800000",
                                        "0f7FC00001",
                                        "0d7FF0000000000000",
                                        "0d0000000000000001",
                                        "1e400",
                                        "077",
                                        "0b1"};

/// Declarations and uses whose sizes, counts and alignments are what a mistake or malice makes of them. N: a number,
/// W: a word of the text.
constexpr std::string_view hostile[] = {
    ".local .align N .b8 big[N];",
    ".local .b64 W[N][N];",
    ".shared .align N .b8 big[N];",
    ".shared .v4 .f32 W[N][N];",
    ".extern .shared .align N .b8 W[];",
    ".param .align N .b8 big[N];",
    ".param .b32 many<N>[N];",
    ".global .align N .b8 W[N][N] = {{N, N}, {N}};",
    ".global .b64 W[] = {big, W+N, generic(W)+N, 0xFF00(big)};",
    ".const .align N .b32 W[N];",
    ".reg .b32 W<N>;",
    ".reg .b128 %q<N>;",
    ".func deep(.param .align N .b8 a[N]) { .local .align N .b8 own[N]; call deep, (a); ret; }",
    ".func (.reg .b32 r) deep(.reg .pred p, .reg .b64 q) { call (r), deep, (p, q); ret; }",
    "call deep, (big);",
    "call (%r1), W, (%r1, N, W);",
    "call (many0, many1), deep, (big, W);",
    ".maxntid N, N, N",
    ".reqntid N, N, N",
    ".reqnctapercluster N, N, N",
    "ld.local.b32 %r1, [big+N];",
    "st.local.v2.b64 [W+N], {%rd1, %rd1};",
    "st.param.b64 [big+N], %rd1;",
    "ld.param.b64 %rd1, [W+N];",
    "ld.shared.v4.b32 {%r1, %r1, %r1, %r1}, [%r1+N];",
    "st.shared.b32 [big+N], %r1;",
    "atom.shared.add.u32 %r1, [%r1+N], 1;",
    "red.global.add.v4.f32 [%rd1+N], {%f1, %f1, %f1, %f1};",
    "ld.global.v2.b32 {%r1, %r1, %r1}, [%rd1+N];",
    "cp.async.cg.shared.global [%r1+N], [%rd1+N], 16;",
    "cp.async.bulk.global.shared::cta.bulk_group [%rd1+N], [%r1+N], N;",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r1+N];",
    "mbarrier.init.shared.b64 [%r1+N], N;",
    "alloca.u64 %rd1, N, N;",
    "mapa.shared::cluster.u32 %r1, %r1, N;",
    "brx.idx %r1, W;",
    "W: .branchtargets W, W, W;",
};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}

std::size_t below(std::size_t bound, Random& random) {
    return bound == 0 ? 0 : random() % bound;
}

/// One line with its end, at a random place.
std::string_view random_line(std::string_view text, Random& random) {
    const std::size_t at = below(text.size(), random);
    const std::size_t before = text.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1);
    return begin > end ? std::string_view() : text.substr(begin, end - begin + 1);
}

/// A word, or a single character where there is none, near a random place.
std::string_view random_word(std::string_view text, Random& random) {
    std::size_t begin = below(text.size(), random);
    for (int tries = 0; tries < 8 && !is_word(text[begin]); ++tries) begin = below(text.size(), random);
    std::size_t end = begin + 1;
    if (is_word(text[begin])) {
        while (begin > 0 && is_word(text[begin - 1])) --begin;
        while (end < text.size() && is_word(text[end])) ++end;
    }
    return text.substr(begin, end - begin);
}

/// Words of one kind stand in for each other more often than others do.
enum class Kind { number, sigil, letters, other };
Kind kind_of(std::string_view word) {
    if (std::isdigit(static_cast<unsigned char>(word.front()))) return Kind::number;
    if (word.front() == '%' || word.front() == '$') return Kind::sigil;
    return is_word(word.front()) ? Kind::letters : Kind::other;
}

enum class Change {
    drop_line,
    copy_line,
    take_line,
    swap_words,
    dictionary_word,
    number,
    modifier,
    hostile_line,
    drop_word,
    byte,
    cut,
    repeat_word,
    count
};

void change(std::string& text, std::string_view other, Random& random) {
    if (text.empty()) text = other;
    if (text.empty()) return;
    const std::string_view whole = text;
    const auto position = [&](std::string_view part) { return static_cast<std::size_t>(part.data() - whole.data()); };
    const auto replace = [&](std::string_view part, std::string_view by) {
        const std::string copy(by);
        text.replace(position(part), part.size(), copy);
    };
    const auto word_like = [&](std::string_view like) {
        std::string_view found = random_word(whole, random);
        for (int tries = 0; tries < 16 && kind_of(found) != kind_of(like); ++tries) found = random_word(whole, random);
        return found;
    };
    const auto& words = dictionary();
    const std::string_view line = random_line(whole, random);
    std::string_view word = random_word(whole, random);
    // What breaks the syntax for certain is the parser's business alone: seldom.
    const std::size_t kinds = static_cast<std::size_t>(below(8, random) == 0 ? Change::count : Change::drop_word);
    switch (static_cast<Change>(below(kinds, random))) {
        case Change::drop_line:
            replace(line, {});
            break;
        case Change::copy_line: {
            const std::string copy(random_line(whole, random));
            text.insert(line.empty() ? 0 : position(line), copy);
            break;
        }
        case Change::take_line:
            if (!other.empty()) text.insert(line.empty() ? 0 : position(line), std::string(random_line(other, random)));
            break;
        case Change::swap_words:
            replace(word, word_like(word));
            break;
        case Change::dictionary_word:
            replace(word, words[below(words.size(), random)]);
            break;
        case Change::number: {
            std::string_view digits = word;
            for (int tries = 0; tries < 16 && !std::isdigit(static_cast<unsigned char>(digits.front())); ++tries)
                digits = random_word(whole, random);
            replace(digits, numbers[below(std::size(numbers), random)]);
            break;
        }
        case Change::modifier:
            for (int tries = 0; tries < 16 && kind_of(word) != Kind::letters; ++tries)
                word = random_word(whole, random);
            text.insert(position(word) + word.size(),
                        fmt::format(".{}", modifier_names[below(std::size(modifier_names), random)]));
            break;
        case Change::hostile_line: {
            std::string made;
            for (char c : hostile[below(std::size(hostile), random)]) {
                if (c == 'N') {
                    made += numbers[below(std::size(numbers), random)];
                } else if (c == 'W') {
                    made += word_like("a");
                } else {
                    made += c;
                }
            }
            text.insert(line.empty() ? 0 : position(line), made + '\n');
            break;
        }
        case Change::drop_word:
            replace(word, {});
            break;
        case Change::byte:
            text[below(text.size(), random)] = static_cast<char>(below(256, random));
            break;
        case Change::cut:
            text.resize(below(text.size(), random));
            break;
        case Change::repeat_word: {
            std::string many;
            for (std::size_t i = below(200, random); i > 0; --i) many += word;
            text.insert(position(word), many);
            break;
        }
        case Change::count:
            break;
    }
}

}  // namespace

const std::vector<std::string>& dictionary() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> all;
        for (const virtual_gpu::InstructionRow& row : virtual_gpu::instruction_table()) all.emplace_back(row.mnemonic);
        for (std::string_view name : modifier_names) all.push_back(fmt::format(".{}", name));
        for (const auto& list :
             {std::span<const std::string_view>(types_and_spaces), std::span<const std::string_view>(directives),
              std::span<const std::string_view>(special_registers), std::span<const std::string_view>(numbers)})
            all.insert(all.end(), list.begin(), list.end());
        return all;
    }();
    return words;
}

std::string mutate(std::string_view text, std::string_view other, std::size_t most_bytes, Random& random) {
    std::string changed(text);
    for (std::size_t i = 1 + below(1 + below(8, random), random); i > 0; --i) change(changed, other, random);
    if (changed.size() > most_bytes) changed.resize(most_bytes);
    return changed;
}

}  // namespace cudash::fuzz
