// Pictures of profiles, as files in tests/unit/pictures: at 80 and at 40 columns, plain and with Unicode; and in
// colour. CUDASH_REWRITE=1 writes them anew.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "repl/session/profile_names.h"
#include "repl/view/picture/canvas.h"
#include "repl/view/picture/pictures.h"
#include "repl/view/picture/report_page.h"
#include "tests/unit/sample_pictures.h"

using namespace cudash::view;
using namespace cudash::testing;

namespace {

std::string pictures_folder() {
    return std::string(CUDASH_SOURCE_DIR) + "/tests/unit/pictures/";
}

std::string without_colour(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\033') {
            i = text.find('m', i);
            continue;
        }
        result += text[i];
    }
    return result;
}

template <class Picture>
void check_picture(const std::string& name, const Picture& picture) {
    const std::string coloured = draw(picture, {.width = 80, .unicode = true, .colour = true});
    const std::string unicode = draw(picture, {.width = 80, .unicode = true, .colour = false});
    const std::string plain = draw(picture, {.width = 80, .unicode = false, .colour = false});
    const std::string narrow = draw(picture, {.width = 40, .unicode = false, .colour = false});
    const std::string narrow_unicode = draw(picture, {.width = 40, .unicode = true, .colour = false});
    CHECK(without_colour(coloured) == unicode);
    for (unsigned width : {1u, 40u, 57u, 80u, 200u}) {
        std::istringstream lines(draw(picture, {.width = width, .unicode = width != 57, .colour = false}));
        for (std::string line; std::getline(lines, line);) {
            INFO(name, " at ", width, ": ", line);
            CHECK(width_of(line) <= std::max(40u, width));
        }
    }
    for (const char c : plain + narrow) CHECK(static_cast<unsigned char>(c) < 0x80);

    const std::string text = "80 columns, plain\n" + plain + "\n40 columns, plain\n" + narrow +
                             "\n80 columns, Unicode\n" + unicode + "\n40 columns, Unicode\n" + narrow_unicode;
    const std::string path = pictures_folder() + name + ".txt";
    if (std::getenv("CUDASH_REWRITE")) std::ofstream(path) << text;
    std::ifstream file(path);
    std::stringstream golden;
    golden << file.rdbuf();
    CHECK(golden.str() == text);
}

}  // namespace

TEST_CASE("picture: source with bars") {
    check_picture("source", listing());
    check_picture("source_empty", SourceListing{"k<<<1, 1>>> on h200", "k.cu", {}});
}
TEST_CASE("picture: banks") {
    check_picture("banks_without_conflict", banks(33));
    check_picture("banks_two_ways", banks(2));
    check_picture("banks_32_ways", banks(32));
}
TEST_CASE("picture: sectors") {
    check_picture("sectors_of_neighbours", sectors(1));
    check_picture("sectors_of_stride_8", sectors(8));
    check_picture("sectors_of_stride_33", sectors(33));
}
TEST_CASE("picture: residency") {
    check_picture("residency", residency());
}
TEST_CASE("picture: partitions in Cartesian and diagonal order") {
    check_picture("partitions_cartesian", partitions(false));
    check_picture("partitions_diagonal", partitions(true));
}
TEST_CASE("picture: L2 after each kernel") {
    check_picture("l2", cache());
    check_picture("l2_none", CachePicture{});
}
TEST_CASE("picture: streams") {
    check_picture("timeline", timeline());
    check_picture("timeline_empty", TimelinePicture{});
}

TEST_CASE("picture: a report is one page that needs nothing else") {
    Report report;
    report.title = "a <b> & c";
    report.columns = {"kernel"};
    report.rows = {{"k<int>"}};
    report.cache = cache();
    report.timeline = timeline();
    report.launches.push_back({listing(), residency(), {banks(2)}, {sectors(8)}, partitions(true), {{"time", "1 us"}}});
    const std::string page = html(report);
    CHECK(page.find("a &lt;b&gt; &amp; c") != std::string::npos);
    CHECK(page.find("k&lt;int&gt;") != std::string::npos);
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("src=") == std::string::npos);
    CHECK(page.find("href=") == std::string::npos);
    std::size_t pictures = 0;
    for (std::size_t at = 0; (at = page.find("<figure>", at)) != std::string::npos; ++at) ++pictures;
    CHECK(pictures == 6);
    for (const std::string tag : {"svg", "table", "section", "figure", "tr"}) {
        std::size_t opened = 0, closed = 0;
        for (std::size_t at = 0; (at = page.find("<" + tag, at)) != std::string::npos; ++at)
            opened += page[at + 1 + tag.size()] == ' ' || page[at + 1 + tag.size()] == '>';
        for (std::size_t at = 0; (at = page.find("</" + tag + ">", at)) != std::string::npos; ++at) ++closed;
        CHECK(opened == closed);
    }
}

TEST_CASE("profile: the README of runtime_wrappers has all that :profile shows") {
    std::ifstream file(std::string(CUDASH_SOURCE_DIR) + "/runtime_wrappers/README.md");
    std::stringstream readme;
    readme << file.rdbuf();
    const std::string text = readme.str();
    for (const std::string_view list : {cudash::session::profile_tables, cudash::session::profile_pictures}) {
        for (std::size_t at = 0; at < list.size();) {
            const std::size_t end = std::min(list.find(", ", at), list.size());
            const std::string request = ":profile " + std::string(list.substr(at, end - at));
            CAPTURE(request);
            CHECK(text.find("`" + request.substr(0, request.find(" NAME"))) != std::string::npos);
            at = end + 2;
        }
    }
}
