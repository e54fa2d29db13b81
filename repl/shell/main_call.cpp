#include "repl/shell/main_call.h"

#include "repl/shell/cell_lexer.h"
#include "repl/trim.h"

namespace cudash::shell {
namespace {

/// `()` or `(void)`; the item's text is the opening bracket in `text`.
bool takes_nothing(const Item& parameters, std::string_view text) {
    if (parameters.empty) return true;
    const std::string_view inside = text.substr(static_cast<std::size_t>(parameters.text.data() - text.data()) + 1);
    return trim(inside.substr(0, inside.find(')'))) == "void";
}

}  // namespace

MainForm main_form(std::string_view text) {
    if (text.find("main") == std::string_view::npos) return MainForm::none;
    CellLexer lexer(text);
    while (lexer.read_line()) {
    }
    const auto& items = lexer.items();
    for (std::size_t i = 1; i + 2 < items.size(); ++i)
        if (items[i].text == "main" && items[i - 1].kind == Item::Kind::word &&
            items[i + 1].kind == Item::Kind::parens && items[i + 2].kind == Item::Kind::braces)
            return takes_nothing(items[i + 1], text) ? MainForm::plain : MainForm::with_arguments;
    return MainForm::none;
}

std::optional<std::string> call_with_arguments(std::string_view text, std::span<const session::Cell> cells) {
    const std::string_view call = trim(text);
    if (call != "main()" && call != "main();") return std::nullopt;
    for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell) {
        const MainForm form = main_form(cell->text);
        if (form == MainForm::none) continue;
        if (form == MainForm::plain) return std::nullopt;
        return std::string(R"([] { char name[] = "a.out", *argv[] = {name, nullptr}; return main(1, argv); }())") +
               (call.ends_with(';') ? ";" : "");
    }
    return std::nullopt;
}

}  // namespace cudash::shell
