// The forms that are not JSON: for people, and JUnit XML (testmoapp/junitxml README.md).
#include <fmt/format.h>

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

std::string seconds(const Grade& grade, const FormatOptions& options) {
    return options.times ? fmt::format(" time=\"{:.3f}\"", static_cast<double>(grade.milliseconds) / 1000) : "";
}

std::string points_of(const Test& test) {
    return fmt::format("{}/{}", points_text(test.points), points_text(test.max_points));
}

}  // namespace

std::string as_text(const Grade& grade, const FormatOptions& options) {
    if (grade.is_fault())
        return fmt::format("{}: the grader could not do its work; this is no fault of the submission\n{}",
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

std::string as_junit(const Grade& grade, const FormatOptions& options) {
    int failures = 0, skipped = 0;
    for (const Test& test : grade.tests) {
        failures += test.status == Test::Status::failed;
        skipped += test.status == Test::Status::skipped;
    }
    const bool fault = grade.is_fault();
    const auto counts =
        fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"{}", fault ? 1 : grade.tests.size(),
                    fault ? 0 : failures, fault ? 1 : 0, fault ? 0 : skipped, seconds(grade, options));
    std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    xml += fmt::format("<testsuites name=\"cudash\" {}>\n", counts);
    xml += fmt::format("  <testsuite name=\"{}\" {} file=\"{}\">\n", attribute(grade.assignment), counts,
                       attribute(grade.submission));
    if (fault) {
        xml += fmt::format("    <testcase name=\"the grader works\" classname=\"{}\">\n", attribute(grade.assignment));
        xml +=
            fmt::format("      <error message=\"the grader could not do its work\" type=\"grader-fault\">{}</error>\n",
                        attribute(fault_for_students));
        xml += "    </testcase>\n  </testsuite>\n</testsuites>\n";
        return xml;
    }
    xml += "    <properties>\n";
    xml += fmt::format("      <property name=\"points\" value=\"{}\"/>\n", points_text(grade.points()));
    xml += fmt::format("      <property name=\"max_points\" value=\"{}\"/>\n", points_text(grade.max_points()));
    for (const Test& test : grade.tests)
        xml +=
            fmt::format("      <property name=\"points: {}\" value=\"{}\"/>\n", attribute(test.name), points_of(test));
    xml += "    </properties>\n";
    for (const Test& test : grade.tests) {
        const bool is_public = test.visibility == Visibility::visible;
        xml += fmt::format("    <testcase name=\"{}\" classname=\"{}\"", attribute(test.name),
                           attribute(test.task.empty() ? grade.assignment : grade.assignment + "." + test.task));
        if (test.status == Test::Status::passed) {
            xml += "/>\n";
        } else if (test.status == Test::Status::skipped) {
            xml += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", attribute(test.reason));
        } else {
            xml += fmt::format(">\n      <failure message=\"{}\" type=\"check\">{}</failure>\n    </testcase>\n",
                               attribute(is_public ? test.reason : "this test is hidden"),
                               attribute(public_explanation(test)));
        }
    }
    return xml + "  </testsuite>\n</testsuites>\n";
}

}  // namespace cudash::grade
