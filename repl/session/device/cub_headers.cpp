#include "repl/session/device/cub_headers.h"

#include <filesystem>
#include <initializer_list>
#include <set>
#include <system_error>

#include "runtime_wrappers/nvrtc/compiler.h"

namespace cudash::session {
namespace {

namespace fs = std::filesystem;

std::string read_folders() {
    const fs::path root = fs::path(nvrtc::toolkit_include()) / "cccl";
    std::string lines;
    for (const char* folder : {"cub/block", "cub/warp", "cub/thread", "cub/iterator"}) {
        std::set<std::string> names;
        std::error_code failed;
        for (fs::directory_iterator at(root / folder, failed), end; !failed && at != end; at.increment(failed))
            // Host code searches by that one.
            if (at->path().extension() == ".cuh" && at->path().filename() != "thread_search.cuh")
                names.insert(at->path().filename().string());
        for (const std::string& name : names) lines += std::string("#include <") + folder + "/" + name + ">\n";
    }
    return lines;
}

}  // namespace

const std::string& cub_headers_for_devices() {
    static const std::string lines = read_folders();
    return lines;
}

}  // namespace cudash::session
