// What the texts of a session have in common, their #include lines, read by NVRTC once and not again for each cell.
#pragma once

#include <string>
#include <vector>

#include "runtime_wrappers/nvrtc/library.h"

namespace cudash::nvrtc {

/// For one compilation: has NVRTC keep what the text begins with, as long as that is directives without #line, for the
/// texts of this process that begin likewise or go on from there (NVRTC's precompiled headers, from CUDA 12.8 on). That
/// takes a quarter to a half longer than reading the headers, and afterwards they take a quarter to a tenth of the
/// time. What is kept takes up to 512 MiB of addresses, 100 MB for cooperative groups, and two files of that size in
/// the temporary folder until the process ends.
class KeptHeaders {
public:
    /// `wanted`: false has no effect, as with an older NVRTC, and where there is no place for the files.
    KeptHeaders(bool wanted, const Library& library);
    const std::vector<std::string>& options() const { return options_; }
    /// The log of a compilation that failed says that there are no addresses left: it may do without this.
    static bool lacks_room(const std::string& log) { return log.find("PCH Heap") != log.npos; }
    /// After the compilation: makes sure that the next one can keep its headers.
    void make_room(nvrtcProgram program) const;

private:
    const Library& library_;
    std::vector<std::string> options_;  ///< empty: nothing is kept
};

}  // namespace cudash::nvrtc
