#include "repl/shell/cell_complete.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cudash::shell;
using State = CellExtent::State;

namespace {

State state(std::string_view text) {
    return first_cell(text).state;
}

}  // namespace

TEST_CASE("cell: text that is complete as it stands") {
    for (const std::string text : {"1 + 2",
                                   "x",
                                   "int x = 5;",
                                   "int a = 1; int b = 2;",
                                   "#include <cstdio>",
                                   "#define N 4",
                                   "f(3)",
                                   "f(x, y);",
                                   "k<<<1, 32>>>(p)",
                                   "k<<<grid, block, 0, stream>>>(p, n);",
                                   "std::vector<int>{1, 2, 3}",
                                   "int(2.5)",
                                   "double{1}",
                                   "std::max<unsigned int>(1, 2)",
                                   "a * f(x)",
                                   "a < b",
                                   "i++",
                                   "::f()",
                                   "return 3;",
                                   "[](int x) { return x; }(3)",
                                   "for (int i = 0; i < 3; ++i) f(i);",
                                   "if (a) b = 1;",
                                   "if (a) { b(); } else { c(); }",
                                   "while (true) break;",
                                   "do { f(); } while (x);",
                                   "void f() {}",
                                   "int main() { return 0; }",
                                   "struct S { int x; };",
                                   "struct S;",
                                   "template <class T> T twice(T x) { return 2 * x; }",
                                   "namespace a { int x; }",
                                   "namespace a = b;",
                                   "extern \"C\" { int puts(const char*); }",
                                   "auto f = [](int x) { return x; };",
                                   "enum class E : int { a, b };",
                                   "typedef int number;",
                                   "using namespace std;",
                                   "using namespace std",
                                   "using X = int",
                                   "typedef int number",
                                   "int q = 5",
                                   "a[i](x)",
                                   "#pragma once",
                                   "__global__ void k(int* p) { *p = 1; }",
                                   "__launch_bounds__(256) __global__ void k(int* p) { *p = 1; }",
                                   "int a[] = {1, 2, 3};",
                                   "int b{4};",
                                   "char c = '\"';",
                                   "char c = '\\'';",
                                   "const char* s = \"a // b /* c\";",
                                   "int n = 1'000'000;",
                                   "const char* r = R\"x(a ) \" b)x\";",
                                   "float x = 1e-5f;",
                                   "int h = 0xe+1;",
                                   "S::S() : a{1}, b(2) {}",
                                   "S::~S() {}",
                                   "bool operator==(A a, B b) { return true; }",
                                   "auto f(int x) -> int { return x; }",
                                   "template <> struct X<std::vector<std::vector<int>>> { };",
                                   "struct S f() { return {}; }",
                                   "f(a)[2]",
                                   "try { f(); } catch (int e) { }",
                                   "switch (x) { case 1: break; }",
                                   "x ? y : z",
                                   "!x",
                                   "*p",
                                   "&x",
                                   "cudaMalloc(&p, 4)",
                                   "new int(3)",
                                   "sizeof(int)",
                                   "dim3(2, 2)",
                                   "__shared__ int s[4];",
                                   "({ int y = 2; y; })",
                                   "f() }",
                                   "s.template get<int>()",
                                   "inline namespace v1 { int y; }",
                                   "template <int N = (1 > 2)> void f() {}",
                                   "std::cout << 1 << std::endl"}) {
        CAPTURE(text);
        CHECK(state(text) == State::complete);
    }
}

