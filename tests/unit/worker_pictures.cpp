// Pictures that cross the protocol: as they were sent, and refused where a worker lies.
#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "repl/view/picture/canvas.h"
#include "repl/view/picture/report_page.h"
#include "repl/view/picture/svg.h"
#include "repl/worker/protocol.h"
#include "tests/unit/sample_pictures.h"

using namespace cudash;
using namespace cudash::view;

namespace {

std::vector<Picture> samples() {
    return {testing::listing(),         testing::banks(2), testing::sectors(8), testing::residency(),
            testing::partitions(false), testing::cache(),  testing::timeline()};
}

/// The outcome's frame without its length.
std::string body_of(const Picture& picture) {
    session::Outcome outcome;
    outcome.picture = picture;
    return worker::encode(worker::Report(outcome)).substr(4);
}

std::string drawn(const Picture& picture) {
    std::string text = draw(picture, {.width = 80});
    std::visit(
        [&](const auto& each) {
            if constexpr (requires { figure(each); })
                text += figure(each).svg();
            else
                text += html(each);
        },
        picture);
    return text;
}

}  // namespace

TEST_CASE("protocol: pictures arrive as they were sent") {
    for (const Picture& picture : samples()) {
        const auto report = worker::decode_report(body_of(picture), true);
        REQUIRE(report);
        const auto* outcome = std::get_if<session::Outcome>(&*report);
        REQUIRE(outcome);
        REQUIRE(outcome->picture);
        CHECK(outcome->picture->index() == picture.index());
        CHECK(drawn(*outcome->picture) == drawn(picture));
    }
}

TEST_CASE("protocol: a whole profile arrives as it was sent, and not at all where one of its pictures lies") {
    Report report;
    report.title = "profile <1>";
    report.columns = {"kernel"};
    report.rows = {{"k"}};
    report.notes = {"a note"};
    report.cache = testing::cache();
    report.timeline = testing::timeline();
    LaunchReport& launch = report.launches.emplace_back();
    launch.source = testing::listing();
    launch.residency = testing::residency();
    launch.banks = {testing::banks(2)};
    launch.sectors = {testing::sectors(8)};
    launch.partitions = testing::partitions(false);
    launch.facts = {{"launches", "3"}};
    const auto received = [&] {
        session::Outcome outcome;
        outcome.report = report;
        return worker::decode_report(worker::encode(worker::Report(outcome)).substr(4), true);
    };
    const auto taken = received();
    REQUIRE(taken);
    const auto* outcome = std::get_if<session::Outcome>(&*taken);
    REQUIRE(outcome);
    REQUIRE(outcome->report);
    CHECK(html(*outcome->report) == html(report));
    launch.banks.front().banks = 0;
    CHECK_FALSE(received());
    launch.banks.front().banks = 32;
    CHECK(received());
    report.timeline.works.front().end = report.timeline.works.front().begin - 1;
    CHECK_FALSE(received());
}

TEST_CASE("protocol: a picture whose numbers contradict each other is not a message") {
    const auto is_taken = [](const Picture& picture) {
        return worker::decode_report(body_of(picture), true).has_value();
    };
    BankPicture banks = testing::banks(2);
    CHECK(is_taken(banks));
    banks.banks = 0;
    CHECK_FALSE(is_taken(banks));
    banks = testing::banks(2);
    banks.uses.front().pass = 1u << 31;
    CHECK_FALSE(is_taken(banks));
    banks = testing::banks(2);
    banks.uses.clear();
    CHECK_FALSE(is_taken(banks));
    ResidencyPicture residency = testing::residency();
    residency.blocks = residency.warps_per_block = 1u << 31;
    CHECK_FALSE(is_taken(residency));
    PartitionPicture partitions = testing::partitions(true);
    partitions.slices.back().pop_back();
    CHECK_FALSE(is_taken(partitions));
    TimelinePicture timeline = testing::timeline();
    timeline.works.front().end = -1;
    CHECK_FALSE(is_taken(timeline));
    timeline = testing::timeline();
    timeline.works.front().end = 1e300;
    CHECK_FALSE(is_taken(timeline));
    SourceListing listing = testing::listing();
    listing.lines.front().executed = std::numeric_limits<double>::infinity();
    CHECK_FALSE(is_taken(listing));
}

TEST_CASE("protocol: whatever digits a worker forges in a picture, it is refused or drawn") {
    std::mt19937 random(1);
    std::size_t taken = 0, refused = 0;
    for (const Picture& picture : samples()) {
        const std::string body = body_of(picture);
        std::vector<std::size_t> digits;
        for (std::size_t i = body.find("\"picture\""); i < body.size(); ++i)
            if (body[i] >= '0' && body[i] <= '9') digits.push_back(i);
        REQUIRE_FALSE(digits.empty());
        for (int round = 0; round < 300; ++round) {
            std::string forged = body;
            const std::size_t at = digits[random() % digits.size()];
            const char* const numbers[] = {"0", "9", "4294967295", "18446744073709551615", "-1", "1e17", "65536"};
            forged.replace(at, 1, numbers[random() % std::size(numbers)]);
            const auto report = worker::decode_report(forged, true);
            const auto* outcome = report ? std::get_if<session::Outcome>(&*report) : nullptr;
            if (!outcome || !outcome->picture) {
                ++refused;
                continue;
            }
            ++taken;
            CHECK_FALSE(drawn(*outcome->picture).empty());
        }
    }
    CHECK(taken > 100);
    CHECK(refused > 100);
}
