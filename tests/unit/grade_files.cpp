// What the grader reads and writes on its own side.
#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "repl/grade/assignment.h"
#include "repl/grade/checks.h"
#include "repl/grade/class_run.h"
#include "repl/grade/clean_text.h"
#include "repl/grade/mutants.h"
#include "repl/grade/names.h"
#include "repl/grade/record.h"
#include "repl/grade/results/summary.h"
#include "repl/grade/scratch_folder.h"
#include "repl/grade/submissions.h"
#include "repl/grade/verify_assignment.h"
#include "repl/session/device/device_text.h"
#include "repl/shell/write_file.h"

using namespace cudash;
using namespace cudash::grade;
namespace fs = std::filesystem;

namespace {

/// What is wrong with an assignment of this check.
std::vector<Diagnostic> problems_of(const std::string& check,
                                    const std::string& head = "kind = \"device\"\nkernels = \"x\"\n") {
    std::vector<Diagnostic> problems;
    parse_assignment("a.toml", "title = \"t\"\n" + head + "[[check]]\nname = \"a\"\n" + check, problems);
    return problems;
}

bool told(const std::vector<Diagnostic>& problems, std::string_view text) {
    for (const Diagnostic& problem : problems)
        if (problem.message.find(text) != std::string::npos) return true;
    return false;
}

std::string rest_of(const std::string& text) {
    const auto main = session::find_main(text);
    return text.substr(0, main.begin) + text.substr(main.end);
}

}  // namespace

TEST_CASE("assignment: keys of checks, inputs and results") {
    std::vector<Diagnostic> problems;
    const Checks checks = parse_assignment("a.toml", R"(title = "t"
kind = "device"
kernels = "k"
seed = "000102030405060708090a0b0c0d0e0f"
memory = 300
[[check]]
name = "a"
cell = "run();"
visibility = "hidden"
partial = true
runs = 3
[[check.input]]
name = "in"
type = "float"
count = 8
random = [-1, 1]
[[check.result]]
name = "out"
type = "double"
values = [1, 2.5]
)",
                                           problems);
    CHECK(problems.empty());
    CHECK(checks.kind == SubmissionKind::device);
    CHECK(checks.memory_bytes == 300u << 20);
    REQUIRE(checks.checks.size() == 1);
    const Check& check = checks.checks.front();
    CHECK(check.visibility == Visibility::hidden);
    CHECK(check.runs == 3);
    REQUIRE(check.inputs.size() == 1);
    CHECK(check.inputs[0].make(checks.seed, "a", 0) != check.inputs[0].make(checks.seed, "a", 1));
    CHECK(check.inputs[0].make(checks.seed, "a", 0).size() == 32);
    REQUIRE(check.results.size() == 1);
    CHECK(check.results[0].count == 2);
    CHECK(check.results[0].tolerance.relative == doctest::Approx(1e-10));
}

TEST_CASE("assignment: what is wrong is told") {
    CHECK(problems_of("cell = \"x\"").empty());
    CHECK(told(problems_of("cell = \"x\"", "kind = \"device\"\n"), "kernels"));
    CHECK(told(problems_of("cell = \"x\"", "kind = \"else\"\n"), "no kind else"));
    CHECK(told(problems_of("cell = \"x\"\nvisibility = \"never\""), "no visibility"));
    CHECK(told(problems_of("cell = \"x\"\n[[check.input]]\nname = \"i\"\ntype = \"int\"\ncount = 3"), "one of"));
    CHECK(told(problems_of("cell = \"x\"\n[[check.input]]\nname = \"i\"\ntype = \"word\"\nvalues = [1]"),
               "no type word"));
    CHECK(told(problems_of("cell = \"x\"\n[[check.result]]\nname = \"i\"\ntype = \"int\"\ncount = 1e12"),
               "whole number"));
    CHECK(told(problems_of("run = [{}]"), "no main"));
    CHECK(told(problems_of("findings = []\n[[check.result]]\nname = \"o\"\ntype = \"int\"\ncount = 1"),
               "need the `cell`"));
}

