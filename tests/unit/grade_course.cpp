// Courses: rosters, moments, what lateness costs, keys, parameters, marks by people, several files.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "repl/grade/audit.h"
#include "repl/grade/constructs.h"
#include "repl/grade/course/course_key.h"
#include "repl/grade/course/csv.h"
#include "repl/grade/course/parameters.h"
#include "repl/grade/course/standing.h"
#include "repl/grade/course/time.h"
#include "repl/grade/human_marks.h"
#include "repl/grade/mutants.h"
#include "repl/grade/scratch_folder.h"
#include "repl/grade/several_files.h"
#include "repl/grade/tokens.h"
#include "repl/grade/verify_warnings.h"

using namespace cudash;
using namespace cudash::grade;

namespace {

/// "LINE: MESSAGE" of each problem with a roster.
std::vector<std::string> roster_problems(std::string_view text) {
    std::vector<Diagnostic> problems;
    parse_roster(text, "students.csv", problems);
    std::vector<std::string> lines;
    for (const Diagnostic& problem : problems)
        lines.push_back(fmt::format("{}: {}", problem.where.line, problem.message));
    return lines;
}

Grade graded(double points, double most = 10) {
    Grade grade;
    grade.tests.push_back({"all", Test::Status::failed, points, most, {}, {}, {}, {}, {}, {}, {}, {}});
    return grade;
}

}  // namespace

TEST_CASE("csv: quotes, other separators, line ends in quotes") {
    const auto rows = read_csv("\xef\xbb\xbfid;name\r\n7;\"Curie; \"\"M\"\"\nMarie\"\r\n\r\n8;x", "f");
    REQUIRE(rows);
    REQUIRE(rows->size() == 3);
    CHECK((*rows)[1].fields == std::vector<std::string>{"7", "Curie; \"M\"\nMarie"});
    CHECK((*rows)[2].line == 5);
    CHECK_FALSE(read_csv("id\n\"open", "f"));
}

TEST_CASE("roster: doubles, encodings and missing columns are told with their lines") {
    std::vector<Diagnostic> problems;
    const auto students = parse_roster("Name, ID ,extension hours\nAda,17,\nBob,18,\"1,5\"\n", "f", problems);
    REQUIRE(problems.empty());
    REQUIRE(students.size() == 2);
    CHECK(students[1].id == "18");
    CHECK(students[1].extension_hours == 1.5);
    using Lines = std::vector<std::string>;
    CHECK(roster_problems("id\n1\n2\n1\n") == Lines{"4: the id 1 stands in line 2 already"});
    CHECK(roster_problems("number,name\n1,a\n") == Lines{"1: the roster has no column `id`"});
    CHECK(roster_problems("id,name\n1,J\xfcrgen\n") == Lines{"2: expected UTF-8, got the byte 0xFC"});
    CHECK(roster_problems("\xff\xfei\0d\0") == Lines{"1: the file is UTF-16; UTF-8 is needed"});
    CHECK(roster_problems("") == Lines{"1: the roster is empty"});
    CHECK(roster_problems("id\n") == Lines{"1: the roster has no students"});
    CHECK(roster_problems("id,id\n1,2\n") == Lines{"1: two columns are called `id`"});
    CHECK(roster_problems("id,name\n,Ada\n") == Lines{"2: this student has no `id`"});
    CHECK(roster_problems("id,extension_hours\n1,soon\n") ==
          Lines{"2: expected a number of hours in `extension_hours`, got `soon`"});
}

TEST_CASE("moments: with a zone, in the forms that file names can have") {
    CHECK(parse_moment("1970-01-02T00:00:01Z") == 86401);
    CHECK(parse_moment("2026-11-29T23:59:00+01:00") == parse_moment("20261129T225900Z"));
    CHECK(parse_moment("2026-11-29 22:59Z") == parse_moment("20261129T2259Z"));
    for (const char* text : {"", "2026-11-29", "2026-11-29T23:59", "2026-13-01T00:00Z", "2026-02-30T00:00Z",
                             "2026-11-29T24:00Z", "2026-11-29T23:59Zx", "2026-11-29T23:59+1"})
        CHECK_FALSE(parse_moment(text));
    CHECK(moment_text(*parse_moment("2026-11-29T23:59:07+01:00")) == "2026-11-29T22:59:07Z");
}

