#include "repl/grade/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <cstdint>

namespace cudash::grade {
namespace {

constexpr std::uint32_t most_steps = 10'000'000;
constexpr std::uint32_t most_heap = 64 << 10;  ///< KiB

struct FreeMatch {
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

}  // namespace

void Pattern::Free::operator()(pcre2_real_code_8* code) const {
    pcre2_code_free(code);
}

Result<Pattern> Pattern::read(const std::string& text) {
    int number = 0;
    PCRE2_SIZE place = 0;
    // As in ECMAScript: $ is the end of the text alone, and a group that took part in nothing is empty.
    pcre2_code* code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                      PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF | PCRE2_ALT_BSUX, &number, &place, nullptr);
    if (code) return Pattern(code);
    std::array<PCRE2_UCHAR, 256> message{};
    pcre2_get_error_message(number, message.data(), message.size());
    return error("bad-pattern",
                 fmt::format("{} at character {}", reinterpret_cast<const char*>(message.data()), place + 1));
}

bool Pattern::is_in(std::string_view text) const {
    const std::unique_ptr<pcre2_match_data, FreeMatch> data(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    const std::unique_ptr<pcre2_match_context, FreeMatch> context(pcre2_match_context_create(nullptr));
    if (!data || !context) return false;
    pcre2_set_match_limit(context.get(), most_steps);
    pcre2_set_heap_limit(context.get(), most_heap);
    return pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0, data.get(),
                       context.get()) > 0;
}

}  // namespace cudash::grade
