// Where Jupyter's clients find a kernel: a folder with kernel.json and its pictures.
// https://jupyter-client.readthedocs.io/en/stable/kernels.html
#pragma once

#include <string>

#include "runtime_wrappers/result.h"

namespace cudash::notebook {

struct Kernelspec {
    std::string name = "cudash";
    bool user = false;   ///< in the user's own folder, else in the machine's
    std::string prefix;  ///< in that environment's; empty: not
    std::string device;  ///< on which cells run; empty: as the settings say
};

/// Writes it, in place of one that is there. The folder's path.
Result<std::string> install_kernelspec(const Kernelspec& spec);
/// Takes it away; nothing that is not ours.
Result<std::string> uninstall_kernelspec(const Kernelspec& spec);

}  // namespace cudash::notebook
