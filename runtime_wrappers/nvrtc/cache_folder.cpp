#include "runtime_wrappers/nvrtc/cache_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

namespace cudash::nvrtc {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = 256u << 20;

/// Removes the longest unused entries until three quarters of the bound are left.
void trim(const fs::path& where) {
    struct Entry {
        fs::path path;
        std::uintmax_t size;
        fs::file_time_type used;
    };
    std::vector<Entry> entries;
    std::uintmax_t total = 0;
    std::error_code failed;
    for (fs::directory_iterator at(where, failed), end; !failed && at != end; at.increment(failed)) {
        std::error_code gone;
        Entry entry{at->path(), at->file_size(gone), at->last_write_time(gone)};
        if (gone) continue;
        total += entry.size;
        entries.push_back(std::move(entry));
    }
    if (total <= most_bytes) return;
    std::ranges::sort(entries, {}, &Entry::used);
    for (const Entry& entry : entries) {
        if (total <= most_bytes / 4 * 3) break;
        if (fs::remove(entry.path, failed)) total -= entry.size;
    }
}

}  // namespace

fs::path cache_folder(std::string_view kind) {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return fs::path(cache) / "cudash" / kind;
    if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "cudash" / kind;
    return {};
}

bool store_entry(const fs::path& entry, const std::function<bool(const fs::path&)>& write) {
    std::error_code failed;
    fs::create_directories(entry.parent_path(), failed);
    const fs::path temporary = entry.string() + "." + std::to_string(getpid());
    bool stored = write(temporary);
    if (stored) {
        fs::rename(temporary, entry, failed);
        stored = !failed;
    }
    if (!stored) fs::remove(temporary, failed);
    if (stored) trim(entry.parent_path());
    return stored;
}

void touch_entry(const fs::path& entry) {
    std::error_code ignored;
    fs::last_write_time(entry, fs::file_time_type::clock::now(), ignored);
}

}  // namespace cudash::nvrtc
