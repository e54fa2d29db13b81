// What the stable codes of diagnostics mean: a page each, for `cudash explain CODE`.
#pragma once

#include <span>
#include <string_view>

namespace cudash {

struct Explanation {
    std::string_view code;
    std::string_view title;    ///< one line
    std::string_view meaning;  ///< what happened, and why it is a mistake
    std::string_view example;  ///< code that does it
    std::string_view remedy;   ///< what to do instead
};
/// A code that was once spelled in another way, as it is spelled today: files and habits keep the former one.
std::string_view code_today(std::string_view code);
/// By code.
std::span<const Explanation> explanations();
const Explanation* find_explanation(std::string_view code);

}  // namespace cudash
