// Objects of the runtime by the handles that the program has of them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace cudash::virtual_gpu {

/// Live objects behind handles. Handles are never dereferenced and never used again, so that a stale one is told apart,
/// and are the same in every run.
template <class Handle, class Object>
class HandleTable {
public:
    explicit HandleTable(std::uintptr_t first) : next_(first) {}
    Handle add(Object object) {
        const std::uintptr_t value = next_;
        next_ += 0x40;
        objects_.emplace(value, std::move(object));
        return reinterpret_cast<Handle>(value);
    }
    Object* find(Handle handle) {
        auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
        return found == objects_.end() ? nullptr : &found->second;
    }
    bool remove(Handle handle) { return objects_.erase(reinterpret_cast<std::uintptr_t>(handle)) != 0; }
    template <class Ends>
    void remove_if(Ends ends) {
        std::erase_if(objects_, [&](const auto& entry) { return ends(entry.second); });
    }
    void clear() { objects_.clear(); }
    static Handle handle(std::uintptr_t value) { return reinterpret_cast<Handle>(value); }
    auto begin() { return objects_.begin(); }
    auto end() { return objects_.end(); }
    auto begin() const { return objects_.begin(); }
    auto end() const { return objects_.end(); }

private:
    std::uintptr_t next_;
    std::map<std::uintptr_t, Object> objects_;
};

}  // namespace cudash::virtual_gpu
