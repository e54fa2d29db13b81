// The files of explanations/, as the build compiles them in (CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>

namespace cudash {

struct ExplanationPage {
    std::string_view code;  ///< the file's name
    std::string_view text;
};
std::span<const ExplanationPage> explanation_pages();

}  // namespace cudash
