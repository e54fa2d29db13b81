// The forms that are not JSON: for people, and JUnit XML (testmoapp/junitxml README.md).
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "repl/grade/results/formats.h"
#include "repl/view/markup.h"

namespace cudash::grade {
namespace {

/// XML 1.0, "Attribute-Value Normalization": a line end in an attribute would be read as a space.
std::string attribute(std::string_view text) {
    std::string result = view::escaped(text);
    for (std::size_t at = 0; (at = result.find('\n', at)) != std::string::npos;) result.replace(at, 1, "&#10;");
    return result;
}

std::string points_of(const Test& test) {
    return fmt::format("{}/{}", points_text(test.points), points_text(test.max_points));
}

/// Without the names of hidden tests.
std::string reason_to_skip(const Grade& grade, const Test& skipped) {
    if (skipped.visibility != Visibility::visible) return "this test is hidden";
    const bool is_secret = std::ranges::any_of(grade.tests, [&](const Test& test) {
        return test.visibility == Visibility::hidden &&
               std::ranges::find(skipped.needs, test.name) != skipped.needs.end();
    });
    return is_secret ? "it needs a test that is hidden" : skipped.reason;
}

}  // namespace

std::string as_text(const Grade& grade, const FormatOptions& options) {
    if (grade.is_fault())
        return fmt::format("{}: the grader could not do its work; this is not a fault of the submission\n{}",
                           grade.submission, grade.fault);
    std::string text = fmt::format("{}: {} of {} points for {}\n", grade.submission, points_text(grade.points()),
                                   points_text(grade.max_points()), grade.assignment);
    for (const Test& test : grade.tests) {
        text += fmt::format("\n{:<8} {:>7}  {}{}\n", status_names[static_cast<std::size_t>(test.status)],
                            points_of(test), test.name,
                            test.visibility == Visibility::visible
                                ? ""
                                : fmt::format(" ({})", visibility_names[static_cast<std::size_t>(test.visibility)]));
        std::string more = explain(test);
        for (std::string_view rest = more; !rest.empty();) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            text += fmt::format("    {}\n", rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    if (!grade.reply.empty()) text += fmt::format("\n{}\n", grade.reply);
    if (options.times)
        text +=
            fmt::format("\n{:.2f} s, {} MB\n", static_cast<double>(grade.milliseconds) / 1000, grade.peak_memory >> 20);
    return text;
}

// The schema that Ant's and most other readers take, in its strict form (windyroad/JUnit-Schema JUnit.xsd): all
// attributes that it demands, and none that it does not know.
std::string as_junit(const Grade& grade, const FormatOptions& options) {
    const bool fault = grade.is_fault();
    std::vector<const Test*> shown;
    double hidden_points = 0, hidden_max = 0;
    for (const Test& test : grade.tests) {
        if (test.visibility != Visibility::hidden) {
            shown.push_back(&test);
            continue;
        }
        hidden_points += test.points;
        hidden_max += test.max_points;
    }
    const auto count = [&](Test::Status status) {
        return std::ranges::count(shown, status, [](const Test* test) { return test->status; });
    };
    // Without --times each run gives the same bytes.
    const std::string time =
        options.times ? fmt::format("{:.3f}", static_cast<double>(grade.milliseconds) / 1000) : "0";
    std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    xml += fmt::format(
        "  <testsuite id=\"0\" package=\"cudash\" name=\"{}\" timestamp=\"1970-01-01T00:00:00\" hostname=\"localhost\" "
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\">\n",
        attribute(grade.assignment), fault ? 1 : shown.size(), fault ? 0 : count(Test::Status::failed), fault ? 1 : 0,
        fault ? 0 : count(Test::Status::skipped), time);
    xml += "    <properties>\n";
    const auto property = [&](const std::string& name, const std::string& value) {
        xml += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", attribute(name), attribute(value));
    };
    property("submission", grade.submission);
    if (!fault) {
        property("points", points_text(grade.points()));
        property("max_points", points_text(grade.max_points()));
        for (const Test* test : shown) property("points: " + test->name, points_of(*test));
        if (hidden_max > 0)
            property("points: hidden tests", fmt::format("{}/{}", points_text(hidden_points), points_text(hidden_max)));
    }
    xml += "    </properties>\n";
    if (fault) {
        xml += fmt::format("    <testcase name=\"the grader works\" classname=\"{}\" time=\"0\">\n",
                           attribute(grade.assignment));
        xml +=
            fmt::format("      <error message=\"the grader could not do its work\" type=\"grader-fault\">{}</error>\n",
                        attribute(fault_for_students));
        xml += "    </testcase>\n";
    }
    for (const Test* test : shown) {
        if (fault) break;
        const bool is_public = test->visibility == Visibility::visible;
        xml += fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"0\"", attribute(test->name),
                           attribute(test->task.empty() ? grade.assignment : grade.assignment + "." + test->task));
        if (test->status == Test::Status::passed)
            xml += "/>\n";
        else if (test->status == Test::Status::skipped)
            xml += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                               attribute(reason_to_skip(grade, *test)));
        else
            xml += fmt::format(">\n      <failure message=\"{}\" type=\"check\">{}</failure>\n    </testcase>\n",
                               attribute(is_public ? test->reason : "this test is hidden"),
                               attribute(public_explanation(*test)));
    }
    return xml + "    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n";
}

}  // namespace cudash::grade
