// A kernel's name as its author wrote it.
#pragma once

#include <string>
#include <string_view>

namespace cudash::virtual_gpu {

/// "k(float*)::tile" for "_ZZ1kPfE4tile"; another name stays as it is.
std::string demangled(std::string_view mangled);
/// "k<4>" for "_Z1kILi4EEvPf"; another name stays as it is.
std::string readable_kernel(std::string_view mangled);

}  // namespace cudash::virtual_gpu
