// A class for its lecturer: how the marks lie, what each check tells, what went wrong most often, and who to look at.
#pragma once

#include <string>
#include <vector>

#include "repl/grade/grade.h"
#include "repl/grade/similarity/similarity.h"

namespace cudash::grade {

struct ClassReport {
    std::string title;
    std::vector<std::string> names;
    std::vector<Grade> grades;
    std::vector<Source> sources;
    Similarity similarity;
};

std::string report_as_text(const ClassReport& report);
/// A page that needs nothing beside it, and has no scripts.
std::string report_as_html(const ClassReport& report);

}  // namespace cudash::grade