TEST_CASE("assignment: numbers that are none of the type's are refused where they stand") {
    const auto input = [](const std::string& keys) {
        return problems_of("cell = \"x\"\n[[check.input]]\nname = \"i\"\n" + keys);
    };
    CHECK(told(input("type = \"char\"\nvalues = [1, 128]"), "`values`: 128 is out of the range of char"));
    CHECK(told(input("type = \"unsigned\"\nvalues = [-1]"), "-1 is out of the range of unsigned"));
    CHECK(told(input("type = \"int\"\nvalues = [1.5]"), "1.5 is not a whole number"));
    CHECK(told(input("type = \"int\"\nvalues = [nan]"), "nan is not a whole number"));
    CHECK(told(input("type = \"long long\"\nvalues = [9223372036854775807]"), "more digits"));
    CHECK(told(input("type = \"long long\"\nvalues = [9007199254740993]"), "more digits"));
    CHECK(told(input("type = \"float\"\nvalues = [1e39]"), "1e+39 is too big for float"));
    CHECK(told(input("type = \"half\"\nvalues = [65520]"), "65520 is too big for half"));
    CHECK(told(input("type = \"short\"\ncount = 3\nrandom = [0, 40000]"), "`random`: 40000"));
    CHECK(told(input("type = \"float\"\ncount = 3\nrandom = [0, inf]"), "finite"));
    CHECK(told(input("type = \"short\"\ncount = 40000\ncounted = [0, 1]"), "its last number: 39999"));
    CHECK(told(input("type = \"int\"\ncount = 3\nvalues = [1]"), "`count` is 3, and 1 elements are given"));
    CHECK(input("type = \"half\"\nvalues = [65504, inf]").empty());
    CHECK(input("type = \"char\"\nvalues = [-128, 127]").empty());
    const auto problems = input("type = \"char\"\nvalues = [300]");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].where.line == 10);
    CHECK(problems[0].code == "bad-assignment");
}

TEST_CASE("assignment: data in files beside it") {
    const ScratchFolder folder;
    const auto put = [&](const char* name, std::string_view text) {
        std::ofstream(fs::path(folder.path()) / name) << text;
    };
    put("m.csv", "1,2,3\n4,5,6\n");
    put("bad.csv", "1,2\nx\n");
    put("fraction.csv", "1\n2.5\n");
    put("m.txt", "1");
    const auto parse = [&](const std::string& keys, std::vector<Diagnostic>& problems) {
        return parse_assignment(folder.path() + "/assignment.toml",
                                "title = \"t\"\nkind = \"device\"\nkernels = \"x\"\n[[check]]\nname = \"a\"\ncell = "
                                "\"x\"\n[[check.result]]\nname = \"o\"\n" +
                                    keys,
                                problems);
    };
    std::vector<Diagnostic> problems;
    const Checks checks = parse("type = \"int\"\nfile = \"m.csv\"", problems);
    REQUIRE(problems.empty());
    const ResultDemand& result = checks.checks[0].results[0];
    CHECK(result.count == 6);
    CHECK(result.columns == 3);
    CHECK(result.values == listed_values(*find_type("int"), std::vector<double>{1, 2, 3, 4, 5, 6}));
    const auto told_of = [&](const std::string& keys, std::string_view text) {
        std::vector<Diagnostic> found;
        parse(keys, found);
        return found.size() == 1 && found[0].where.line == 10 && told(found, text);
    };
    CHECK(told_of("type = \"int\"\nfile = \"nosuch.csv\"\ncount = 1", "nosuch.csv: it can't be read: No such file"));
    CHECK(told_of("type = \"int\"\nfile = \"bad.csv\"\ncount = 1", "line 2 holds something that is not a number"));
    CHECK(told_of("type = \"int\"\nfile = \"fraction.csv\"\ncount = 1", "element 1: 2.5 is not a whole number"));
    CHECK(told_of("type = \"int\"\nfile = \"m.txt\"\ncount = 1", "what kind of file"));
    CHECK(told_of("type = \"int\"\nfile = \"../m.csv\"\ncount = 1", "in the assignment's folder"));
    CHECK(told_of("type = \"int\"\nfile = \"/m.csv\"\ncount = 1", "in the assignment's folder"));
}