TEST_CASE("standings: missing, late, extended, best or last of several, not on the roster") {
    Course course;
    course.has_roster = true;
    std::vector<Diagnostic> problems;
    course.roster =
        parse_roster("id,name,email,extension_hours\na,Ada,a@x,\nb,Bob,b@x,48\nc,Cy,c@x,\nd,Di,d@x,\n", "f", problems);
    course.deadline = parse_moment("2026-11-29T12:00:00Z");
    course.grace_minutes = 10;
    course.percent_a_day = 10;
    const auto at = [](const char* text) { return *parse_moment(text); };
    const std::vector<HandIn> hand_ins = {{"a@20261129T115900Z.cu", at("2026-11-29T11:59:00Z"), graded(8)},
                                          {"a@20261130T130000Z.cu", at("2026-11-30T13:00:00Z"), graded(9)},
                                          {"b.cu", at("2026-12-01T11:00:00Z"), graded(10)},
                                          {"c", at("2026-11-29T12:09:00Z"), graded(5)},
                                          {"x.cu", at("2026-11-29T11:00:00Z"), graded(3)}};
    CHECK(student_of("a@20261129T115900Z.cu") == "a");
    CHECK(moment_of("a@20261129T115900Z.cu") == at("2026-11-29T11:59:00Z"));
    CHECK_FALSE(moment_of("a.cu"));
    std::vector<Standing> all = standings(course, hand_ins);
    REQUIRE(all.size() == 5);
    // The last of two: 25 hours late are two days that have begun.
    CHECK(all[0].points == doctest::Approx(7.2));
    CHECK(all[0].hand_ins == 2);
    CHECK(all[1].points == 10);  // within the extension
    CHECK(all[2].points == 5);   // within the grace
    CHECK(all[3].entry.empty());
    CHECK_FALSE(all[4].is_on_roster);
    course.keeps_best = true;
    CHECK(standings(course, hand_ins)[0].points == 8);
    course.keeps_best = false;
    course.most_days_late = 1;
    CHECK(standings(course, hand_ins)[0].points == 0);
    CHECK(as_canvas_csv(all, "Task 1") ==
          "Student,ID,SIS User ID,SIS Login ID,Section,Task 1\n    Points "
          "Possible,,,,,10\nAda,,a,,,7.2\nBob,,b,,,10\nCy,,c,,,5\nDi,,d,,,0\n");
    CHECK(as_moodle_csv(all, "Task 1") ==
          "ID number,Email address,Task 1,Feedback\na,a@x,7.2,\"9 points, 20% less for 2 days "
          "late\"\nb,b@x,10,\nc,c@x,5,\n"
          "d,d@x,0,nothing was handed in\n");
    const std::string table = as_course_csv(all, true);
    CHECK(table.find("d,Di,,0,,0,,0,0,10,missing\n") != std::string::npos);
    CHECK(table.find(",not on the roster\n") != std::string::npos);
}

TEST_CASE("course keys: secret, never overwritten, and two students have nothing in common") {
    const ScratchFolder folder;
    const std::string path = folder.path() + "/course.key";
    const auto made = CourseKey::make(path);
    REQUIRE(made);
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    const auto read = CourseKey::read(path);
    REQUIRE(read);
    CHECK(read->id() == made->id());
    CHECK_FALSE(CourseKey::make(path));
    const Key assignment{1, 2};
    CHECK(text_of(read->seed_of(assignment, "a")) == text_of(made->seed_of(assignment, "a")));
    std::set<std::string> seeds;
    for (int i = 0; i < 1000; ++i) seeds.insert(text_of(read->seed_of(assignment, std::to_string(i))));
    CHECK(seeds.size() == 1000);
    CHECK(text_of(read->seed_of({1, 3}, "1")) != text_of(read->seed_of(assignment, "1")));
    chmod(path.c_str(), 0640);
    CHECK(CourseKey::read(path).error().hint == "chmod 600 " + path);
    chmod(path.c_str(), 0600);
    std::ofstream(path) << "# a comment\n1234\n";
    CHECK(CourseKey::read(path).error().message.find("64 hexadecimal digits") != std::string::npos);
    CHECK(CourseKey::read(folder.path() + "/lost").error().message.find("No such file") != std::string::npos);
}

TEST_CASE("parameters: one of the values for each student, in the text") {
    std::vector<Diagnostic> problems;
    const auto parameters = parse_parameters(
        "p.toml", "radius = [1, 2, 3]\nn = { from = 10, to = 20, step = 5 }\nword = ['a', 'b']\n", problems);
    REQUIRE(problems.empty());
    std::set<std::string> radii, sizes;
    for (std::uint64_t i = 0; i < 100; ++i) {
        const ParameterValues values = values_of(parameters, {i, i});
        radii.insert(values.at("radius"));
        sizes.insert(values.at("n"));
    }
    CHECK(radii == std::set<std::string>{"1", "2", "3"});
    CHECK(sizes == std::set<std::string>{"10", "15", "20"});
    const ParameterValues values = {{"n", "7"}};
    CHECK(filled_in("a {{n}}{ {{1}} {{}} {n}", values, "t", problems) == "a 7{ {{1}} {{}} {n}");
    CHECK(problems.empty());
    filled_in("\n{{m}}", values, "t", problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where.line == 2);
    for (const char* text :
         {"n = 3", "n = []", "n = { from = 2, to = 1 }", "n = [[1]]", "", "n = { from = 1, to = 2, steps = 1 }"}) {
        problems.clear();
        parse_parameters("p.toml", text, problems);
        CHECK_FALSE(problems.empty());
    }
}

