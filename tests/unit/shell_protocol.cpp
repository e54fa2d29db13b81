#include <doctest/doctest.h>

#include "repl/worker/protocol.h"

using namespace cudash;
using namespace cudash::worker;

namespace {

template <class T>
T round_trip(const Report& report) {
    FrameBuffer frames;
    // Byte by byte: a socket may cut a frame anywhere.
    std::optional<std::string> body;
    for (const char byte : encode(report)) {
        CHECK_FALSE(body);
        frames.append({&byte, 1});
        body = frames.next();
    }
    REQUIRE(body);
    CHECK_FALSE(frames.next());
    const auto decoded = decode_report(*body);
    REQUIRE(decoded);
    REQUIRE(std::holds_alternative<T>(*decoded));
    return std::get<T>(*decoded);
}

}  // namespace

TEST_CASE("protocol: an outcome arrives as it was sent") {
    session::Outcome outcome;
    outcome.status = session::Outcome::Status::device_error;
    outcome.exit_code = -7;
    outcome.value = session::Value{"int", "42"};
    outcome.sound = false;
    outcome.seconds = 0.25;
    Diagnostic diagnostic = error("code", "mess\"age\n\xc3\xa9", "hint");
    diagnostic.severity = Diagnostic::Severity::warning;
    diagnostic.where = {"cell 1", 2, 3};
    diagnostic.thread = ThreadSpot{"k", {1, 2, 3}, {4, 5, 6}};
    diagnostic.notes = {{"note", {"file", 4, 5}}};
    outcome.diagnostics = {diagnostic, {}};

    const auto got = round_trip<session::Outcome>(outcome);
    CHECK(got.status == outcome.status);
    CHECK(got.exit_code == -7);
    CHECK(got.value->type == "int");
    CHECK(got.value->text == "42");
    CHECK_FALSE(got.sound);
    CHECK(got.seconds == 0.25);
    REQUIRE(got.diagnostics.size() == 2);
    CHECK(got.diagnostics[0].severity == Diagnostic::Severity::warning);
    CHECK(got.diagnostics[0].message == diagnostic.message);
    CHECK(got.diagnostics[0].where.column == 3);
    CHECK(got.diagnostics[0].thread->thread == Dim3{4, 5, 6});
    CHECK(got.diagnostics[0].notes[0].where.line == 4);
    CHECK_FALSE(got.diagnostics[1].thread);
}

TEST_CASE("protocol: every status has a name of its own") {
    using Status = session::Outcome::Status;
    for (const Status status : {Status::ok, Status::compile_error, Status::faulted, Status::interrupted, Status::exited,
                                Status::device_error, Status::lost}) {
        session::Outcome outcome;
        outcome.status = status;
        CHECK(round_trip<session::Outcome>(outcome).status == status);
    }
}

TEST_CASE("protocol: the other reports and the requests") {
    CHECK(round_trip<Ready>(Ready{"virtual h200"}).device == "virtual h200");
    CHECK(round_trip<Failed>(Failed{error("a", "b")}).diagnostic.code == "a");
    CHECK(round_trip<ProgressReport>(ProgressReport{"k", 3, 1ull << 40}).all == 1ull << 40);

    session::Options options;
    options.defines = {"A=1"};
    options.kernel_timeout_ms = 5;
    const auto start = decode_request(encode(Start{options}).substr(4));
    REQUIRE(start);
    CHECK(std::get<Start>(*start).options.defines == options.defines);
    const auto evaluate =
        decode_request(encode(Evaluate{{session::Cell::Kind::run_main, "main", "text", {"a", ""}}}).substr(4));
    REQUIRE(evaluate);
    CHECK(std::get<Evaluate>(*evaluate).cell.kind == session::Cell::Kind::run_main);
    CHECK(std::get<Evaluate>(*evaluate).cell.arguments.size() == 2);
    CHECK(std::holds_alternative<Seen>(*decode_request(encode(Seen{}).substr(4))));
}

TEST_CASE("protocol: what is not a message is refused") {
    for (const char* body :
         {"", "{", "[]", "{}", "{\"type\":\"nonesuch\"}", "{\"type\":\"outcome\"}", "{\"type\":3}", "null"}) {
        CAPTURE(std::string(body));
        CHECK_FALSE(decode_report(body));
        CHECK_FALSE(decode_request(body));
    }
    FrameBuffer frames;
    frames.append("\xff\xff\xff\xff");
    CHECK_FALSE(frames.next());
    CHECK(frames.is_broken());
}

TEST_CASE("protocol: text that is not UTF-8 does not break a message") {
    CHECK(round_trip<Ready>(Ready{"a\xff"
                                  "b"})
              .device ==
          "a\xef\xbf\xbd"
          "b");
}

TEST_CASE("protocol: memory goes beside the JSON") {
    const std::string bytes("\0\x01{}\xff\n", 6);
    const auto read = round_trip<Answer>(Answer{session::MemoryBytes{bytes}});
    REQUIRE(std::holds_alternative<session::MemoryBytes>(read));
    CHECK(std::get<session::MemoryBytes>(read).bytes == bytes);
    CHECK(std::get<session::MemoryBytes>(round_trip<Answer>(Answer{session::MemoryBytes{}})).bytes.empty());

    const auto write =
        decode_request(encode(Request{Query{session::WriteBytes{1ull << 40, true, 8, bytes}}}).substr(4));
    REQUIRE(write);
    const auto& sent = std::get<session::WriteBytes>(std::get<Query>(*write));
    CHECK(sent.bytes == bytes);
    CHECK(sent.address == 1ull << 40);
    CHECK(sent.is_array);
    CHECK(sent.offset == 8);
}

TEST_CASE("protocol: what was located arrives") {
    session::Located located;
    located.type = "float *";
    located.element = {"float", 4, {{session::Scalar::Kind::floating, 4, 0, "x"}}};
    located.address = 1ull << 45;
    located.extent = {2, 3};
    located.stride = {512, 4};
    const auto got = std::get<session::Located>(round_trip<Answer>(Answer{located}));
    CHECK(got.element == located.element);
    CHECK(got.extent == located.extent);
    CHECK(got.stride == located.stride);
    CHECK(std::get<Diagnostic>(round_trip<Answer>(Answer{error("a", "b")})).code == "a");
    const auto locate = decode_request(encode(Request{Query{session::Locate{"p", "int"}}}).substr(4));
    REQUIRE(locate);
    CHECK(std::get<session::Locate>(std::get<Query>(*locate)).as == "int");
}

TEST_CASE("protocol: a confined worker's message is made of few values, and is short") {
    const std::string head = R"({"type":"progress","what":"k","done":1,"all":2,"more":[)";
    const auto with = [&](std::size_t count) {
        std::string body = head + "{}";
        for (std::size_t i = 1; i < count; ++i) body += ",{}";
        return body + "]}";
    };
    CHECK(decode_report(with(1000), true));
    CHECK_FALSE(decode_report(with(200'000), true));
    CHECK(decode_report(with(200'000)));
    CHECK_FALSE(decode_report(head + std::string(1000, '[') + std::string(1000, ']') + "]}", true));
    // What stands in a text is not a value.
    CHECK(decode_report(head + "\"" + std::string(200'000, '[') + "\\\",{\"]}", true));
    FrameBuffer frames;
    frames.set_limit(10);
    frames.append(std::string("\x0b\0\0\0", 4));
    CHECK_FALSE(frames.next());
    CHECK(frames.is_broken());
}
