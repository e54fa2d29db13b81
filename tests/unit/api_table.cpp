// cuda_api.def against the header and the library it stands for.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "runtime_wrappers/api/function.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/api/support.h"
#include "runtime_wrappers/cuda/cudart.h"
#include "runtime_wrappers/nvrtc/compiler.h"

using namespace cudash;

namespace {

std::set<std::string> declared_functions(const std::string& path) {
    std::ifstream in(path);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    text = std::regex_replace(text, std::regex("//[^\n]*"), "");
    std::set<std::string> names;
    const std::regex declaration("CUDARTAPI\\s+(cuda\\w+)\\s*\\(");
    for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) names.insert((*at)[1]);
    return names;
}

}  // namespace

TEST_CASE("every function that the runtime's headers declare has a row, and every row is declared") {
    const std::string include = nvrtc::toolkit_include();
    REQUIRE_FALSE(include.empty());
    auto declared = declared_functions(include + "/cuda_runtime_api.h");
    declared.merge(declared_functions(include + "/cuda_profiler_api.h"));
    CHECK(declared.size() > 300);
    std::set<std::string> rows;
    for (const auto& row : api::functions()) rows.emplace(row.name);
    CHECK(rows == declared);
}

TEST_CASE("every entry point, variants for the per-thread stream included, is one that libcudart exports") {
    REQUIRE(cuda::cudart_missing().empty());
    std::set<std::string_view> seen;
    for (const api::Symbol& symbol : api::entry_points()) {
        CAPTURE(symbol.name);
        CHECK(seen.insert(symbol.name).second);
        CHECK(cuda::cudart_symbol(std::string(symbol.name).c_str()) != nullptr);
        CHECK(api::find_symbol(symbol.name) == symbol.address);
    }
}

TEST_CASE("the functions that the virtual GPU must have are not marked as missing") {
    for (const char* name :
         {"cudaMalloc", "cudaMemcpy", "cudaLaunchKernel", "cudaEventElapsedTime", "cudaMemcpyToSymbol",
          "cudaStreamSetAttribute", "cudaOccupancyMaxActiveBlocksPerMultiprocessor"}) {
        CAPTURE(name);
        bool found = false;
        for (const auto& row : api::functions())
            if (row.name == name) found = row.support != api::Support::NONE;
        CHECK(found);
    }
}

TEST_CASE("the virtual GPU says why it lacks what it lacks") {
    for (const auto& row : api::functions()) {
        CAPTURE(row.name);
        CHECK(api::why_lacking(row.name).empty() == (row.support != api::Support::NONE));
    }
}

TEST_CASE("the support page says what the table says") {
    const std::string path = CUDASH_SOURCE_DIR "/runtime_wrappers/api/SUPPORT.md";
    if (std::getenv("CUDASH_REWRITE")) std::ofstream(path) << api::support_page();
    std::ifstream in(path);
    CHECK(std::string{std::istreambuf_iterator<char>(in), {}} == api::support_page());
}

TEST_CASE("a symbol of the runtime without a row gets a stub; other names get nothing") {
    CHECK(api::find_symbol("cudaGLGetDevices") != nullptr);
    CHECK(api::find_symbol("cudaGLGetDevices") == api::find_symbol("cudaGLGetDevices"));
    CHECK(api::find_symbol("cudaGLGetDevices") != api::find_symbol("cudaVDPAUGetDevice"));
    CHECK(api::find_symbol("cudaNoSuchFunction") == nullptr);
    CHECK(api::find_symbol("printf") == nullptr);
}