TEST_CASE("cell: text that awaits more") {
    for (const std::string text : {"int x =",
                                   "f(1,",
                                   "a +",
                                   "a &&",
                                   "x = y ?",
                                   "std::cout <<",
                                   "obj.",
                                   "void f() {",
                                   "void f(int a)",
                                   "void f()",
                                   "__global__ void k(int* p)",
                                   "__global__ void",
                                   "__global__",
                                   "static inline float sq(float x)",
                                   "struct S",
                                   "struct S : Base",
                                   "struct S {",
                                   "struct S { int x; }",
                                   "enum E { a, b }",
                                   "namespace a",
                                   "template <typename T>",
                                   "template <typename T,",
                                   "template <typename T> class V",
                                   "template <class T> T twice(T x)",
                                   "if (a)",
                                   "if (a) b(); else",
                                   "if constexpr (N > 3)",
                                   "for (;;)",
                                   "while (x)",
                                   "do",
                                   "do { f(); }",
                                   "do f(); while",
                                   "try { f(); }  catch (int e)",
                                   "switch (x)",
                                   "#if 1",
                                   "#ifdef A\nint x;",
                                   "#if A\nvoid f(int x) {\n#else\nvoid f() {\n#endif",
                                   "/* comment",
                                   "/* a\nb",
                                   "R\"(abc",
                                   "#define A \\\n",
                                   "using namespace",
                                   "using X =",
                                   "typedef unsigned int",
                                   "extern \"C\"",
                                   "__global__ void __launch_bounds__(256)",
                                   "auto f = [](int x)",
                                   "#pragma unroll",
                                   "#pragma unroll 4",
                                   "#pragma omp parallel for",
                                   "int* f(int n)",
                                   "Foo* make(int n)",
                                   "std::vector<int> make(int n)",
                                   "S::S(int a)",
                                   "bool operator<(A a, B b)",
                                   "unsigned long long f(int x)",
                                   "extern \"C\" __global__ void k(int* p)",
                                   "__launch_bounds__(256)",
                                   "__global__ void __launch_bounds__(256) k(int* p)",
                                   "auto f(int x) -> int",
                                   "int x = (1",
                                   "int a[] = {1,",
                                   "f(\"a\" \\",
                                   "const",
                                   "int f(int a) const noexcept"}) {
        CAPTURE(text);
        CHECK(state(text) == State::incomplete);
    }
}

TEST_CASE("cell: the semicolon of the last declaration") {
    CHECK(with_semicolon("int q = 5\n") == "int q = 5;\n");
    CHECK(with_semicolon("int a[] = {1, 2} // two\n") == "int a[] = {1, 2}; // two\n");
    CHECK(with_semicolon("struct S { int x; }\n") == "struct S { int x; };\n");
    CHECK(with_semicolon("using namespace std") == "using namespace std;");
    for (const std::string text : {"x = 5", "q", "int q = 5;", "f(3)", "void f() {}", "int f(", "#define N 4\n", ""})
        CHECK(with_semicolon(text) == text);
}

TEST_CASE("cell: a try block awaits its catch") {
    CHECK(state("try { f(); }") == State::incomplete);
    CHECK(split_cells("try { f(); }\ncatch (int e) { g(); }\nx;\n").size() == 2);
}

TEST_CASE("cell: blank text and comments are no cell") {
    for (const std::string text : {"", "\n\n", "  \t\n", "// only a comment\n", "/* a\n b */\n", "\r\n"}) {
        CAPTURE(text);
        CHECK(state(text) == State::empty);
        CHECK(split_cells(text).empty());
    }
}

