#include "repl/view/columns.h"

#include <cwchar>

namespace cudash::view {

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    std::mbstate_t state{};
    while (!text.empty()) {
        wchar_t character = 0;
        std::size_t length = std::mbrtowc(&character, text.data(), text.size(), &state);
        const bool valid = length > 0 && length <= text.size();
        const int width = valid ? wcwidth(character) : 1;
        columns += width > 0 ? static_cast<std::size_t>(width) : 0;
        if (!valid) state = {};
        text.remove_prefix(valid ? length : 1);
    }
    return columns;
}

}  // namespace cudash::view
