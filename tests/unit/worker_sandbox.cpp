// A confined worker, with a session that needs no compiler.
#include <doctest/doctest.h>

#include <algorithm>

#include "repl/grade/scratch_folder.h"
#include "repl/worker/client.h"

using namespace cudash;
using namespace cudash::worker;
using session::Cell;
using session::Outcome;

namespace {

struct Confined {
    explicit Confined(std::uint64_t output_bytes = 1 << 20) : client(settings(output_bytes), observer()) {}

    Settings settings(std::uint64_t output_bytes) {
        Settings result;
        result.program = CUDASH_FAKE;
        result.timeout = std::chrono::seconds(10);
        result.confinement.emplace().folder = folder.path();
        result.confinement->output_bytes = output_bytes;
        result.confinement->memory_bytes = 300 << 20;
        return result;
    }
    Observer observer() {
        Observer result;
        result.diagnostic = [](const Diagnostic&) {};
        result.output = [this](std::string_view text) { output += text; };
        return result;
    }

    grade::ScratchFolder folder;
    std::string output;
    Client client;
};

}  // namespace

TEST_CASE("sandbox: which layers a submission needs") {
    const std::vector<std::string> none;
    CHECK(missing_layers(Trust::device_code, none).size() == 5);
    CHECK(missing_layers(Trust::native_code, none).size() == 5);
    const std::vector<std::string> some = {"clean start", "no privileges", "limits"};
    CHECK(missing_layers(Trust::device_code, some) == std::vector<std::string_view>{"landlock", "seccomp"});
    const auto missing = missing_layers(Trust::native_code, some);
    CHECK(missing == std::vector<std::string_view>{"landlock", "seccomp"});
}

TEST_CASE("sandbox: a confined worker says what holds it, and works") {
    Confined confined;
    REQUIRE(confined.client.wait_ready());
    for (const char* needed : {"clean start", "no privileges", "limits", "seccomp"})
        CHECK(std::ranges::find(confined.client.layers(), needed) != confined.client.layers().end());
    CHECK(confined.client.evaluate({Cell::Kind::code, "cell 1", "put_line(hello)", {}}).status == Outcome::Status::ok);
    CHECK(confined.output == "hello\n");
    confined.client.stop();
    CHECK(confined.client.peak_memory() > 0);
}

TEST_CASE("sandbox: output beyond the limit ends the worker") {
    Confined confined(1000);
    std::string flood;
    for (int i = 0; i < 200; ++i) flood += "put_line(0123456789)\n";
    const Outcome outcome = confined.client.evaluate({Cell::Kind::code, "cell 1", flood, {}});
    CHECK(outcome.status == Outcome::Status::lost);
    REQUIRE(outcome.diagnostics.size() == 1);
    CHECK(outcome.diagnostics[0].code == "output-limit");
    CHECK(confined.output.size() <= 1000);
}

TEST_CASE("sandbox: a worker that only sleeps is charged for it") {
    Confined confined;
    REQUIRE(confined.client.wait_ready());
    confined.client.set_budget(std::chrono::milliseconds(200));
    CHECK(confined.client.evaluate({Cell::Kind::code, "cell 1", "hang()", {}}).status == Outcome::Status::lost);
    REQUIRE(confined.client.measured().exceeded);
    CHECK(confined.client.measured().exceeded->code == "time-limit");
    CHECK(confined.client.measured().spent >= std::chrono::milliseconds(200));
    CHECK_FALSE(confined.client.measured().timed_out);
    CHECK_FALSE(confined.client.measured().interrupted);
}

TEST_CASE("sandbox: each layer can be left out, and is then missing") {
    const auto layers_without = [](const std::string& layer) {
        Confined whole;
        worker::Settings settings = whole.client.settings();
        settings.confinement->without = {layer};
        Client client(settings, whole.observer());
        REQUIRE(client.wait_ready());
        return client.layers();
    };
    for (const Layer& layer : layers()) {
        const auto held = layers_without(std::string(layer.name));
        CHECK(std::ranges::find(held, layer.name) == held.end());
    }
}
