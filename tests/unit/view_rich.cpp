// What a display does with results where more than text can be shown, and that without it nothing changes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "repl/view/display.h"
#include "repl/view/markup.h"
#include "tests/unit/sample_pictures.h"

using namespace cudash;
using namespace cudash::view;

namespace {

struct Shown {
    std::string text;  ///< results and messages
    std::vector<Rich> rich;
    Display display;

    explicit Shown(bool takes_rich) {
        display.results = display.messages = [this](std::string_view more) { text += more; };
        if (takes_rich) display.rich = [this](const Rich& more) { rich.push_back(more); };
    }
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;
};

session::Outcome outcome() {
    session::Outcome made;
    made.text = "2 allocations\n";
    made.table = session::Table{{"address", "bytes"}, {{"0x200000000000", "64"}, {"0x200000000200", "8"}}};
    made.memory = {{0x200000000000, 64, "device"}, {0x200000000200, 8, "device"}};
    made.picture = testing::banks(2);
    made.stop = session::DebugStop();
    made.stop->why = "breakpoint 1";
    made.stop->function = "k";
    made.stop->lanes = std::string(32, 'a');
    made.lanes = session::DebugLanes{"i", "int", std::vector<std::string>(32, "7"), std::string(32, 'a'), 3};
    made.diagnostics.push_back(error("oob-write", "4-byte write past the end"));
    made.value = session::Value{"int", "42"};
    return made;
}

}  // namespace

TEST_CASE("rich: each part of an outcome comes with its best form, and the plain text is that of a terminal") {
    Shown plain(false), rich(true);
    plain.display.show(outcome(), "cell 1", {});
    rich.display.show(outcome(), "cell 1", {});
    // Finding, picture, map, table, stop, lanes.
    REQUIRE(rich.rich.size() == 6);
    std::string all;
    for (const Rich& each : rich.rich) {
        CHECK_FALSE(each.plain.empty());
        CHECK(each.html.empty() != each.svg.empty());
        all += each.plain;
    }
    CHECK(all + rich.text == plain.text);
    CHECK(rich.text == "(int) 42\n");
    CHECK(rich.rich[1].svg.starts_with("<svg "));
    CHECK(rich.rich[2].svg.find("0x200000000000") != std::string::npos);
    CHECK(rich.rich[3].html.find("<td class=\"n\">64</td>") != std::string::npos);
}

TEST_CASE("rich: events and findings as JSON stay what they are") {
    Shown json(true);
    json.display.json = true;
    json.display.show(error("oob-write", "past the end"), {});
    CHECK(json.rich.empty());
    CHECK(nlohmann::json::parse(json.text).at("code") == "oob-write");
    Shown events(true);
    std::string lines;
    events.display.events = std::make_shared<EventStream>([&](std::string_view line) { lines += line; }, false);
    events.display.show(outcome(), "cell 1", {});
    CHECK(events.rich.empty());
    CHECK(lines.find("\"event\":\"table\"") != std::string::npos);
}

TEST_CASE("rich: every finding is collected, however it is shown") {
    std::vector<std::string> codes;
    Shown shown(true);
    shown.display.collect = [&](const Diagnostic& finding) { codes.push_back(finding.code); };
    shown.display.show(outcome(), "cell 1", {});
    CHECK(codes == std::vector<std::string>{"oob-write"});
}

TEST_CASE("rich: text for pages is escaped, and what is not text is told by a question mark") {
    CHECK(escaped("<a href=\"x\">&</a>") == "&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;");
    CHECK(escaped("\t\n\x01\x1b[31m") == "\t\n??[31m");
    CHECK(escaped("gr\xc3\xbc\xc3\x9f \xf0\x9f\x8e\xb2") == "gr\xc3\xbc\xc3\x9f \xf0\x9f\x8e\xb2");
    CHECK(escaped("\xff") == "?");                 // no UTF-8
    CHECK(escaped("\xc3") == "?");                 // cut off
    CHECK(escaped("\xc0\xaf") == "??");            // longer than it must be
    CHECK(escaped("\xed\xa0\x80") == "???");       // half of a pair of UTF-16
    CHECK(escaped("\xef\xbf\xbf") == "???");       // U+FFFF is not a character
    CHECK(escaped("\xf4\x90\x80\x80") == "????");  // behind the last one
}
