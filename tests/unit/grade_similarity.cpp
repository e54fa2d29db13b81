// Similar submissions: 200 of one task, of which 10 pairs are disguised copies.
#include <doctest/doctest.h>

#include <chrono>
#include <regex>
#include <set>

#include "repl/grade/similarity/similarity.h"

using namespace cudash::grade;

namespace {

/// A student who writes a solution: parts of the task in one of the usual ways, and helpers of his own.
class Author {
public:
    explicit Author(unsigned seed) : random_(seed) {}

    std::vector<std::string> functions() {
        std::vector<std::string> result = {skeleton()};
        const unsigned helpers = 2 + pick(3);
        for (unsigned k = 0; k < helpers; ++k) result.push_back(helper(k));
        return result;
    }

private:
    unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }

    /// What the task asks for, in one of a few ways: other students have it, too.
    std::string skeleton() {
        static const char* const loads[] = {
            "int i = blockIdx.x * blockDim.x + threadIdx.x;\n    float mine = i < n ? in[i] : 0.0f;\n",
            "unsigned at = threadIdx.x + blockDim.x * blockIdx.x;\n    float mine = 0;\n    if (at < n) mine = "
            "in[at];\n",
            "float mine = 0;\n    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
            "blockDim.x) mine += in[i];\n"};
        static const char* const trees[] = {
            "tile[threadIdx.x] = mine;\n    __syncthreads();\n    for (int s = blockDim.x / 2; s > 0; s >>= 1) {\n     "
            "   if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];\n        __syncthreads();\n    }\n",
            "tile[threadIdx.x] = mine;\n    __syncthreads();\n    for (int s = 1; s < blockDim.x; s *= 2) {\n        "
            "int k = 2 * s * threadIdx.x;\n        if (k < blockDim.x) tile[k] += tile[k + s];\n        "
            "__syncthreads();\n    }\n",
            "for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);\n    if (threadIdx.x % 32 "
            "== 0) tile[threadIdx.x / 32] = mine;\n    __syncthreads();\n"};
        static const char* const ends[] = {"if (threadIdx.x == 0) out[blockIdx.x] = tile[0];\n",
                                           "if (!threadIdx.x) atomicAdd(out, tile[0]);\n"};
        return std::string(
                   "__global__ void reduce(const float* in, float* out, int n) {\n    __shared__ float tile[256];\n   "
                   " ") +
               loads[pick(3)] + "    " + trees[pick(3)] + "    " + ends[pick(2)] + "}\n";
    }

    std::string term(int depth) {
        static const char* const names[] = {"a", "b", "sum", "x[k]", "x[k + 1]", "threadIdx.x", "scale", "blockDim.x"};
        static const char* const signs[] = {" + ", " - ", " * ", " / ", " % ", " & ", " ^ "};
        switch (depth > 0 ? pick(5) : 0) {
            case 1:
                return "(" + term(depth - 1) + signs[pick(7)] + term(depth - 1) + ")";
            case 2:
                return term(depth - 1) + signs[pick(7)] + term(depth - 1);
            case 3:
                return (pick(2) ? "min(" : "helper(") + term(depth - 1) + ", " + term(depth - 1) + ")";
            case 4:
                return "-" + term(depth - 1);
            default:
                return pick(4) ? names[pick(8)] : std::to_string(pick(100));
        }
    }

    std::string statement(int depth) {
        switch (pick(depth > 0 ? 7 : 3)) {
            case 0:
                return "a = " + term(2) + ";\n";
            case 1:
                return "sum += " + term(3) + ";\n";
            case 2:
                return "x[k] = " + term(2) + ";\n";
            case 3:
                return "if (" + term(1) + " < " + term(1) + ") {\n" + statement(depth - 1) + statement(depth - 1) +
                       "}\n";
            case 4:
                return "for (int k = 0; k < " + term(0) + "; ++k) {\n" + statement(depth - 1) + statement(depth - 1) +
                       "}\n";
            case 5:
                return "if (" + term(1) + " == " + term(0) + ") " + statement(0) + "else " + statement(0);
            default:
                return "__syncthreads();\n";
        }
    }

