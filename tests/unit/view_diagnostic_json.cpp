#include "repl/view/diagnostic_json.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "runtime_wrappers/folded.h"

using namespace cudash;
using nlohmann::json;

TEST_CASE("json: a finding of a kernel has all members") {
    Diagnostic race = error("global-race", "race: \"x\"\n", "use an atomic");
    race.where = {"cell 3", 2, 7};
    race.thread = ThreadSpot{"k", {1, 0, 0}, {3, 2, 1}};
    race.notes.push_back({"the other", {"cell 3", 4, 0}});
    race.notes.push_back(note_of_more(27, "at this line"));
    const std::string text = view::print_json(race);
    CHECK(text.back() == '\n');
    CHECK(text.find('\n') == text.size() - 1);
    CHECK(json::parse(text) == json::parse(R"({
        "code": "global-race", "severity": "error", "message": "race: \"x\"\n",
        "place": {"file": "cell 3", "line": 2, "column": 7},
        "kernel": "k", "block": [1, 0, 0], "thread": [3, 2, 1],
        "notes": [{"message": "the other", "place": {"file": "cell 3", "line": 4, "column": null}},
                  {"message": "27 more times at this line", "place": null}],
        "hint": "use an atomic", "count": 28})"));
}

TEST_CASE("json: what is not known is null, and the members keep their order") {
    Diagnostic plain;
    plain.severity = Diagnostic::Severity::warning;
    plain.message = "\xff";
    CHECK(view::print_json(plain) ==
          "{\"code\":\"\",\"severity\":\"warning\",\"message\":\"\xEF\xBF\xBD\",\"place\":null,\"kernel\":null,"
          "\"block\":null,\"thread\":null,\"notes\":[],\"hint\":\"\",\"count\":1}\n");
}

TEST_CASE("folded findings: the number comes back from the note") {
    Diagnostic diagnostic;
    CHECK(times_found(diagnostic) == 1);
    diagnostic.notes.push_back({"16 more bytes", {}});
    CHECK(times_found(diagnostic) == 1);
    diagnostic.notes.push_back(note_of_more(1, "at this line"));
    CHECK(diagnostic.notes.back().message == "1 more time at this line");
    CHECK(times_found(diagnostic) == 2);
}
