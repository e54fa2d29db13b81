#include "repl/lesson/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>

namespace cudash::lesson {

void FileWatch::set(const std::string& path) {
    if (path == path_ && (notify_ || path.empty())) return;
    path_ = path;
    notify_.reset();
    if (path.empty()) return;
    const std::filesystem::path file(path);
    name_ = file.filename().string();
    notify_ = worker::UniqueFd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (notify_ && inotify_add_watch(notify_.get(), file.parent_path().c_str(), IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
        notify_.reset();
}

bool FileWatch::take() {
    bool saved = false;
    alignas(inotify_event) char bytes[4096];
    ssize_t size = 0;
    while (notify_ && (size = read(notify_.get(), bytes, sizeof bytes)) > 0) {
        for (ssize_t at = 0; at < size;) {
            const auto* event = reinterpret_cast<const inotify_event*>(bytes + at);
            if (event->len > 0 && name_ == event->name) saved = true;
            at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
        }
    }
    return saved;
}

}  // namespace cudash::lesson
