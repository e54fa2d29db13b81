#include "runtime_wrappers/nvrtc/kept_headers.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>
#include <utility>

namespace cudash::nvrtc {
namespace {

namespace fs = std::filesystem;

/// Of addresses; memory is taken as it is used. Twice what cooperative groups, cuRAND and libcu++ take together.
constexpr std::size_t most_bytes = std::size_t{512} << 20;

/// A folder of this process. NVRTC removes its files when the process ends; those of one that was killed stay.
class Folder {
public:
    Folder() {
        std::error_code failed;
        const fs::path all = fs::temp_directory_path(failed);
        if (failed) return;
        remove_dead(all);
        std::string pattern = (all / fmt::format("{}{}-XXXXXX", prefix, process_)).string();
        if (mkdtemp(pattern.data())) path_ = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        if (!path_.empty() && getpid() == process_) fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    void remove_all() { remove_but(0); }
    /// Each has all that the ones before it have.
    void remove_old() { remove_but(2); }
    /// Empty: there is none, or this process is a copy of the one that has it.
    fs::path path() const { return getpid() == process_ ? path_ : fs::path(); }

private:
    void remove_but(std::size_t newest) {
        std::vector<std::pair<fs::file_time_type, fs::path>> files;
        std::error_code failed;
        for (fs::directory_iterator at(path(), failed), end; !failed && at != end; at.increment(failed)) {
            std::error_code gone;
            files.emplace_back(at->last_write_time(gone), at->path());
        }
        std::ranges::sort(files, std::greater());
        for (std::size_t i = newest; i < files.size(); ++i) fs::remove(files[i].second, failed);
    }
    /// Those of this user alone: the folder is everybody's.
    static void remove_dead(const fs::path& all) {
        std::error_code failed;
        for (fs::directory_iterator at(all, failed), end; !failed && at != end; at.increment(failed)) {
            const std::string name = at->path().filename().string();
            struct stat status {};
            if (!name.starts_with(prefix) || lstat(at->path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
                status.st_uid != geteuid())
                continue;
            const auto process = static_cast<pid_t>(std::strtol(name.c_str() + prefix.size(), nullptr, 10));
            std::error_code ignored;
            if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) fs::remove_all(at->path(), ignored);
        }
    }
    static constexpr std::string_view prefix = "cudash-headers-";

    const pid_t process_ = getpid();
    fs::path path_;
};

Folder& own_folder() {
    static Folder folder;
    return folder;
}

}  // namespace

KeptHeaders::KeptHeaders(bool wanted, const Library& library) : library_(library) {
    if (!wanted || !library.kept_headers_status || !library.set_kept_headers_size) return;
    const fs::path path = own_folder().path();
    if (path.empty()) return;
    static const nvrtcResult set = library.set_kept_headers_size(most_bytes);
    if (set != NVRTC_SUCCESS) return;
    // 20283: what follows a #line is not kept; 639: there was no room for more.
    options_ = {"-pch", "-pch-dir=" + path.string(), "-pch-messages=false", "-pch-verbose=false",
                "-diag-suppress=20283,639"};
}

void KeptHeaders::make_room(nvrtcProgram program) const {
    if (options_.empty()) return;
    const nvrtcResult status = library_.kept_headers_status(program);
    if (status == NVRTC_SUCCESS) own_folder().remove_old();
    if (status != NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED) return;
    // Setting the size empties the memory.
    library_.set_kept_headers_size(most_bytes);
    own_folder().remove_all();
}

}  // namespace cudash::nvrtc
