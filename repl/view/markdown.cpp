#include "repl/view/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/view/columns.h"
#include "repl/view/table.h"
#include "repl/view/wrap.h"

namespace cudash::view {
namespace {

constexpr unsigned usual_width = 80, widest = 100, narrowest = 20;

struct Entity {
    std::string_view name, text;
};
constexpr std::array entities = {Entity{"&lt;", "<"},    Entity{"&gt;", ">"},   Entity{"&amp;", "&"},
                                 Entity{"&quot;", "\""}, Entity{"&nbsp;", " "}, Entity{"&times;", "\u00d7"}};

/// How a piece of running text looks.
struct TextLook {
    bool strong = false, emphasis = false, code = false;
    friend bool operator==(const TextLook&, const TextLook&) = default;
};

class Printer {
public:
    Printer(const Style& style, unsigned width)
        : style_(style), width_(std::clamp(width == 0 ? usual_width : width, narrowest, widest)) {}

    std::string print(std::string_view markdown) {
        MD_PARSER parser = {};
        parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEURLAUTOLINKS;
        parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) { return of(self).enter(type, detail); };
        parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* self) { return of(self).leave(type, detail); };
        parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) { return of(self).enter(type, detail); };
        parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) { return of(self).leave(type, detail); };
        parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
            return of(self).text(type, {text, size});
        };
        if (md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, this) != 0)
            return std::string(markdown);
        return std::move(out_);
    }

