// The tables of the libraries that are here.
#pragma once

#include <span>

#include "runtime_wrappers/libraries/serve.h"

namespace cudash::libraries::cublas {
std::span<const FunctionRow> rows();
}
namespace cudash::libraries::cublas_lt {
std::span<const FunctionRow> rows();
}
namespace cudash::libraries::cufft {
std::span<const FunctionRow> rows();
}
namespace cudash::libraries::curand {
std::span<const FunctionRow> rows();
}
namespace cudash::libraries::cusolver {
std::span<const FunctionRow> rows();
}
namespace cudash::libraries::cusparse {
std::span<const FunctionRow> rows();
}