TEST_CASE("marks by people: parts of a rubric, overrides with reasons, mistakes") {
    Checks checks;
    checks.rubric = {{"style", "", 4}};
    Check check;
    check.name = "all";
    checks.checks.push_back(check);
    const auto parse = [&](const char* text, std::vector<Diagnostic>& problems) {
        return parse_human_marks("marks.toml", text, checks, {"anna.cu", "bert.cu"}, problems);
    };
    std::vector<Diagnostic> problems;
    const HumanMarks marks = parse(
        "[[mark]]\nsubmission = 'anna.cu'\npart = 'style'\npoints = 3\ncomment = 'Clear.'\nby = 'M. C.'\n"
        "[[override]]\nsubmission = 'bert.cu'\npoints = 9\nreason = 'ill'\nby = 'M. C.'\n"
        "[[override]]\nsubmission = 'bert.cu'\ntest = 'all'\npoints = 2\nreason = 'wrong sheet'\nby = 'M. C.'\n",
        problems);
    REQUIRE(problems.empty());
    const Grade anna = marks.apply(graded(6), "anna.cu", checks.rubric),
                bert = marks.apply(graded(6), "bert.cu", checks.rubric);
    CHECK(anna.points() == 9);
    CHECK(anna.max_points() == 14);
    CHECK(anna.tests[1].reason == "Clear. (M. C.)");
    CHECK(bert.tests[0].points == 2);
    CHECK(bert.points() == 9);
    CHECK(difference_of(known_mark(graded(6)), known_mark(graded(6))).empty());
    CHECK(difference_of(known_mark(graded(6)), known_mark(anna)) == "6 of 10 -> 9 of 14: \"style\" nothing -> 3");
    for (const char* text : {"[[mark]]\nsubmission = 'ann.cu'\npart = 'style'\npoints = 1\nby = 'x'\n",
                             "[[mark]]\nsubmission = 'anna.cu'\npart = 'styl'\npoints = 1\nby = 'x'\n",
                             "[[mark]]\nsubmission = 'anna.cu'\npart = 'style'\npoints = 5\nby = 'x'\n",
                             "[[override]]\nsubmission = 'anna.cu'\npoints = 5\nby = 'x'\n", "[[overide]]\n", "x"}) {
        problems.clear();
        parse(text, problems);
        CAPTURE(text);
        CHECK_FALSE(problems.empty());
    }
}

TEST_CASE("several files: headers in their places, once, and what is missing is told") {
    const auto text = joined_sources({{"a.cu", "#include \"lib/h.cuh\"\n#include <x>\nint a;\n"},
                                      {"b.cu", "# include \"h.cuh\"\nint b;"},
                                      {"lib/h.cuh", "#pragma once\nint h;\n"}});
    REQUIRE(text);
    CHECK(*text == "// a.cu\n// lib/h.cuh\n\nint h;\n#include <x>\nint a;\n// b.cu\nint b;\n");
    CHECK(joined_sources({{"a.cu", "#include \"no.h\"\n"}}).error().message ==
          "a.cu includes \"no.h\", which is not among the files.");
}

TEST_CASE("tokens: comments are none, literals are whole, lines count") {
    std::string all;
    for (const Token& token : tokens_of("a/*x\n*/b // c\n\"s\\\"//\" 1.5e-3f R\"(\n)\" <<< 'x' #include <t/h>\n$"))
        all += fmt::format("{}@{} ", token.text, token.line);
    CHECK(all == "a@1 b@2 \"s\\\"//\"@3 1.5e-3f@3 R\"(\n)\"@3 <<<@4 'x'@4 t/h@4 $@5 ");
    CHECK(kernel_names("__global__ void k(int) {}\n__global__ void f();") == std::vector<std::string>{"k"});
    CHECK(with_idle_kernels("__global__ void k(int) { f(); }", {}) == "__global__ void k(int) { return;  f(); }");
    // By the syntax tree, where the word is behind a macro.
    const session::CodeUses uses{{{"kernel", "k", 1, 6}}, true};
    CHECK(with_idle_kernels("K k(){ f(); }", uses) == "K k(){ return;  f(); }");
    CHECK(declared("struct S { int n; };\n__global__ void k(S s) { if (s.n) {} }\nint x;") ==
          "struct S { int n; };\n__global__ void k(S s) ;\nint x;");
}

TEST_CASE("weak checks: a guard that guards nothing, and a ratio that can be diluted") {
    std::vector<Diagnostic> problems;
    const Checks checks = parse_assignment(
        "a.toml",
        "title = 't'\nkind = 'device'\nkernels = 'x'\n[[check]]\nname = 'a'\ncell = 'x'\npoints = 0\n"
        "[[check]]\nname = 'b'\nkernel = 'k'\nat_most = 4\npoints = 2\n"
        "metric = 'l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio'\n"
        "[[check]]\nname = 'c'\ncell = 'x'\npoints = 0\n[[check]]\nname = 'd'\ncell = 'x'\nneeds = ['a', 'c']\n",
        problems);
    CHECK(problems.empty());
    const auto warnings = warnings_about(checks);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].message.find("is a ratio") != std::string::npos);
    Checks guards = checks;
    guards.checks.back().needs = {"a"};
    CHECK(warnings_about(guards).size() == 2);
}
