// One result in the forms that notebooks and pages can show.
#pragma once

#include <string>

namespace cudash::view {

/// Whoever shows it takes the best form that he can show. A form that is empty does not exist.
struct Rich {
    std::string plain{};  ///< text as a terminal without colors gets it; never empty
    std::string html{};   ///< a fragment for the body of a page: needs nothing from elsewhere, runs no scripts
    std::string svg{};    ///< a whole <svg> element
    std::string png{};    ///< the bytes of an image
};

}  // namespace cudash::view