TEST_CASE("fingerprints: of what was read, whatever becomes of the files; all of them count") {
    const ScratchFolder folder;
    const auto put = [&](const char* name, const std::string& text) {
        std::ofstream(fs::path(folder.path()) / name) << text;
    };
    const std::string toml =
        "title = 't'\nkind = 'device'\nkernels = 'x'\n[[check]]\nname = 'a'\ncell = 'x'\n[[check.result]]\n"
        "name = 'o'\ntype = 'int'\nfile = 'o.csv'\n";
    put("assignment.toml", toml);
    put("solution.cu", "s");
    put("harness.cu", "h");
    put("o.csv", "1,2");
    const auto load = [&] {
        std::vector<Diagnostic> problems;
        Assignment assignment = load_assignment(folder.path(), problems);
        CHECK(problems.empty());
        return Grader(std::move(assignment), {});
    };
    const Submission submission{"a.cu", "int x;"};
    const Grader first = load();
    const std::string before = first.fingerprint(submission);
    CHECK(before == load().fingerprint(submission));
    CHECK(before != first.fingerprint({"b.cu", "int x;"}));
    CHECK(before != first.fingerprint({"a.cu", "int y;"}));
    const std::pair<const char*, std::string> edits[] = {
        {"assignment.toml", toml + "# a comment"}, {"solution.cu", "t"}, {"harness.cu", "i"}, {"o.csv", "1,3"}};
    std::string last = before;
    for (const auto& [name, text] : edits) {
        put(name, text);
        CAPTURE(name);
        CHECK(first.fingerprint(submission) == before);
        const std::string now = load().fingerprint(submission);
        CHECK(now != last);
        last = now;
    }
}

TEST_CASE("assignment: a whole program's process gives no points for what it alone can tell") {
    const std::string program = "kind = \"program\"\n";
    const std::string run = "run = [{}]\n";
    CHECK(told(problems_of(run + "findings = []", program), "can be forged"));
    CHECK(problems_of(run + "points = 0\nfindings = []", program).empty());
    CHECK(problems_of(run + "findings = []", program + "trusted = true\n").empty());
    CHECK(told(problems_of("findings = []", program + "trusted = true\n"), "main has not run"));
    CHECK(problems_of("run = [{ arguments = [\"1\"] }]\nas_solution = true", program).empty());
}

TEST_CASE("device text: main and host headers go, lines stay") {
    CHECK(rest_of("int a;\nint main() { if (1) { } }\nint b;") == "int a;\n\nint b;");
    CHECK(rest_of("int main(int argc,\n char** argv)\n{ return '}'; } int b;") == " int b;");
    CHECK(rest_of("struct main_t { int main; }; // main() {}\nint domain() {}") ==
          "struct main_t { int main; }; // main() {}\nint domain() {}");
    CHECK(rest_of("int main();") == "int main();");
    CHECK(rest_of("int main() { \"unclosed") == "");
    const auto text =
        session::device_text("a.cu", "#include <vector>\n  # include \"x.h\"\nint main() {\n}\nint k;\n", {});
    CHECK(text.text ==
          std::string(17, ' ') + "\n" + std::string(17, ' ') + "\n" + std::string(12, ' ') + "\n \nint k;\n");
    CHECK(text.words == std::vector<std::string>{"int", "k", "main"});
}

TEST_CASE("records: a grade comes back as it was; what is none is told") {
    Grade grade;
    grade.assignment = "a";
    grade.submission = "b.cu";
    grade.reply = "r\n\"";
    grade.milliseconds = 12;
    grade.tests.push_back({"t", Test::Status::failed, 0.5, 2, Visibility::hidden, {"n"}, "1", "2", "3", "4", "5", "6"});
    grade.tests.back().code = "run();";
    grade.tests.back().leaderboard = "sectors";
    grade.tests.back().measured = 4;
    const auto back = from_record(to_record(grade, "f"));
    REQUIRE(back);
    CHECK(back->fingerprint == "f");
    CHECK(as_json(back->grade, {true}) == as_json(grade, {true}));
    const std::string text = to_record(grade, "f");
    for (std::size_t size = 0; size + 2 < text.size(); size += 7) CHECK_FALSE(from_record(text.substr(0, size)));
    CHECK_FALSE(from_record("{}"));
}