    std::string helper(unsigned index) {
        std::string text = "__device__ int helper" + std::to_string(index) +
                           "(int a, int b, int* x) {\nint sum = 0, k = a, scale = b;\n";
        const unsigned count = 4 + pick(5);
        for (unsigned i = 0; i < count; ++i) text += statement(2);
        return text + "return sum;\n}\n";
    }

    std::mt19937 random_;
};

/// The same program with other names, comments, loops and order of functions.
std::string disguised(std::vector<std::string> functions, unsigned seed) {
    std::mt19937 random(seed);
    std::shuffle(functions.begin(), functions.end(), random);
    std::string text;
    for (const std::string& each : functions) text += "/* my own idea */\n" + each;
    const std::pair<const char*, const char*> names[] = {{"sum", "total"},   {"scale", "factor"}, {"mine", "value"},
                                                         {"tile", "buffer"}, {"helper", "work"},  {"in", "source"},
                                                         {"out", "target"},  {"int", "unsigned"}};
    for (const auto& [from, to] : names)
        text = std::regex_replace(text, std::regex("\\b" + std::string(from) + "(?=\\d?\\b)"), to);
    // for (A; B; C) { ... } becomes A; while (B) { C; ... }.
    text = std::regex_replace(text, std::regex(R"(for \((unsigned \w+ = [^;]*); ([^;]*); \+\+(\w+)\) \{)"),
                              "$1;\nwhile ($2) { // loop\n$3++;");
    return std::regex_replace(text, std::regex(";\n"), ";  // step\n\n");
}

std::string joined(const std::vector<std::string>& functions) {
    std::string text;
    for (const std::string& each : functions) text += each;
    return text;
}

}  // namespace

TEST_CASE("similarity: 9 of 10 disguised pairs among 200, at most 2 false ones, in seconds") {
    std::vector<Source> sources;
    std::set<std::pair<std::size_t, std::size_t>> copies;
    for (unsigned i = 0; i < 190; ++i)
        sources.push_back({"student" + std::to_string(i), joined(Author(i + 1).functions())});
    for (unsigned i = 0; i < 10; ++i) {
        const unsigned from = i * 17;
        copies.emplace(from, sources.size());
        sources.push_back({"copy" + std::to_string(i), disguised(Author(from + 1).functions(), i)});
    }
    const auto begin = std::chrono::steady_clock::now();
    const Similarity similarity =
        find_similar(sources, {"__global__ void reduce(const float* in, float* out, int n) {}"});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::size_t found = 0, wrong = 0;
    for (const SimilarPair& pair : similarity.pairs) copies.contains({pair.first, pair.second}) ? ++found : ++wrong;
    MESSAGE(found, " found, ", wrong, " false, ", seconds, " s");
    CHECK(found >= 9);
    CHECK(wrong <= 2);
    CHECK(seconds < 10);
    const std::string page = similarity_page("<t>", sources, similarity);
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("&lt;t&gt;") != std::string::npos);
    CHECK(page.find("<mark>") != std::string::npos);
}

TEST_CASE("similarity: the starter and what many have is nobody's own; short ones are told") {
    const std::string starter = joined(Author(1).functions()), own = joined(Author(2).functions());
    const Similarity same = find_similar(
        {{"a", starter + own}, {"b", starter + own}, {"c", starter + joined(Author(3).functions())}, {"d", starter}},
        {starter});
    REQUIRE(same.pairs.size() == 1);
    CHECK(same.pairs[0].first == 0);
    CHECK(same.pairs[0].second == 1);
    CHECK(same.pairs[0].share == 1);
    CHECK(same.too_short == std::vector<std::size_t>{3});
    CHECK(find_similar({}, {}).pairs.empty());
}
