#include "repl/grade/course/time.h"

#include <fmt/format.h>

#include <chrono>

namespace cudash::grade {
namespace {

using namespace std::chrono;

/// `count` digits at the beginning, taken off; -1: they are not there.
int take_digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return -1;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (text[i] < '0' || text[i] > '9') return -1;
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(count);
    return value;
}

void skip(std::string_view& text, char c) {
    if (text.starts_with(c)) text.remove_prefix(1);
}

}  // namespace

std::optional<std::int64_t> parse_moment(std::string_view text) {
    const int year = take_digits(text, 4);
    skip(text, '-');
    const int month = take_digits(text, 2);
    skip(text, '-');
    const int day = take_digits(text, 2);
    if (text.empty() || (text.front() != 'T' && text.front() != ' ')) return std::nullopt;
    text.remove_prefix(1);
    const int hour = take_digits(text, 2);
    skip(text, ':');
    const int minute = take_digits(text, 2);
    skip(text, ':');
    const bool has_seconds = !text.empty() && text.front() >= '0' && text.front() <= '9';
    const int second = has_seconds ? take_digits(text, 2) : 0;
    const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day))};
    if (year < 0 || month < 0 || day < 0 || !date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
        second < 0 || second > 59)
        return std::nullopt;
    std::int64_t away = 0;
    if (text == "Z" || text == "z") {
        text = {};
    } else if (text.starts_with('+') || text.starts_with('-')) {
        const std::int64_t sign = text.front() == '+' ? 1 : -1;
        text.remove_prefix(1);
        const int hours = take_digits(text, 2);
        skip(text, ':');
        const int minutes = take_digits(text, 2);
        if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) return std::nullopt;
        away = sign * (hours * 3600 + minutes * 60);
    } else {
        return std::nullopt;
    }
    if (!text.empty()) return std::nullopt;
    return std::int64_t{sys_days(date).time_since_epoch().count()} * 86400 + hour * 3600 + minute * 60 + second - away;
}

std::string moment_text(std::int64_t seconds) {
    const sys_seconds moment{std::chrono::seconds(seconds)};
    const auto days = floor<std::chrono::days>(moment);
    const year_month_day date(days);
    const hh_mm_ss time(moment - days);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

}  // namespace cudash::grade
