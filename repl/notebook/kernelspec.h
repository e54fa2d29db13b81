// Where Jupyter's clients find a kernel: a folder with kernel.json and its pictures.
// https://jupyter-client.readthedocs.io/en/stable/kernels.html
#pragma once

#include <string>
#include <vector>

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

/// A kernel of cudash that Jupyter finds.
struct InstalledKernel {
    std::string folder, program;
    bool starts = false;  ///< the program is there
};
/// Those of the user and of the machine, in the order in which Jupyter looks.
std::vector<InstalledKernel> installed_kernels();

}  // namespace cudash::notebook
