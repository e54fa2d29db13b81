#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "runtime_wrappers/explanations.h"
#include "runtime_wrappers/virtual_gpu/check/checkers.h"

using namespace cudash;
using virtual_gpu::Checker;

TEST_CASE("--check: none, default, all and names") {
    CHECK(!virtual_gpu::parse_selection("none")->any());
    const auto by_default = virtual_gpu::parse_selection("default");
    CHECK(by_default->has(Checker::shared_race));
    CHECK(!by_default->has(Checker::same_value));
    CHECK(by_default->budget != 0);
    const auto all = virtual_gpu::parse_selection("all");
    CHECK(all->on.all());
    CHECK(all->budget == 0);
    const auto some = virtual_gpu::parse_selection("barrier,initialized");
    CHECK(some->has(Checker::barrier));
    CHECK(some->has(Checker::initialised));
    CHECK(!some->has(Checker::global_race));
    CHECK(virtual_gpu::parse_selection("initialised")->has(Checker::initialised));  // its former spelling
    const auto host = virtual_gpu::parse_selection("leak,unchecked,copy");
    CHECK(host->has(Checker::leak));
    CHECK(!host->any());
    CHECK(!virtual_gpu::parse_selection("races"));
    CHECK(!virtual_gpu::parse_selection("barrier,,"));
}

TEST_CASE("every code that a checker gives has a page, and every page a text") {
    std::set<std::string> codes;
    const std::regex code(R"re((?:error\(|code = |: |\? |add\()"([a-z]+(?:-[a-z]+)+)")re");
    for (const auto& entry :
         std::filesystem::directory_iterator(CUDASH_SOURCE_DIR "/runtime_wrappers/virtual_gpu/check")) {
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        for (auto it = std::sregex_iterator(text.begin(), text.end(), code); it != std::sregex_iterator(); ++it)
            codes.insert((*it)[1]);
    }
    codes.erase("unknown-checker");
    // Those of host code are made elsewhere: virtual_gpu/runtime, api, the session.
    for (const char* each : {"bytes-not-elements", "device-pointer-on-host", "freed-while-used", "host-race", "leak",
                             "unchecked-error", "wrong-direction", "wrong-pitch"})
        codes.insert(each);
    CHECK(codes.size() > 8);
    for (const std::string& each : codes) {
        CAPTURE(each);
        CHECK(find_explanation(each) != nullptr);
    }
    for (const Explanation& page : explanations()) {
        CAPTURE(page.code);
        CHECK(!page.title.empty());
        CHECK(!page.meaning.empty());
        CHECK(!page.example.empty());
        CHECK(!page.remedy.empty());
    }
}
