// The tables of the libraries against the headers of the toolkit.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "runtime_wrappers/libraries/serve.h"
#include "runtime_wrappers/nvrtc/toolkit.h"

using namespace cudash;

namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Names of functions after `marker` in a header.
std::set<std::string> declared_functions(const std::string& header, const std::string& marker) {
    const std::string text = text_of(nvrtc::toolkit_include() + header);
    std::set<std::string> names;
    const std::regex declaration(marker + "\\s+(cu\\w+)\\s*\\(");
    for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) names.insert((*at)[1]);
    return names;
}

std::set<std::string> rows_of(std::string_view library) {
    std::set<std::string> names;
    for (const auto& row : libraries::functions())
        if (row.family == library) {
            CAPTURE(row.name);
            CHECK(names.emplace(row.name).second);
            CHECK(libraries::find_function(row.name) == row.address);
        }
    return names;
}

}  // namespace

TEST_CASE("libraries: every function that a header declares has a row, and every row is declared") {
    auto cublas = declared_functions("/cublas_api.h", "CUBLASWINAPI");
    for (const char* part : {"/cublas.h", "/cublasXt.h"}) cublas.merge(declared_functions(part, "CUBLASWINAPI"));
    cublas.erase("cublasXerbla");  // returns nothing, and serves the library's own messages
    CHECK(rows_of("cuBLAS") == cublas);
    CHECK(rows_of("cuBLASLt") == declared_functions("/cublasLt.h", "CUBLASWINAPI"));
    CHECK(rows_of("cuSPARSE") == declared_functions("/cusparse.h", "CUSPARSEAPI"));
    auto cusolver = declared_functions("/cusolver_common.h", "CUSOLVERAPI");
    for (const char* part : {"/cusolverDn.h", "/cusolverSp.h", "/cusolverRf.h", "/cusolverSp_LOWLEVEL_PREVIEW.h"})
        cusolver.merge(declared_functions(part, "CUSOLVERAPI"));
    CHECK(rows_of("cuSOLVER") == cusolver);
    CHECK(rows_of("cuRAND") == declared_functions("/curand.h", "CURANDAPI"));
    auto cufft = declared_functions("/cufft.h", "CUFFTAPI");
    cufft.merge(declared_functions("/cufftXt.h", "CUFFTAPI"));
    CHECK(rows_of("cuFFT") == cufft);
    CHECK(libraries::find_function("cublasXerbla") == nullptr);
    CHECK(libraries::find_function("cudnnCreate") == nullptr);
}

TEST_CASE("libraries: names are shown as programs write them") {
    const auto shown = [](std::string_view name) { return libraries::FunctionRow{.name = name}.shown(); };
    CHECK(shown("cublasSgemm_v2") == "cublasSgemm");
    CHECK(shown("cublasSgemm_v2_64") == "cublasSgemm");
    CHECK(shown("cublasSgemmBatched") == "cublasSgemmBatched");
}

TEST_CASE("libraries: the support page says what the tables say") {
    if (rows_of("cuBLAS").empty() || rows_of("cuFFT").empty() || rows_of("cuRAND").empty() ||
        rows_of("cuBLASLt").empty() || rows_of("cuSPARSE").empty() || rows_of("cuSOLVER").empty())
        return;  // a toolkit without their headers
    const std::string path = std::string(CUDASH_SOURCE_DIR) + "/runtime_wrappers/libraries/SUPPORT.md";
    if (std::getenv("CUDASH_REWRITE")) std::ofstream(path) << libraries::support_page();
    CHECK(text_of(path) == libraries::support_page());
}
