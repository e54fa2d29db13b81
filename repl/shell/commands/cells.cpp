// The cells so far: `:history`, `:undo`, `:redo`, `:edit`.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "repl/shell/commands/command.h"
#include "repl/shell/editor.h"
#include "repl/shell/split_input.h"

namespace cudash::shell {
namespace {

std::string one_line(std::string_view text) {
    text = trim(text);
    const std::size_t end = text.find('\n');
    return end == std::string_view::npos ? std::string(text) : std::string(text.substr(0, end)) + " ...";
}

}  // namespace

std::optional<int> history(Notebook& notebook, std::string_view wanted) {
    std::string text;
    const auto is_wanted = [&](const session::Cell& cell) {
        return cell.name == fmt::format("cell {}", wanted) || cell.name == wanted;
    };
    if (const auto cell = std::ranges::find_if(notebook.cells(), is_wanted); cell != notebook.cells().end()) {
        notebook.page(fmt::format("// {}\n{}\n", cell->name, trim(cell->text)));
        return std::nullopt;
    }
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    for (const session::Cell& cell : notebook.cells()) {
        if (std::ranges::search(cell.text, wanted, same).empty() && !wanted.empty()) continue;
        std::string body = cell.text;
        while (body.ends_with('\n')) body.pop_back();
        text += fmt::format("// {}\n{}\n", cell.name, body);
    }
    if (text.empty() && !wanted.empty())
        return notebook.fail(error("not-found", fmt::format("no cell holds '{}'", wanted)));
    notebook.page(text);
    return std::nullopt;
}

std::optional<int> undo(Notebook& notebook, std::string_view) {
    const auto cell = notebook.undo();
    if (!cell) return notebook.fail(error("nothing-to-undo", "there is no cell to take back"));
    if (notebook.code() != 0) {
        notebook.display().messages(
            "a cell before it no longer runs as it did; the session ends before the one above\n");
        return std::nullopt;
    }
    const std::size_t count = notebook.accepted();
    notebook.display().results(fmt::format("undid {}: {}\n", cell->name, one_line(cell->text)));
    const std::string before = count == 0   ? "the session is empty"
                               : count == 1 ? "the cell before it ran again in a new worker"
                                            : fmt::format("the {} cells before it ran again in a new worker", count);
    notebook.display().messages(
        fmt::format("{}. Files that {} wrote are unchanged. :redo runs it again\n", before, cell->name));
    return std::nullopt;
}

std::optional<int> redo(Notebook& notebook, std::string_view) {
    if (!notebook.redo())
        return notebook.fail(error("nothing-to-redo", "no cell was taken back", ":undo takes one back"));
    return std::nullopt;
}

std::optional<int> edit(Notebook& notebook, std::string_view argument) {
    std::string text;
    if (!argument.empty()) {
        std::size_t number = 0;
        const auto [end, failure] = std::from_chars(argument.data(), argument.data() + argument.size(), number);
        const auto& cells = notebook.cells();
        const auto cell = std::find_if(cells.begin(), cells.end(), [&](const session::Cell& each) {
            return each.name == fmt::format("cell {}", number);
        });
        if (failure != std::errc() || end != argument.data() + argument.size() || cell == cells.end())
            return notebook.fail(
                error("bad-argument", fmt::format("there is no cell {}", argument), ":history lists the cells"));
        text = cell->text;
    } else if (!notebook.cells().empty()) {
        text = notebook.cells().back().text;
    }
    const auto edited = edit_text(text, notebook.settings().values().editor);
    if (!edited) return notebook.fail(edited.error());
    if (trim(*edited).empty() || *edited == text) {
        notebook.display().messages("the text is as it was; nothing was evaluated\n");
        return std::nullopt;
    }
    for (const InputPiece& input : split_input(*edited)) {
        if (input.is_command) continue;
        std::string shown = input.text;
        while (shown.ends_with('\n')) shown.pop_back();
        notebook.display().messages(shown + "\n");
        notebook.evaluate(input.text);
        if (notebook.code() != 0) break;
    }
    return std::nullopt;
}

}  // namespace cudash::shell
