#include "repl/shell/input/characters.h"

#include <array>
#include <cwchar>

namespace cudash::shell {

std::string narrow(std::wstring_view text) {
    std::string bytes;
    std::mbstate_t state{};
    std::array<char, 16> character;
    for (const wchar_t c : text) {
        const std::size_t size = std::wcrtomb(character.data(), c, &state);
        if (size <= character.size()) bytes.append(character.data(), size);
    }
    return bytes;
}

std::wstring widen(std::string_view bytes, std::size_t* left_out) {
    std::wstring text;
    while (!bytes.empty()) {
        wchar_t c = 0;
        std::mbstate_t state{};
        const std::size_t size = std::mbrtowc(&c, bytes.data(), bytes.size(), &state);
        const bool is_character = size > 0 && size <= bytes.size();
        if (is_character && (c == L'\n' || c == L'\t' || (c >= L' ' && c != 0x7f))) {
            text += c;
        } else if (left_out) {
            ++*left_out;
        }
        bytes.remove_prefix(is_character ? size : 1);
    }
    return text;
}

}  // namespace cudash::shell