TEST_CASE("shards: each submission is in one of them, in the order of all") {
    for (const std::size_t all : {0, 1, 7, 600})
        for (const unsigned count : {1u, 3u, 8u, 700u}) {
            std::size_t next = 0;
            for (unsigned k = 1; k <= count; ++k) {
                const auto [first, last] = Shard{k, count}.range(all);
                CHECK(first == next);
                CHECK(last - first <= (all + count - 1) / count);
                next = last;
            }
            CHECK(next == all);
        }
    CHECK(parse_shard("2/8")->index == 2);
    for (const char* text : {"", "1", "1/", "/2", "0/2", "3/2", "1/2x", "-1/2", "1/100001"})
        CHECK_FALSE(parse_shard(text));
}

TEST_CASE("clean text: UTF-8 without control characters, and not without end") {
    CHECK(clean_text("a\tb\n\xc3\xa9") == "a\tb\n\xc3\xa9");
    CHECK(clean_text("\x1b[31m\xff\xed\xa0\x80") ==
          "\xef\xbf\xbd[31m" + std::string("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
    CHECK(clean_text(std::string(100000, 'x')).size() < 20000);
    CHECK(clean_text("in " + scratch_prefix() + "a1B2c3/x.cu") == "in ./x.cu");
    CHECK(clean_text("under " + scratch_prefix() + "...: No space left") ==
          "under " + scratch_prefix() + "...: No space left");
    CHECK(clean_text("\xef\xbf\xbf") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("expectations: what a stored submission says of itself") {
    const Expectation expected = read_expectation(
        "// POINTS: 2.5\n// FAILS: a: b\n// FAILS: c\n// REPLY: r\n// SAYS: s\nint x; // POINTS: 3\n", "x.cu");
    CHECK(expected.points == 2.5);
    CHECK(expected.failed == std::vector<std::string>{"a: b", "c"});
    CHECK(expected.reply == "r");
    CHECK(expected.reason == "s");
    CHECK(expected.problem.empty());
    CHECK_FALSE(read_expectation("// POINTS: many\n", "x.cu").problem.empty());
    CHECK_FALSE(read_expectation("int x;\n", "x.cu").points);
    CHECK(read_expectation("// POINTS: 0\n// SAY: s\n", "x.cu").problem ==
          "x.cu:2: error[bad-submission]: `SAY` says nothing of a submission\n  hint: did you mean `SAYS`?\n");
    CHECK(read_expectation("// POINTS: 0\n// Note: as in the book\n", "x.cu").problem.empty());
}

TEST_CASE("files: written whole or not at all") {
    const ScratchFolder folder;
    const std::string path = folder.path() + "/f";
    CHECK(shell::write_file(path, "one").empty());
    CHECK(shell::write_file(path, "two").empty());
    std::ifstream file(path);
    std::string text;
    file >> text;
    CHECK(text == "two");
    CHECK_FALSE(shell::write_file(folder.path() + "/no/f", "x").empty());
    std::ofstream(path + ".aB3dE6.part") << "half";
    std::ofstream(folder.path() + "/my.part") << "a file of the user's own";
    shell::remove_unfinished_files(folder.path());
    shell::remove_unfinished_files(folder.path() + "/no");
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder.path())) left.push_back(entry.path().filename());
    std::ranges::sort(left);
    CHECK(left == std::vector<std::string>{"f", "my.part"});
}

TEST_CASE("submissions: one row for each entry of the folder, whatever it is") {
    const ScratchFolder folder;
    const fs::path root = folder.path();
    for (const char* name :
         {"zoe", "a", "empty", "two", "nested/deep", "linked", ".git", "noted", ".ipynb_checkpoints"})
        fs::create_directories(root / name);
    for (const char* name :
         {"b.cu", "a.cu", "A.CU", "c.txt", "zoe/any.cu", "a/x.cu", "a-2.cu", "two/1.cu", "two/2.cu", "nested/deep/x.cu",
          ".git/config", ".hidden.cu", "noted/n.ipynb", "d.ipynb", ".ipynb_checkpoints/d-checkpoint.ipynb"})
        std::ofstream(root / name) << "x";
    fs::create_symlink("../b.cu", root / "linked" / "x.cu");
    fs::create_symlink("b.cu", root / "link.cu");
    fs::create_symlink(".", root / "loop");
    REQUIRE(mkfifo((root / "pipe.cu").c_str(), 0600) == 0);
    std::string why;
    const auto entries = find_submissions(folder.path(), why);
    REQUIRE(entries);
    std::vector<std::string> lines;
    for (const Entry& entry : *entries)
        lines.push_back(entry.name + " " + (entry.refusal.empty() ? entry.path : entry.refusal.substr(0, 34)));
    CHECK(lines == std::vector<std::string>{
                       ".hidden.cu .hidden.cu", "A.CU A.CU", "a a/x.cu", "a-2.cu a-2.cu", "a.cu a.cu", "b.cu b.cu",
                       "c.txt The submission's name ends neither", "d.ipynb d.ipynb",
                       "empty The folder holds no .cu file and n",
                       "link.cu The submission is a symbolic link:", "linked The folder holds a symbolic link, ",
                       "loop The submission is a symbolic link:", "nested nested/deep/x.cu", "noted noted/n.ipynb",
                       "pipe.cu The submission is not an ordinary ", "two The folder holds 2 .cu files (1.cu",
                       "zoe zoe/any.cu"});
    CHECK_FALSE(find_submissions(folder.path() + "/nosuch", why));
    CHECK(why == "No such file or directory");
}

TEST_CASE("submissions: only plain files are read, and through no link") {
    const ScratchFolder folder;
    const fs::path root = folder.path();
    fs::create_directories(root / "in");
    std::ofstream(root / "in" / "a.cu") << "\xef\xbb\xbfint x;";
    fs::create_symlink("in", root / "other");
    fs::create_symlink("a.cu", root / "in" / "b.cu");
    REQUIRE(mkfifo((root / "pipe.cu").c_str(), 0600) == 0);
    CHECK(read_submission(folder.path(), "in/a.cu").text == "int x;");
    CHECK_FALSE(read_submission(folder.path(), "other/a.cu").refusal.empty());
    CHECK_FALSE(read_submission(folder.path(), "in/b.cu").refusal.empty());
    CHECK_FALSE(read_submission(folder.path(), "pipe.cu").refusal.empty());
    CHECK_FALSE(read_submission(folder.path(), "in").refusal.empty());
    CHECK(read_submission(folder.path(), "nosuch.cu").failure == "No such file or directory");
}

TEST_CASE("names: what a terminal or a table would take for something else is written in digits") {
    CHECK(shown_name("Anna Sm\xc3\xa9th.cu") == "Anna Sm\xc3\xa9th.cu");
    CHECK(shown_name("a\x1b[31m\n\x7f%") == "a%1B[31m%0A%7F%25");
    CHECK(shown_name("\xff\xc3") == "%FF%C3");
    CHECK(shown_name("\xef\xbf\xbf\xe2\x80\xae\xc2\x85") == "%EF%BF%BF%E2%80%AE%C2%85");
    CHECK(file_name("a/b") == "a%2Fb");
    CHECK(file_name("..") == "%2E.");
    const std::string one = file_name(std::string(255, 'x')), other = file_name(std::string(254, 'x') + "y");
    CHECK(one.size() <= 200);
    CHECK(one != other);
    CHECK(source_name("reverse.cu") == "reverse.cu");
    for (const char* name : {"a b.cu", "a\".cu", "a\n.cu", "-x.cu", ".cu", "", "\xc3\xa9.cu"})
        CHECK(source_name(name) == "submission.cu");
}

TEST_CASE("keyed hash: SipHash-2-4, as its authors list it") {
    const Key key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
    std::string text;
    CHECK(keyed_hash(key, text) == 0x726fdb47dd0e0e31);
    text += '\0';
    CHECK(keyed_hash(key, text) == 0x74f839c593dc67fd);
    for (char c = 1; c < 15; ++c) text += c;
    CHECK(keyed_hash(key, text) == 0xa129ca6149be45e5);
    const auto parsed = key_of("0f0e0d0c0b0a09080706050403020100");
    REQUIRE(parsed);
    CHECK(text_of(*parsed) == "0f0e0d0c0b0a09080706050403020100");
    CHECK(text_of(derived(key, "a")) != text_of(derived(key, "b")));
    for (const char* digits : {"", "20231", "0f0e0d0c0b0a0908070605040302010", "0f0e0d0c0b0a0908070605040302010g"})
        CHECK_FALSE(key_of(digits));
}

TEST_CASE("assignment: a seed that can be guessed is refused where inputs are random") {
    const std::string head = "kind = \"device\"\nkernels = \"x\"\n";
    const std::string check = "cell = \"x\"\n[[check.input]]\nname = \"i\"\ntype = \"int\"\ncount = 3\nrandom = [0, 9]";
    CHECK(told(problems_of(check, head), "32 hexadecimal digits"));
    CHECK(told(problems_of(check, head + "seed = 20231\n"), "32 hexadecimal digits"));
    CHECK(problems_of(check, head + "seed = \"000102030405060708090a0b0c0d0e0f\"\n").empty());
}

TEST_CASE("assignment: nothing that a hidden check left can be shown by a visible one") {
    const std::string hidden = "cell = \"x\"\nvisibility = \"hidden\"\n[[check]]\nname = \"b\"\ncell = \"y\"\n";
    CHECK(told(problems_of(hidden), "runs its cell after the hidden check"));
    CHECK(problems_of(hidden + "fresh = true").empty());
}

TEST_CASE("summaries: quoted where a spreadsheet or a browser would read more into it") {
    Grade grade;
    grade.tests.push_back({"a,b", Test::Status::failed, 1, 2, {}, {}, "<script>", {}, {}, {}, {}, {}});
    Grade fault;
    fault.end = Grade::End::grader_fault;
    const std::string csv = as_csv({"=1+1", "f"}, {grade, fault});
    CHECK(csv == "submission,points,max_points,status,\"a,b\"\n'=1+1,1,2,failed,1\nf,,,grader_fault\n");
    const std::string html = as_html({"<x>", "f"}, {grade, fault});
    CHECK(html.find("<script>") == std::string::npos);
    CHECK(html.find("&lt;x&gt;") != std::string::npos);
}

TEST_CASE("mutants: each kernel with each mistake, and the text without each barrier") {
    const std::vector<grade::Mutant> mutants = grade::mutants_of(
        "__global__ void __launch_bounds__(256) twice(int* p, int n) {\n    p[n] *= 2;\n    __syncthreads();\n}\n"
        "__global__ void none(float* p);\n"
        "__global__ void set(float *p) { *p = 1; }\n");
    std::vector<std::string> names;
    for (const grade::Mutant& mutant : mutants) names.push_back(mutant.name);
    CHECK(names == std::vector<std::string>{"twice returns at once", "twice works in thread 0 of each block alone",
                                            "twice works in block 0 alone", "twice takes every size for 64",
                                            "set returns at once", "set works in thread 0 of each block alone",
                                            "set works in block 0 alone", "without the barrier in line 3"});
    CHECK(mutants[3].text.find("{ const_cast<int&>(n) = 64; \n    p[n] *= 2;") != std::string::npos);
    CHECK(mutants[4].text.find("set(float *p) { return;  *p = 1;") != std::string::npos);
    CHECK(mutants[7].text.find("__syncthreads") == std::string::npos);
    CHECK(grade::mutants_of("int main() {}\n").empty());
}
