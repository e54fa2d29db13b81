// Cache lines in the order of their last use. Fully associative: how real caches choose sets is not published.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>

namespace cudash::virtual_gpu {

/// Lines by number, with something kept for each.
template <class Kept>
class LruLines {
public:
    struct Line {
        std::uint64_t number;
        Kept kept;
    };

    std::size_t size() const { return by_number_.size(); }
    Kept* find(std::uint64_t number) {
        auto found = by_number_.find(number);
        return found == by_number_.end() ? nullptr : &found->second->kept;
    }
    /// The line becomes the most recently used.
    void touch(std::uint64_t number) {
        auto found = by_number_.find(number);
        if (found != by_number_.end()) lines_.splice(lines_.end(), lines_, found->second);
    }
    Kept& insert(std::uint64_t number, Kept kept = {}) {
        lines_.push_back({number, kept});
        by_number_[number] = std::prev(lines_.end());
        return lines_.back().kept;
    }
    std::optional<Line> erase(std::uint64_t number) {
        auto found = by_number_.find(number);
        if (found == by_number_.end()) return std::nullopt;
        Line line = *found->second;
        lines_.erase(found->second);
        by_number_.erase(found);
        return line;
    }
    /// The least recently used one goes.
    std::optional<Line> evict() { return lines_.empty() ? std::nullopt : erase(lines_.front().number); }
    void clear() {
        lines_.clear();
        by_number_.clear();
    }
    auto begin() const { return lines_.begin(); }  ///< least recently used first
    auto end() const { return lines_.end(); }

private:
    std::list<Line> lines_;
    std::unordered_map<std::uint64_t, typename std::list<Line>::iterator> by_number_;
};

}  // namespace cudash::virtual_gpu