private:
    struct List {
        bool ordered = false, tight = false;
        unsigned next = 1;
    };
    /// A stretch without white space; its pieces differ in their looks.
    struct Piece {
        std::string text;
        TextLook look;
    };
    using Word = std::vector<Piece>;

    static Printer& of(void* self) { return *static_cast<Printer*>(self); }

    int enter(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_H:
                heading_ = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level;
                separate();
                break;
            case MD_BLOCK_P:
                if (!marker_.empty() || !in_tight_list()) separate();
                break;
            case MD_BLOCK_CODE: {
                separate();
                const auto& info = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang;
                const std::string_view language(info.text ? info.text : "", info.text ? info.size : 0);
                is_program_ = language == "cuda" || language == "cpp";
                in_code_ = true;
                code_.clear();
                break;
            }
            case MD_BLOCK_QUOTE:
                separate();
                indent_ += "| ";
                break;
            case MD_BLOCK_UL:
                begin_list({false, static_cast<MD_BLOCK_UL_DETAIL*>(detail)->is_tight != 0, 1});
                break;
            case MD_BLOCK_OL: {
                const auto& list = *static_cast<MD_BLOCK_OL_DETAIL*>(detail);
                begin_list({true, list.is_tight != 0, list.start});
                break;
            }
            case MD_BLOCK_LI: {
                List& list = lists_.back();
                if (!list.tight || first_item_) separate();
                first_item_ = false;
                settle_marker();
                marker_ = list.ordered ? std::to_string(list.next++) + ". " : "- ";
                items_.push_back(0);
                break;
            }
            case MD_BLOCK_HR:
                separate();
                out_ += indent_ + std::string(std::min<std::size_t>(width_ - indent_.size(), 20), '-') + "\n";
                break;
            case MD_BLOCK_TABLE:
                separate();
                table_ = {};
                break;
            case MD_BLOCK_TR:
                row_.clear();
                break;
            default:
                break;
        }
        return 0;
    }

    int leave(MD_BLOCKTYPE type, void*) {
        switch (type) {
            case MD_BLOCK_H: {
                if (heading_ == 1) look_.strong = true;
                flush();
                heading_ = 0;
                break;
            }
            case MD_BLOCK_P:
                flush();
                break;
            case MD_BLOCK_CODE:
                print_code();
                break;
            case MD_BLOCK_QUOTE:
                flush();
                indent_.resize(indent_.size() - 2);
                break;
            case MD_BLOCK_UL:
            case MD_BLOCK_OL:
                lists_.pop_back();
                break;
            case MD_BLOCK_LI:
                flush();
                settle_marker();
                indent_.resize(indent_.size() - items_.back());
                items_.pop_back();
                break;
            case MD_BLOCK_TH:
            case MD_BLOCK_TD:
                row_.push_back(plain_words());
                break;
            case MD_BLOCK_TR:
                if (table_.columns.empty())
                    table_.columns = row_;
                else
                    table_.rows.push_back(row_);
                break;
            case MD_BLOCK_TABLE:
                out_ += table_.rows.empty() ? "" : view::print(table_, style_, width_);
                break;
            default:
                break;
        }
        return 0;
    }

    int enter(MD_SPANTYPE type, void* detail) {
        switch (type) {
            case MD_SPAN_EM:
                look_.emphasis = true;
                break;
            case MD_SPAN_STRONG:
                look_.strong = true;
                break;
            case MD_SPAN_CODE:
                mark("`");
                look_.code = true;
                break;
            case MD_SPAN_A: {
                const auto& link = *static_cast<MD_SPAN_A_DETAIL*>(detail);
                targets_.emplace_back(link.href.text ? std::string(link.href.text, link.href.size) : std::string());
                link_begin_.push_back(written_);
                break;
            }
            default:
                break;
        }
        if (type == MD_SPAN_EM) mark("*");
        if (type == MD_SPAN_STRONG) mark("**");
        return 0;
    }

    int leave(MD_SPANTYPE type, void*) {
        switch (type) {
            case MD_SPAN_EM:
                mark("*");
                look_.emphasis = false;
                break;
            case MD_SPAN_STRONG:
                mark("**");
                look_.strong = false;
                break;
            case MD_SPAN_CODE:
                look_.code = false;
                mark("`");
                break;
            case MD_SPAN_A: {
                const std::string shown = written_.substr(std::min(link_begin_.back().size(), written_.size()));
                if (!targets_.back().empty() && shown != targets_.back()) add(" (" + targets_.back() + ")");
                targets_.pop_back();
                link_begin_.pop_back();
                break;
            }
            default:
                break;
        }
        return 0;
    }

    int text(MD_TEXTTYPE type, std::string_view text) {
        if (in_code_) {
            code_ += text;
            return 0;
        }
        switch (type) {
            case MD_TEXT_BR:
                breaks_.push_back(words_.size());
                ends_word_ = true;
                break;
            case MD_TEXT_SOFTBR:
                add(" ");
                break;
            case MD_TEXT_HTML:
                break;
            case MD_TEXT_NULLCHAR:
                break;
            case MD_TEXT_ENTITY: {
                const auto known = std::ranges::find(entities, text, &Entity::name);
                add(known == entities.end() ? text : known->text);
                break;
            }
            default:
                add(text);
        }
        return 0;
    }

    /// A mark that stands for a look where there is no colour.
    void mark(std::string_view text) {
        if (!style_.colour) add(text);
    }

    void add(std::string_view text) {
        written_ += text;
        for (const char c : text) {
            // White space in code is kept together: it may be wrapped like any other.
            if (c == ' ' || c == '\t' || c == '\n') {
                ends_word_ = true;
                continue;
            }
            // Control characters must not reach the terminal.
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) continue;
            if (ends_word_ || words_.empty()) words_.emplace_back();
            ends_word_ = false;
            Word& word = words_.back();
            if (word.empty() || !(word.back().look == look_)) word.push_back({{}, look_});
            word.back().text += c;
        }
    }

    std::string shown(const Word& word) const {
        std::string result;
        for (const Piece& piece : word) {
            std::string text = piece.text;
            if (piece.look.code) text = style_.cyan(text);
            if (piece.look.emphasis) text = style_.italic(text);
            if (piece.look.strong) text = style_.bold(text);
            if (heading_ != 0 && !piece.look.strong) text = style_.bold(text);
            result += text;
        }
        return result;
    }
    static std::size_t columns(const Word& word) {
        std::size_t result = 0;
        for (const Piece& piece : word) result += columns_of(piece.text);
        return result;
    }

    std::string plain_words() {
        std::string result;
        for (const Word& word : words_) {
            if (!result.empty()) result += ' ';
            for (const Piece& piece : word) result += piece.text;
        }
        forget();
        return result;
    }

    void forget() {
        words_.clear();
        breaks_.clear();
        written_.clear();
        ends_word_ = true;
    }

    /// Writes the words so far as a paragraph.
    void flush() {
        if (words_.empty()) return forget();
        std::string line = indent_;
        std::size_t used = columns_of(indent_);
        if (!marker_.empty()) {
            line += marker_;
            used += marker_.size();
            take_marker();
        }
        bool first = true;
        std::size_t longest = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const std::size_t size = columns(words_[i]);
            const bool forced = std::ranges::find(breaks_, i) != breaks_.end();
            if (!first && (forced || used + 1 + size > width_)) {
                longest = std::max(longest, used);
                out_ += line + "\n";
                line = indent_;
                used = columns_of(indent_);
                first = true;
            }
            if (!first) {
                line += ' ';
                ++used;
            }
            line += shown(words_[i]);
            used += size;
            first = false;
        }
        out_ += line + "\n";
        longest = std::max(longest, used);
        if (heading_ == 1) out_ += indent_ + std::string(longest, '=') + "\n";
        if (heading_ == 2) out_ += indent_ + std::string(longest, '-') + "\n";
        forget();
    }

    /// What follows belongs to the list item whose marker was just written.
    void take_marker() {
        indent_.append(marker_.size(), ' ');
        items_.back() = marker_.size();
        marker_.clear();
    }
    /// Writes the marker of an item that does not begin with text.
    void settle_marker() {
        if (marker_.empty()) return;
        out_ += indent_ + marker_ + "\n";
        take_marker();
    }

    /// Code is indented as far as its longest line leaves room. Lines of a program that are longer than the terminal
    /// are broken at spaces; all other code may be a picture, and stays as it is.
    void print_code() {
        in_code_ = false;
        settle_marker();
        if (code_.ends_with('\n')) code_.pop_back();
        std::vector<std::string> lines(1);
        for (const char c : code_) {
            if (c == '\n') lines.emplace_back();
            if (c != '\n') lines.back() += c;
        }
        std::size_t longest = 0;
        for (const std::string& line : lines) longest = std::max(longest, columns_of(line));
        const std::size_t room = width_ - std::min<std::size_t>(indent_.size(), width_ - 1);
        const bool broken = is_program_ && longest > room;
        const std::string before(broken ? 4 : std::min<std::size_t>(room - std::min(room, longest), 4), ' ');
        const auto put = [&](std::string_view line) { out_ += indent_ + before + style_.cyan(line) + "\n"; };
        for (const std::string& line : lines) {
            if (!broken || columns_of(line) <= room - 4) {
                put(line);
                continue;
            }
            const std::string lead(std::min(line.find_first_not_of(' '), line.size()), ' ');
            const std::size_t comment = std::min(line.find("// "), line.size());
            const auto put_wrapped = [&](const std::string& text, std::string_view hanging) {
                for (const std::string& piece : wrap(text, room - 4, 0, lead + std::string(hanging), LongWords::kept))
                    put(piece);
            };
            // A comment at the end of the line goes above it.
            if (comment < line.size()) put_wrapped(lead + line.substr(comment), "// ");
            if (comment > lead.size()) put_wrapped(line.substr(0, line.find_last_not_of(' ', comment - 1) + 1), "    ");
        }
    }

    bool in_tight_list() const { return !lists_.empty() && lists_.back().tight; }

    /// An empty line before a block, but not at the beginning.
    void separate() {
        flush();
        if (!out_.empty() && !out_.ends_with("\n\n") && marker_.empty()) out_ += "\n";
    }

    void begin_list(List list) {
        flush();
        lists_.push_back(list);
        first_item_ = lists_.size() == 1;
    }

    const Style style_;
    const unsigned width_;
    std::string out_, indent_, marker_, code_, written_;
    bool in_code_ = false, is_program_ = false, ends_word_ = true, first_item_ = false;
    unsigned heading_ = 0;
    TextLook look_;
    std::vector<Word> words_;
    std::vector<std::size_t> breaks_;  ///< words that begin a line
    std::vector<List> lists_;
    std::vector<std::size_t> items_;  ///< by how much each open list item indents
    std::vector<std::string> targets_, link_begin_;
    session::Table table_;
    std::vector<std::string> row_;
};

}  // namespace

std::string print_markdown(std::string_view markdown, const Style& style, unsigned width) {
    return Printer(style, width).print(markdown);
}

}  // namespace cudash::view
