// Events as JSON: each is as the table in repl/README.md says.
#include "repl/view/event_stream.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

using namespace cudash;
using Json = nlohmann::ordered_json;

namespace {

struct Member {
    std::string name, type;
};

/// The rows "| `event` | `member` | type | meaning |" of the section, by event. An empty first column: as above.
std::map<std::string, std::vector<Member>> documented() {
    std::ifstream in(std::string(CUDASH_SOURCE_DIR) + "/repl/README.md");
    std::map<std::string, std::vector<Member>> forms;
    const std::regex row(R"re(\| (?:`(\w+)`)? ?\| (?:`(\w+)`)? ?\| ?([^|]*?) ?\|.*)re");
    std::string line, event;
    bool inside = false;
    while (std::getline(in, line)) {
        if (line.starts_with("## ")) inside = line == "## Events as JSON";
        std::smatch part;
        if (!inside || !std::regex_match(line, part, row)) continue;
        if (part[1].length() > 0) event = part[1];
        forms[event];
        if (part[2].length() > 0) forms[event].push_back({part[2], part[3]});
    }
    return forms;
}

bool is_of(const Json& value, const std::string& type) {
    if (type.find(" or null") != std::string::npos && value.is_null()) return true;
    if (type.starts_with("string")) return value.is_string();
    if (type.starts_with("number")) return value.is_number();
    if (type.starts_with("true or false")) return value.is_boolean();
    if (type.starts_with("array")) return value.is_array();
    if (type.starts_with("[x, y, z]")) return value.is_array() && value.size() == 3;
    return false;
}

std::vector<Json> emitted(bool times, const std::function<void(view::EventStream&)>& use) {
    std::vector<Json> events;
    view::EventStream stream(
        [&](std::string_view line) {
            REQUIRE(line.ends_with('\n'));
            REQUIRE(line.find('\n') == line.size() - 1);
            events.push_back(Json::parse(line));
        },
        times);
    use(stream);
    return events;
}

void emit_all(view::EventStream& stream) {
    stream.session("virtual h200");
    stream.begin("cell 1", "f()");
    stream.output("half a line");
    stream.finding(error("global-race", "race"));
    stream.value({"int", "42"});
    stream.table({{"name", "value"}, {{"x", "1"}}});
    stream.memory({{0x100, 64, "device"}});
    stream.text("int[4]\n");
    stream.message("taken back\n");
    session::TraceLine launch;
    launch.launch = session::TraceLine::Launch{"k", {2, 1, 1}, {32, 1, 1}, 0, 1234, 1, false};
    stream.told(launch);
    stream.told({.text = "cudaFree(p) = cudaSuccess", .call = "cudaFree(p)", .result = "cudaSuccess"});
    stream.end("cell 1", "ok", 0, 0.25);
    stream.begin({}, ":vars");
    stream.end({}, "failed", 1, 0);
    stream.exit(3);
}

}  // namespace

TEST_CASE("events: each has the members that are documented, in their order, and no event is missing") {
    const auto forms = documented();
    std::set<std::string> seen;
    for (const bool times : {false, true}) {
        for (const Json& event : emitted(times, emit_all)) {
            const std::string name = event.at("event");
            CAPTURE(event.dump());
            REQUIRE(forms.contains(name));
            seen.insert(name);
            auto at = event.begin();
            CHECK(at.key() == "event");
            ++at;
            if (name == "finding") continue;  // its members have a table of their own, and tests
            for (const Member& member : forms.at(name)) {
                if (member.name == "seconds" && !times) continue;
                REQUIRE(at != event.end());
                CHECK(at.key() == member.name);
                CHECK(is_of(at.value(), member.type));
                ++at;
            }
            CHECK(at == event.end());
        }
    }
    for (const auto& [name, members] : forms) {
        CAPTURE(name);
        CHECK(seen.contains(name));
    }
}

TEST_CASE("events: a finding has the members of findings after its name") {
    const auto events = emitted(false, [](view::EventStream& stream) { stream.finding(error("leak", "m", "h")); });
    REQUIRE(events.size() == 1);
    CHECK(events[0].dump().starts_with(R"({"event":"finding","code":"leak","severity":"error","message":"m")"));
    CHECK(events[0].size() == 11);
}

TEST_CASE("events: output comes by lines, however it is cut") {
    const std::string text = "one\ntwo\n\nthree";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        const auto events = emitted(false, [&](view::EventStream& stream) {
            for (std::size_t at = 0; at < text.size(); at += piece) stream.output(text.substr(at, piece));
            stream.exit(0);
        });
        REQUIRE(events.size() == 5);
        CHECK(events[0].at("text") == "one\n");
        CHECK(events[1].at("text") == "two\n");
        CHECK(events[2].at("text") == "\n");
        CHECK(events[3].at("text") == "three");
        CHECK(events[4].at("event") == "exit");
    }
}

TEST_CASE("events: a line without end comes in pieces of whole characters, of the same size however it is cut") {
    std::string text = "x";
    while (text.size() < 200'000) text += "\u00e9";
    for (const std::size_t piece : {1000u, 65536u, 300'000u}) {
        const auto events = emitted(false, [&](view::EventStream& stream) {
            for (std::size_t at = 0; at < text.size(); at += piece) stream.output(text.substr(at, piece));
            stream.exit(0);
        });
        REQUIRE(events.size() == 5);
        std::string joined;
        for (std::size_t i = 0; i < 4; ++i) joined += events[i].at("text").get<std::string>();
        CHECK(joined == text);
        CHECK(events[0].at("text").get<std::string>().size() == 65535);
    }
}
