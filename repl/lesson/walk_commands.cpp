// The commands of a walk: the table, and what they do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "repl/lesson/glossary.h"
#include "repl/lesson/lessons_folder.h"
#include "repl/lesson/review_walk.h"
#include "repl/lesson/walk.h"
#include "repl/shell/commands.h"
#include "repl/shell/editor.h"
#include "repl/view/table.h"
#include "repl/view/wrap.h"

namespace cudash::lesson {
namespace {

constexpr std::array commands = {
    WalkCommand{"next", "", "goes on: runs a demonstration, leaves a question or an exercise open", &Walk::next},
    WalkCommand{"back", "", "to the beginning of the section, or to the one before", &Walk::back},
    WalkCommand{"hint", "", "the next hint", &Walk::hint},
    WalkCommand{"check", "[cells]",
                "checks the exercise's file, or the cells that you typed since it began; `:check all` and other names "
                "of checkers go to the shell",
                &Walk::check},
    WalkCommand{"edit", "", "opens the exercise's file in your editor ($VISUAL, $EDITOR)", &Walk::edit},
    WalkCommand{"skip", "", "goes on without running, answering or solving; a question's answer is told", &Walk::skip},
    WalkCommand{"reset", "[lesson]", "the exercise's file as it was, or the lesson from its beginning; yours is kept",
                &Walk::reset},
    WalkCommand{"solution", "", "our solution of the exercise", &Walk::solution},
    WalkCommand{"picture", "", "draws what your kernel touches in memory", &Walk::picture},
    WalkCommand{"progress", "", "what is done and what is open", &Walk::progress},
    WalkCommand{"review", "", "asks questions of finished lessons again; then this lesson goes on", &Walk::review},
    WalkCommand{"glossary", "[TERM]", "what a term means; without one, all terms", &Walk::glossary},
    WalkCommand{"notes", "", "remarks about the texts that the lesson follows", &Walk::notes},
    WalkCommand{"quit", "", "leaves; the lesson goes on from here next time", &Walk::quit},
    WalkCommand{"help", "", "this list", &Walk::help},
};

/// "saxpy.cu", "saxpy" or a path to it.
bool is_file_of(const Exercise& exercise, std::string_view text) {
    return text == exercise.name || std::filesystem::path(text).filename() == exercise.file_name();
}

}  // namespace

const WalkCommand* find_walk_command(std::string_view name) {
    const auto found = std::ranges::find(commands, name, &WalkCommand::name);
    return found == commands.end() ? nullptr : &*found;
}

std::string list_walk_commands(unsigned width) {
    std::string text;
    for (const WalkCommand& command : commands)
        text += view::entry(fmt::format(":{} {}", command.name, command.argument), command.help, 22, width);
    return text;
}

bool Walk::next(std::string_view) {
    if (step_as<Demonstration>())
        enter();
    else
        step_on();
    return false;
}

bool Walk::back(std::string_view) {
    const bool in_section =
        std::any_of(section().steps.begin(), section().steps.begin() + static_cast<std::ptrdiff_t>(at_.step),
                    [](const Step& step) { return !std::holds_alternative<Text>(step); });
    if (!in_section && at_.section > 0) --at_.section;
    at_.step = 0;
    go_on();
    return false;
}

bool Walk::hint(std::string_view) {
    const auto* question = step_as<Question>();
    const auto* exercise = step_as<Exercise>();
    if (!question && !exercise) {
        line("There is nothing to solve here; Enter goes on.");
        return false;
    }
    const auto& hints = question ? question->hints : exercise->hints;
    const std::string& name = question ? question->id : exercise->name;
    ItemProgress& mine = item(name);
    if (hints.empty()) {
        line("There is no hint for this one.");
        return false;
    }
    // After the last one they begin again.
    const std::size_t number = mine.hints % hints.size();
    say(fmt::format("Hint {} of {}: {}", number + 1, hints.size(), hints[number]));
    ++mine.hints;
    note({Action::Kind::hint, {}, name, {}, hints[number], false});
    save();
    return false;
}

/// With the name of checkers it is the shell's.
bool Walk::check(std::string_view argument) {
    const auto* exercise = step_as<Exercise>();
    if (exercise && is_file_of(*exercise, argument)) argument = {};
    if (!argument.empty() && argument != "cells")
        return shell::run_command(notebook_, fmt::format(":check {}", argument)).has_value();
    if (!exercise) {
        line("There is no exercise here; `:check all` and the like say what the virtual GPU looks for.");
        return false;
    }
    if (argument.empty()) return check_file();
    const std::string typed = typed_cells();
    if (typed.empty()) {
        line("You have typed no cells since the exercise began.");
        return false;
    }
    check_text(*exercise, typed);
    return false;
}

bool Walk::edit(std::string_view) {
    const auto* exercise = step_as<Exercise>();
    if (!exercise) {
        line("There is no exercise here.");
        return false;
    }
    if (const auto problem = workspace_.place(*exercise)) {
        display_.show(*problem, {});
        return false;
    }
    if (!input_->is_terminal()) {
        line(fmt::format("An editor needs a terminal; the file is {}", workspace_.file_of(*exercise)));
        return false;
    }
    if (const auto problem = shell::edit_file(workspace_.file_of(*exercise), notebook_.settings().values().editor))
        display_.show(*problem, {});
    (void)file_watch_.take();
    const auto text = workspace_.read(*exercise);
    if (text && *text != checked_)
        check_text(*exercise, *text);
    else if (text)
        line("The file is as it was.");
    else
        display_.show(text.error(), {});
    watch();
    return false;
}

bool Walk::skip(std::string_view) {
    const auto* question = step_as<Question>();
    const auto* exercise = step_as<Exercise>();
    if ((question || exercise) && !is_settled()) {
        const std::string& name = question ? question->id : exercise->name;
        item(name).state = ItemProgress::State::skipped;
        note({Action::Kind::skip, {}, name, {}, {}, false});
        if (told_ && question && item(name).tries == 0) told_(name, false);
        if (question) reveal(*question);
    }
    step_on();
    return false;
}

bool Walk::reset(std::string_view argument) {
    if (argument == "lesson") {
        const std::string path = workspace_.progress_file();
        std::error_code failure;
        if (!path.empty() && std::filesystem::exists(path, failure)) {
            const std::string kept = free_name(path, "kept");
            std::filesystem::rename(path, kept, failure);
            if (failure) {
                display_.show(error("can-not-write", fmt::format("{} can't be moved: {}", path, failure.message()),
                                    "the lesson goes on where you are"),
                              {});
                return false;
            }
            line("What you did so far is kept in " + readable(kept));
            keeps_ = true;
        }
        at_ = {};
        notebook_.reset();
        go_on();
        return false;
    }
    const auto* exercise = step_as<Exercise>();
    if (!argument.empty() || !exercise) {
        line("`:reset` is for exercises; `:reset lesson` begins the lesson again.");
        return false;
    }
    const auto kept = workspace_.reset(*exercise);
    if (!kept) {
        display_.show(kept.error(), {});
        return false;
    }
    checked_ = exercise->exercise.text;
    item(exercise->name).state = ItemProgress::State::open;
    line(fmt::format("{} is as it was handed out{}.", exercise->file_name(),
                     kept->empty() ? "" : "; yours is kept as " + readable(*kept)));
    watch();
    save();
    return false;
}

bool Walk::solution(std::string_view) {
    if (const auto* question = step_as<Question>()) {
        line("`:skip` tells the answer of a question.");
        (void)question;
        return false;
    }
    const auto* exercise = step_as<Exercise>();
    if (!exercise) {
        line("There is no exercise here.");
        return false;
    }
    if (!is_settled() && !asked_for_solution_) {
        asked_for_solution_ = true;
        line("You have not solved it yet; :hint may be enough. `:solution` once more shows it.");
        return false;
    }
    note({Action::Kind::solution, {}, exercise->name, {}, {}, false});
    say("```cuda\n" + exercise->solution.text + "```\n");
    save();
    return false;
}

bool Walk::picture(std::string_view) {
    const auto* exercise = step_as<Exercise>();
    if (!exercise || exercise->picture.empty()) {
        line(exercise ? "This exercise has no picture." : "There is no exercise here.");
        return false;
    }
    const auto text = workspace_.read(*exercise);
    if (text)
        draw(*exercise, *text);
    else
        display_.show(text.error(), {});
    return false;
}

bool Walk::review(std::string_view) {
    if (is_review())
        line("This is the review.");
    else if (input_->is_terminal())
        run_review(checks_, display_, true);
    else
        line("`cudash lesson review` asks the questions of finished lessons again.");
    return false;
}

bool Walk::glossary(std::string_view argument) {
    const auto entry = look_up(lessons_folder(), argument);
    if (entry)
        say(*entry);
    else
        display_.show(entry.error(), {});
    return false;
}

bool Walk::notes(std::string_view) {
    if (lesson_.notes.empty())
        line("This lesson has no notes.");
    else
        say(lesson_.notes);
    return false;
}

bool Walk::progress(std::string_view) {
    session::Table table{{"section", "", "state", "tries", "hints"}, {}};
    for (std::size_t i = 0; i < lesson_.sections.size(); ++i) {
        const Section& each = lesson_.sections[i];
        table.rows.push_back({fmt::format("{}{}", i == at_.section ? "> " : "  ", i + 1), each.title});
        for (const Step& step : each.steps) {
            std::string name, kind;
            if (const auto* question = std::get_if<Question>(&step)) name = question->id, kind = "question";
            if (const auto* exercise = std::get_if<Exercise>(&step)) name = exercise->name, kind = "exercise";
            if (name.empty()) continue;
            const ItemProgress& mine = item(name);
            // An exercise that was skipped can still be done.
            const auto shown = kind == "exercise" && mine.state == ItemProgress::State::skipped
                                   ? ItemProgress::State::open
                                   : mine.state;
            const std::string_view state = item_states[static_cast<std::size_t>(shown)].shown;
            table.rows.push_back({"", fmt::format("  {} {}", kind, name), std::string(state),
                                  fmt::format("{}", mine.tries), fmt::format("{}", mine.hints)});
        }
    }
    display_.results(view::print(table, display_.style_of_results, display_.width));
    if (!workspace_.folder().empty()) line("Your files are in " + readable(workspace_.folder()));
    return false;
}

bool Walk::quit(std::string_view) {
    save();
    if (keeps_ && !told_that_not_saved_ && !workspace_.folder().empty() && !at_.finished)
        line(fmt::format("`{}lesson {}` goes on from here.", in_shell_ ? ":" : "cudash ", typed_name(lesson_.folder)));
    return true;
}

bool Walk::help(std::string_view) {
    std::array<std::string_view, commands.size()> names;
    std::ranges::transform(commands, names.begin(), &WalkCommand::name);
    // The lesson's last: they are what stays on a small screen.
    display_.results("Commands of the shell:\n" + shell::list_commands(display_.width, names) +
                     "\nCommands of the lesson:\n" + list_walk_commands(display_.width) +
                     "\nEnter goes on. At a question, type your answer. Anything else you type runs as code.\n");
    return false;
}

}  // namespace cudash::lesson
