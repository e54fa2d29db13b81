#include "repl/worker/file_tree.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace cudash::worker {
namespace {

constexpr mode_t folder_mode = 0755;

bool lies_in(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool make_folder(const char* path) {
    return mkdir(path, folder_mode) == 0 || errno == EEXIST;
}

bool bind(const char* source, const char* target) {
    return mount(source, target, nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

}  // namespace

FileTree::FileTree(const std::vector<std::string>& readable, const std::string& folder) : folder_(folder) {
    const auto place = [&](const std::string& path, bool is_folder) {
        Place result{path, folder_ + path, {}, is_folder};
        for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
            result.folders.push_back(folder_ + path.substr(0, at));
        if (is_folder) result.folders.push_back(result.target);
        return result;
    };
    std::vector<std::string> paths = {"/proc", "/dev/null"};
    for (const std::string& path : readable)
        if (!lies_in(path, "/proc")) paths.push_back(path);
    // What lies in another one comes with it.
    std::ranges::sort(paths, {}, &std::string::size);
    for (const std::string& path : paths) {
        struct stat status {};
        if (!path.starts_with('/') || stat(path.c_str(), &status) != 0) continue;
        if (std::ranges::any_of(places_, [&](const Place& each) { return lies_in(path, each.source); })) continue;
        places_.push_back(place(path, S_ISDIR(status.st_mode)));
    }
    own_ = place(folder_, true);
}

bool FileTree::enter() const {
    // Nothing of this comes to other namespaces.
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    // Taken out before the tree covers its name.
    const int own_folder = open_tree(AT_FDCWD, folder_.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (own_folder < 0) return false;
    if (mount("cudash", folder_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=64k,mode=755") != 0)
        return false;
    constexpr const char* old = "/.old";
    const bool entered = fill(own_folder) && chdir(folder_.c_str()) == 0 && make_folder(".old") &&
                         make_folder(file_tree_mark + 1) && syscall(SYS_pivot_root, ".", ".old") == 0;
    if (!entered) {
        umount2(folder_.c_str(), MNT_DETACH);
        return false;
    }
    // From here on there is no way back: a worker with half a tree would find nothing.
    if (chdir("/") != 0 || umount2(old, MNT_DETACH) != 0) _exit(127);
    rmdir(old);
    mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
    close(own_folder);
    return true;
}

bool FileTree::fill(int own_folder) const {
    for (const Place& each : places_) {
        for (const std::string& folder : each.folders)
            if (!make_folder(folder.c_str())) return false;
        if (!each.is_folder) {
            const int file = open(each.target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
            if (file < 0) return false;
            close(file);
        }
        if (!bind(each.source.c_str(), each.target.c_str())) return false;
    }
    for (const std::string& folder : own_.folders)
        if (!make_folder(folder.c_str())) return false;
    return move_mount(own_folder, "", AT_FDCWD, own_.target.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

}  // namespace cudash::worker
