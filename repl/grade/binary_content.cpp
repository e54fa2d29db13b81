#include "repl/grade/binary_content.h"

#include <link.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace cudash::grade {
namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Key read_all() {
    std::vector<std::string> paths = {"/proc/self/exe"};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* found) {
            const std::string path = info->dlpi_name;
            if (path.find("/libcudash") != std::string::npos)
                static_cast<std::vector<std::string>*>(found)->push_back(path);
            return 0;
        },
        &paths);
    std::ranges::sort(paths);
    Key key;
    for (const std::string& path : paths) key = derived(key, bytes_of(path));
    return key;
}

}  // namespace

Key binary_content() {
    static const Key content = read_all();
    return content;
}

}  // namespace cudash::grade
