// A file tree of a worker's own (mount_namespaces(7), pivot_root(2)): what is not in it, it can't even ask for.
#pragma once

#include <string>
#include <vector>

namespace cudash::worker {

/// What stands in the root of such a tree, so that a worker knows that it is in one.
inline constexpr const char* file_tree_mark = "/.cudash-root";

/// Made before the worker's process is; entered by that process, between fork and exec, by system calls alone.
class FileTree {
public:
    /// Of `readable`, as far as it is there, /proc, /dev/null and `folder`, which the tree covers until it is entered.
    FileTree(const std::vector<std::string>& readable, const std::string& folder);
    /// In a new mount namespace. False: all is as it was.
    bool enter() const;

private:
    struct Place {
        std::string source, target;
        std::vector<std::string> folders;  ///< to make for it
        bool is_folder = true;
    };
    bool fill(int own_folder) const;

    std::string folder_;
    std::vector<Place> places_;
    Place own_;
};

}  // namespace cudash::worker
