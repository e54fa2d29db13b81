// Shadow memory of any address: one T for each 2 MiB that something touched.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

namespace cudash::virtual_gpu {

template <class T>
class Chunked {
public:
    static constexpr unsigned shift = 21;

    /// All bytes of a fresh T are zero.
    T& at(std::uint64_t address) {
        const std::uint64_t key = address >> shift;
        Entry& entry = recent_[key % recent_.size()];
        if (entry.chunk && entry.key == key) return *entry.chunk;
        auto& owner = chunks_[key];
        if (!owner) owner.reset(static_cast<T*>(std::calloc(1, sizeof(T))));
        entry = {key, owner.get()};
        return *entry.chunk;
    }
    const T* find(std::uint64_t address) const {
        const auto found = chunks_.find(address >> shift);
        return found == chunks_.end() ? nullptr : found->second.get();
    }
    /// `visit(address, chunk)`, by address.
    template <class Visit>
    void for_each(Visit visit) {
        std::vector<std::uint64_t> keys;
        for (const auto& [key, chunk] : chunks_) keys.push_back(key);
        std::sort(keys.begin(), keys.end());
        for (std::uint64_t key : keys) visit(key << shift, *chunks_[key]);
    }
    void clear() {
        recent_ = {};
        chunks_.clear();
    }

private:
    struct Entry {
        std::uint64_t key = 0;
        T* chunk = nullptr;
    };
    struct Free {
        void operator()(T* chunk) const { std::free(chunk); }
    };
    std::array<Entry, 64> recent_{};
    std::unordered_map<std::uint64_t, std::unique_ptr<T, Free>> chunks_;
};

}  // namespace cudash::virtual_gpu
