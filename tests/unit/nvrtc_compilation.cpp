// Compiling device code, its cache and its messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/nvrtc/content_hash.h"
#include "runtime_wrappers/nvrtc/cubin.h"
#include "runtime_wrappers/nvrtc/disk_cache.h"
#include "runtime_wrappers/nvrtc/log.h"

using namespace cudash;
using namespace cudash::nvrtc;

namespace {

/// A cache folder of its own for one test.
class CacheFolder {
public:
    CacheFolder() {
        if (const char* old = std::getenv("XDG_CACHE_HOME")) before_ = old;
        path_ = std::filesystem::temp_directory_path() / ("cudash-cache-" + std::to_string(getpid()));
        setenv("XDG_CACHE_HOME", path_.c_str(), 1);
    }
    ~CacheFolder() {
        if (before_.empty())
            unsetenv("XDG_CACHE_HOME");
        else
            setenv("XDG_CACHE_HOME", before_.c_str(), 1);
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path entries() const { return path_ / "cudash" / "nvrtc"; }

private:
    std::string before_;
    std::filesystem::path path_;
};

Request kernel_request(const std::string& body) {
    Request request;
    request.name = "session.cu";
    request.source = "template <int N> __global__ void k(int* p) { " + body + " }\n";
    request.options = {"--std=c++17", "-default-device"};
    request.name_expressions = {"k<3>"};
    return request;
}

}  // namespace

TEST_CASE("compiles to PTX, gives lowered names, and finds the result again") {
    CacheFolder folder;
    const Request request = kernel_request("p[0] = N;");
    auto artifact = compile(request);
    REQUIRE(artifact);
    CHECK_FALSE((*artifact)->is_cubin);
    CHECK((*artifact)->code.find(".target sm_90") != std::string::npos);
    CHECK((*artifact)->lowered_names.at("k<3>") == "_Z1kILi3EEvPi");
    auto again = compile(request);
    CHECK(*again == *artifact);
    auto other = compile(kernel_request("p[0] = N + 1;"));
    CHECK((*other)->id != (*artifact)->id);
}

TEST_CASE("headers that are kept change nothing but the time") {
    CacheFolder folder;
    const auto from_entry = [](const std::string& ptx) { return ptx.substr(std::min(ptx.find(".entry"), ptx.size())); };
    const auto text = [](const std::string& includes, const std::string& body) {
        Request request = kernel_request(body);
        request.source = includes + "static_assert(true);\n#line 1 \"cell 1\"\n" + request.source;
        return request;
    };
    const std::string first = "#include <cuda/std/limits>\n", more = first + "#include <cuda/std/bit>\n";
    const std::string body = "p[0] = cuda::std::numeric_limits<int>::max() - N;";
    // Kept, used again, gone on from, and used with other headers behind.
    for (const std::string& includes : {first, first, more, more, first})
        for (const std::string& end : {std::string(), std::string(" p[1] = 2;")}) {
            Request request = text(includes, body + end);
            const auto plain = compile(request);
            request.keeps_headers = true;
            request.options.push_back("-DNOT_THE_CACHED_ONE");
            const auto kept = compile(request);
            REQUIRE(plain);
            REQUIRE(kept);
            // The order of a header's own constants, which nothing here uses, may be another.
            CHECK(from_entry((*kept)->code) == from_entry((*plain)->code));
            CHECK((*kept)->log == (*plain)->log);
        }
}

TEST_CASE("a CUBIN tells its registers") {
    CacheFolder folder;
    Request request = kernel_request("p[0] = N;");
    request.real = true;
    auto artifact = compile(request);
    REQUIRE(artifact);
    CHECK((*artifact)->is_cubin);
    const auto registers = registers_per_thread((*artifact)->code);
    REQUIRE(registers.contains("_Z1kILi3EEvPi"));
    CHECK(registers.at("_Z1kILi3EEvPi") >= 4);
    CHECK(registers_per_thread("no ELF file").empty());
    CHECK(registers_per_thread(std::string_view((*artifact)->code).substr(0, 100)).empty());
}

TEST_CASE("the line table names files from the working directory, so a cached result belongs to one") {
    CacheFolder folder;
    Request request = kernel_request("p[0] = 11;");
    request.source = "#line 1 \"cell 1\"\n" + request.source;
    request.options.push_back("-lineinfo");
    const auto here = std::filesystem::current_path();
    const auto first = compile(request);
    std::filesystem::current_path("/");
    const auto second = compile(request);
    std::filesystem::current_path(here);
    REQUIRE(first);
    REQUIRE(second);
    CHECK((*first)->code.find((here / "cell 1").string()) != std::string::npos);
    CHECK((*second)->code.find((here / "cell 1").string()) == std::string::npos);
}

TEST_CASE("a damaged cache entry is ignored") {
    CacheFolder folder;
    Artifact artifact;
    artifact.code = "some code";
    artifact.lowered_names["a"] = "b";
    store_cached("entry", artifact);
    auto loaded = load_cached("entry");
    REQUIRE(loaded);
    CHECK(loaded->code == "some code");
    CHECK(loaded->lowered_names.at("a") == "b");
    std::fstream file(folder.entries() / "entry", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('!');
    file.close();
    CHECK_FALSE(load_cached("entry"));
    CHECK_FALSE(load_cached("absent"));
}

TEST_CASE("errors come with file, line and column") {
    CacheFolder folder;
    Request request;
    request.name = "session.cu";
    request.source = "\n__global__ void k(int* p) {\n    p[0] = missing;\n    int x = \"text\";\n}\n";
    auto artifact = compile(request);
    REQUIRE_FALSE(artifact);
    const Diagnostic& diagnostic = artifact.error();
    CHECK(diagnostic.code == "nvrtc-compile");
    CHECK(diagnostic.message == "device code: identifier \"missing\" is undefined");
    CHECK(diagnostic.where.file == "session.cu");
    CHECK(diagnostic.where.line == 3);
    CHECK(diagnostic.where.column == 12);
    REQUIRE(diagnostic.notes.size() == 1);
    CHECK(diagnostic.notes[0].where.line == 4);
    CHECK(diagnostic.notes[0].message.starts_with("error: "));
}

TEST_CASE("a message without a place is kept whole") {
    const Diagnostic diagnostic = parse_log("nvrtc: error: invalid value for --gpu-architecture (-arch)\n");
    CHECK(diagnostic.message == "nvrtc: error: invalid value for --gpu-architecture (-arch)");
    CHECK(diagnostic.notes.empty());
}

TEST_CASE("the content hash tells fields apart") {
    const auto hash = [](std::string_view a, std::string_view b) { return ContentHash().add(a).add(b).text(); };
    CHECK(hash("a", "bc") != hash("ab", "c"));
    CHECK(hash("", "x") != hash("x", ""));
    CHECK(hash("same", "text") == hash("same", "text"));
    CHECK(hash("same", "text").size() == 32);
}