TEST_CASE("cell: a text is split at the ends of its cells") {
    struct Case {
        std::string text;
        std::vector<std::string> cells;
    };
    const Case cases[] = {
        {"int x = 1;\nx + 1\n\n\nx\n", {"int x = 1;\n", "x + 1\n", "x\n"}},
        {"if (a)\n  b();\nelse\n  c();\nd();\n", {"if (a)\n  b();\nelse\n  c();\n", "d();\n"}},
        {"if (a) {\n}\n\n// why\nelse if (b) {\n}\nelse {\n}\nd();\n",
         {"if (a) {\n}\n\n// why\nelse if (b) {\n}\nelse {\n}\n", "d();\n"}},
        {"void f()\n{\n}\nint x;\n", {"void f()\n{\n}\n", "int x;\n"}},
        {"f(n)\n{\n}\n", {"f(n)\n{\n}\n"}},
        {"do\n{\n x();\n}\nwhile (y);\nz();\n", {"do\n{\n x();\n}\nwhile (y);\n", "z();\n"}},
        {"std::cout << 1\n          << 2;\ny;\n", {"std::cout << 1\n          << 2;\n", "y;\n"}},
        {"a\n  + b\nc\n", {"a\n  + b\n", "c\n"}},
        {"a\n-b\n", {"a\n", "-b\n"}},
        {"struct S {\n}\n;\nint y;\n", {"struct S {\n}\n;\n", "int y;\n"}},
        {"int x = 5\nint y = 6;\nz\n", {"int x = 5\n", "int y = 6;\n", "z\n"}},
        {"#pragma unroll\nfor (;;) f();\nx\n", {"#pragma unroll\nfor (;;) f();\n", "x\n"}},
        {"__global__\nvoid k(int* p)\n{\n}\nk<<<1,1>>>(p)\ncudaDeviceSynchronize()\n",
         {"__global__\nvoid k(int* p)\n{\n}\n", "k<<<1,1>>>(p)\n", "cudaDeviceSynchronize()\n"}},
        {"#ifdef A\nint f(int x) {\n#else\nint f() {\n#endif\n return 1;\n}\nx\n",
         {"#ifdef A\nint f(int x) {\n#else\nint f() {\n#endif\n return 1;\n}\n", "x\n"}},
        {"#if 1\nint a;\n\nint b;\n#endif\nc\n", {"#if 1\nint a;\n\nint b;\n#endif\n", "c\n"}},
        {"#define F(x) \\\n  (x + \\\n   1)\nF(2)\n", {"#define F(x) \\\n  (x + \\\n   1)\n", "F(2)\n"}},
        {"#include <a>\n#include <b>\n", {"#include <a>\n", "#include <b>\n"}},
        {"#define OPEN \"/*\"\nx\n", {"#define OPEN \"/*\"\n", "x\n"}},
        {"#error don't\nx\n", {"#error don't\n", "x\n"}},
        {"auto s = R\"(\nif (\n)\";\nx\n", {"auto s = R\"(\nif (\n)\";\n", "x\n"}},
        {"template <class T>\nstruct V\n{\n  T x;\n};\nV<int> v;\n",
         {"template <class T>\nstruct V\n{\n  T x;\n};\n", "V<int> v;\n"}},
        {"// first\nint x;\n// second\nint y;\n", {"// first\nint x;\n", "// second\nint y;\n"}},
        {"int x;\r\nif (x)\r\n  y();\r\nelse\r\n  z();\r\n", {"int x;\r\n", "if (x)\r\n  y();\r\nelse\r\n  z();\r\n"}},
        {"f(\n", {"f(\n"}},
        {"x", {"x"}},
        {"obj\n  .method()\n  .other();\ny\n", {"obj\n  .method()\n  .other();\n", "y\n"}},
        {"x\n::f()\n", {"x\n", "::f()\n"}},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(split_cells(c.text) == c.cells);
    }
}

TEST_CASE("cell: line by line gives the cells of the whole text") {
    // What a terminal does with a paste: a cell is taken once it is complete and its look-ahead is there.
    const std::string text =
        "#include <cstdio>\n__global__ void k(int* p)\n{\n  if (p)\n    *p = 1;\n  else\n    return;\n}\nint* p;\n"
        "for (int i = 0; i < 3; ++i)\n  if (i)\n    f(i);\n  else\n    g(i);\np\n";
    std::vector<std::string> cells;
    std::string pending;
    std::size_t position = 0;
    while (position < text.size()) {
        const std::size_t end = text.find('\n', position) + 1;
        pending += text.substr(position, end - position);
        position = end;
        for (CellExtent extent = first_cell(pending);
             extent.state == State::complete && (extent.end < pending.size() || position == text.size());
             extent = first_cell(pending)) {
            cells.push_back(pending.substr(extent.begin, extent.end - extent.begin));
            pending.erase(0, extent.end);
        }
    }
    CHECK(cells == split_cells(text));
    CHECK(pending.empty());
}

TEST_CASE("cell: hostile text ends, and is neither lost nor repeated") {
    std::string nested;
    for (int i = 0; i < 200'000; ++i) nested += "if (a) ";
    std::string brackets(200'000, '(');
    std::string closers(200'000, '}');
    for (const std::string& text :
         {nested, brackets, closers, std::string("\\\r"), std::string("#define A \\\rB"), std::string("\"abc\\"),
          std::string("R\"abc"), std::string("template <<<<"), std::string("0x"), std::string("'"), std::string("#"),
          std::string("#else\n#endif\n)"), std::string("operator"), std::string("> (a) {"), std::string("< > (a)")}) {
        std::string joined;
        for (const std::string& cell : split_cells(text)) joined += cell;
        CHECK(joined == text);
    }
}
