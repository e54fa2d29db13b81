#include "repl/grade/course/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "repl/grade/course/csv.h"
#include "repl/grade/course/time.h"

namespace cudash::grade {
namespace {

constexpr double seconds_a_day = 86400;

std::string_view without_suffix(std::string_view entry) {
    constexpr std::size_t suffix = 3;
    const bool has_suffix = entry.size() > suffix && entry[entry.size() - suffix] == '.' &&
                            (entry[entry.size() - 2] | 0x20) == 'c' && (entry[entry.size() - 1] | 0x20) == 'u';
    return has_suffix ? entry.substr(0, entry.size() - suffix) : entry;
}

/// What a hand-in is worth for that student.
Standing worth(const Course& course, const Student& student, const HandIn& hand_in) {
    Standing result;
    result.student = student;
    result.entry = hand_in.entry;
    result.moment = hand_in.moment;
    result.has_mark = !hand_in.grade.is_fault();
    if (course.deadline) {
        const double late = static_cast<double>(hand_in.moment - *course.deadline) - student.extension_hours * 3600;
        if (late > course.grace_minutes * 60) result.days_late = std::ceil(late / seconds_a_day);
        result.percent_off = std::min(100.0, result.days_late * course.percent_a_day);
        if (course.most_days_late && result.days_late > *course.most_days_late) result.percent_off = 100;
    }
    if (!result.has_mark) return result;
    result.earned = hand_in.grade.points();
    result.max_points = hand_in.grade.max_points();
    result.points = std::round(result.earned * (100 - result.percent_off) * 10) / 1000;
    return result;
}

/// The last of those before it, or the best: then the one that counts.
bool counts_before(const Course& course, const Standing& one, const Standing& other) {
    if (course.keeps_best && one.has_mark && other.has_mark && one.points != other.points)
        return one.points > other.points;
    if (one.moment != other.moment) return one.moment > other.moment;
    return one.entry > other.entry;
}

std::string moment_or_nothing(const Standing& standing) {
    return standing.entry.empty() ? "" : moment_text(standing.moment);
}

std::string_view status_of(const Standing& standing) {
    if (standing.entry.empty()) return "missing";
    if (!standing.has_mark) return "no mark";
    if (!standing.is_on_roster) return "not on the roster";
    return standing.days_late > 0 ? "late" : "in time";
}

/// Nothing handed in is 0 points; where the grader could not do its work there is no number.
std::string points_or_nothing(const Standing& standing) {
    return standing.entry.empty() || standing.has_mark ? points_text(standing.points) : "";
}

double max_of(const std::vector<Standing>& standings) {
    double most = 0;
    for (const Standing& standing : standings) most = std::max(most, standing.max_points);
    return most;
}

}  // namespace

std::string student_of(std::string_view entry) {
    return std::string(without_suffix(entry).substr(0, entry.find('@')));
}

std::optional<std::int64_t> moment_of(std::string_view entry) {
    const std::size_t at = entry.find('@');
    if (at == std::string_view::npos) return std::nullopt;
    return parse_moment(without_suffix(entry).substr(at + 1));
}

std::vector<Standing> standings(const Course& course, const std::vector<HandIn>& hand_ins) {
    std::map<std::string, std::vector<const HandIn*>> by_student;
    for (const HandIn& each : hand_ins) by_student[student_of(each.entry)].push_back(&each);
    std::vector<Standing> result;
    const auto add = [&](const Student& student, bool is_on_roster) {
        Standing best;
        best.student = student;
        const auto found = by_student.find(student.id);
        if (found != by_student.end()) {
            for (const HandIn* each : found->second) {
                Standing one = worth(course, student, *each);
                if (best.entry.empty() || counts_before(course, one, best)) best = std::move(one);
            }
            best.hand_ins = found->second.size();
            by_student.erase(found);
        }
        best.is_on_roster = is_on_roster;
        result.push_back(std::move(best));
    };
    for (const Student& student : course.roster) add(student, true);
    while (!by_student.empty()) {
        Student unknown;
        unknown.id = by_student.begin()->first;
        add(unknown, !course.has_roster);
    }
    return result;
}

std::string as_course_csv(const std::vector<Standing>& standings, bool has_deadline) {
    std::string text = "id,name,submission,hand_ins,handed_in,days_late,earned,percent_off,points,max_points,status\n";
    const double most = max_of(standings);
    for (const Standing& each : standings)
        text +=
            fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(each.student.id), csv_field(each.student.name),
                        csv_field(each.entry), each.hand_ins, has_deadline ? moment_or_nothing(each) : "",
                        points_text(each.days_late), each.has_mark ? points_text(each.earned) : "",
                        points_text(each.percent_off), points_or_nothing(each), points_text(most), status_of(each));
    return text;
}

std::string as_canvas_csv(const std::vector<Standing>& standings, const std::string& assignment) {
    // Canvas refuses a file with the SIS User ID and without the SIS Login ID, even if this is empty everywhere.
    std::string text = fmt::format("Student,ID,SIS User ID,SIS Login ID,Section,{}\n", csv_field(assignment));
    text += fmt::format("    Points Possible,,,,,{}\n", points_text(max_of(standings)));
    for (const Standing& each : standings)
        if (each.is_on_roster)
            text += fmt::format("{},{},{},,{},{}\n",
                                csv_field(each.student.name.empty() ? each.student.id : each.student.name),
                                csv_field(each.student.canvas_id), csv_field(each.student.id),
                                csv_field(each.student.section), points_or_nothing(each));
    return text;
}

std::string as_moodle_csv(const std::vector<Standing>& standings, const std::string& assignment) {
    std::string text = fmt::format("ID number,Email address,{},Feedback\n", csv_field(assignment));
    for (const Standing& each : standings) {
        if (!each.is_on_roster) continue;
        std::string feedback = each.entry.empty() ? "nothing was handed in" : "";
        if (each.percent_off > 0)
            feedback = fmt::format("{} points, {}% less for {} days late", points_text(each.earned),
                                   points_text(each.percent_off), points_text(each.days_late));
        text += fmt::format("{},{},{},{}\n", csv_field(each.student.id), csv_field(each.student.email),
                            points_or_nothing(each), csv_field(feedback));
    }
    return text;
}

}  // namespace cudash::grade
