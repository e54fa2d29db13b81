// Cache lines in the order of their last use, in one or several lists. Fully associative: how real caches choose sets
// is not published. Lines lie in one table and are found through a hash table of their numbers, so that a launch of a
// million accesses can be followed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cudash::virtual_gpu {

/// Lines by number, with something kept for each.
template <class Kept, unsigned Lists = 1>
class LruLines {
public:
    struct Line {
        std::uint64_t number = 0;
        Kept kept{};
        std::uint8_t list = 0;

    private:
        friend class LruLines;
        std::uint32_t before = none, after = none;
    };

    LruLines() { clear(); }

    std::size_t size() const { return lines_.size() - free_.size(); }
    std::size_t size(unsigned list) const { return sizes_[list]; }
    /// Valid until the next insert.
    Line* find(std::uint64_t number) {
        const std::size_t slot = slot_of(number);
        return table_[slot] == none ? nullptr : &lines_[table_[slot]];
    }
    /// The line becomes the most recently used.
    void touch(Line& line) { move(line, line.list); }
    /// The same, in another list.
    void move(Line& line, unsigned list) {
        const std::uint32_t index = index_of(line);
        unlink(index);
        link(index, list);
    }
    Line& insert(std::uint64_t number, unsigned list = 0, Kept kept = {}) {
        if (2 * (size() + 1) > table_.size()) grow();
        std::uint32_t index;
        if (free_.empty()) {
            index = static_cast<std::uint32_t>(lines_.size());
            lines_.emplace_back();
        } else {
            index = free_.back();
            free_.pop_back();
        }
        lines_[index].number = number;
        lines_[index].kept = kept;
        table_[slot_of(number)] = index;
        link(index, list);
        return lines_[index];
    }
    void erase(Line& line) {
        const std::uint32_t index = index_of(line);
        unlink(index);
        // Linear probing: what lies behind it may have to move up.
        std::size_t hole = slot_of(line.number);
        table_[hole] = none;
        for (std::size_t at = next(hole); table_[at] != none; at = next(at)) {
            const std::size_t wanted = home(lines_[table_[at]].number);
            if (((at - wanted) & mask()) < ((at - hole) & mask())) continue;
            table_[hole] = table_[at];
            table_[at] = none;
            hole = at;
        }
        free_.push_back(index);
    }
    /// The least recently used one of the list goes.
    std::optional<Line> evict(unsigned list = 0) {
        if (first_[list] == none) return std::nullopt;
        Line& line = lines_[first_[list]];
        Line gone = line;
        erase(line);
        return gone;
    }
    void clear() {
        lines_.clear();
        free_.clear();
        table_.assign(64, none);
        for (unsigned list = 0; list < Lists; ++list) {
            first_[list] = last_[list] = none;
            sizes_[list] = 0;
        }
    }
    /// Of one list, least recently used first. `look` may change what is kept.
    template <class Look>
    void for_each(unsigned list, Look&& look) const {
        for (std::uint32_t at = first_[list]; at != none; at = lines_[at].after) look(lines_[at]);
    }

private:
    static constexpr std::uint32_t none = ~0u;

    std::size_t mask() const { return table_.size() - 1; }
    std::size_t next(std::size_t slot) const { return (slot + 1) & mask(); }
    std::size_t home(std::uint64_t number) const { return (number * 0x9E37'79B9'7F4A'7C15ull >> 24) & mask(); }
    std::size_t slot_of(std::uint64_t number) const {
        std::size_t slot = home(number);
        while (table_[slot] != none && lines_[table_[slot]].number != number) slot = next(slot);
        return slot;
    }
    std::uint32_t index_of(const Line& line) const { return static_cast<std::uint32_t>(&line - lines_.data()); }
    void grow() {
        table_.assign(2 * table_.size(), none);
        for (unsigned list = 0; list < Lists; ++list)
            for (std::uint32_t at = first_[list]; at != none; at = lines_[at].after)
                table_[slot_of(lines_[at].number)] = at;
    }
    void link(std::uint32_t index, unsigned list) {
        Line& line = lines_[index];
        line.list = static_cast<std::uint8_t>(list);
        line.before = last_[list];
        line.after = none;
        (last_[list] == none ? first_[list] : lines_[last_[list]].after) = index;
        last_[list] = index;
        ++sizes_[list];
    }
    void unlink(std::uint32_t index) {
        Line& line = lines_[index];
        (line.before == none ? first_[line.list] : lines_[line.before].after) = line.after;
        (line.after == none ? last_[line.list] : lines_[line.after].before) = line.before;
        --sizes_[line.list];
    }

    std::vector<Line> lines_;
    std::vector<std::uint32_t> free_, table_;
    std::uint32_t first_[Lists], last_[Lists];
    std::size_t sizes_[Lists];
};

}  // namespace cudash::virtual_gpu
