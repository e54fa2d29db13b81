// Several PTX texts, one for each file of a program, made one, as nvlink does with machine code.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::nvrtc {

struct LinkedPtx {
    std::string text;
    /// For each module, what it calls otherwise than the linked text does: its own name -> the linked one.
    std::vector<std::map<std::string, std::string, std::less<>>> renamed;
};

/// What is `.extern` in one module is what another defines. Names that only one module can see (`static` functions,
/// shared arrays, strings) are kept apart: a later one that is used already gets `$` and the module's number. So does a
/// definition that an earlier module has, too: without -rdc=true, nvcc takes two `__device__` functions of one name.
LinkedPtx link_ptx(const std::vector<std::string_view>& modules);

}  // namespace cudash::nvrtc
