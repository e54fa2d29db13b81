#include "repl/session/device/device_unit.h"
#include "repl/session/device/host_macros.h"
#include "repl/session/device/host_types.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

namespace cudash::session {
namespace {

using Role = Declaration::Role;

/// The range of `part` in `text`; `part` occurs in it.
TextRange range_of(std::string_view text, std::string_view part) {
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string_view::npos);
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + part.size())};
}

/// A cell whose declarations are given by their texts.
class Cell {
public:
    Cell(std::uint32_t source, std::string text) : source_(source) {
        facts.sources.push_back({"cell " + std::to_string(source + 1), std::move(text), "", true, 0, {}});
        facts.cell_source = source;
    }

    Declaration& declare(Declaration::Id id, std::string name, std::string_view part, Role role,
                         std::vector<Declaration::Id> uses = {}) {
        Declaration declaration;
        declaration.id = id;
        declaration.name = std::move(name);
        declaration.source = source_;
        declaration.range = range_of(text(), part);
        declaration.role = role;
        declaration.uses = std::move(uses);
        facts.declarations.push_back(std::move(declaration));
        return facts.declarations.back();
    }

    void include(std::string_view part, SourceText::Include::Kind kind) {
        facts.sources.back().includes.push_back({range_of(text(), part), kind});
    }

    const std::string& text() const { return facts.sources.back().text; }

    CellFacts facts;

private:
    std::uint32_t source_;
};

class Unit {
public:
    void add(Cell cell) { unit.add(std::move(cell.facts)); }

    /// The main text without the prelude and the macros.
    std::string main() const {
        std::string text = unit.text().main;
        for (const std::string_view part :
             {std::string_view("#line 1 \"cudash prelude\"\n"), host_types(), host_macros()}) {
            const std::size_t at = text.find(part);
            REQUIRE(at != std::string::npos);
            text.erase(at, part.size());
        }
        return text;
    }

    std::map<std::string, void*, std::less<>> symbols;
    DeviceUnit unit{{}, [this](std::string_view name) -> void* {
                        const auto found = symbols.find(name);
                        return found == symbols.end() ? nullptr : found->second;
                    }};
};

std::string spaces(std::size_t n) {
    return std::string(n, ' ');
}

/// A member function `part` in the text of `cell`.
Declaration::Member member(const Cell& cell, Declaration::Id id, std::string name, std::string_view part) {
    Declaration::Member result;
    result.id = id;
    result.name = std::move(name);
    result.range = range_of(cell.text(), part);
    return result;
}

}  // namespace

TEST_CASE("device unit: host declarations are blanked, lines and columns stay") {
    Cell cell(0, "int h = 1; __global__ void k() {}\nvoid f() {\n\treturn;\n} /* kept */\n__device__ int d;\n");
    cell.declare(1, "h", "int h = 1", Role::host);
    cell.declare(2, "k", "__global__ void k() {}", Role::device);
    cell.declare(3, "f", "void f() {\n\treturn;\n}", Role::host);
    cell.declare(4, "d", "__device__ int d", Role::device);
    Unit unit;
    unit.add(cell);
    CHECK(unit.main() == spaces(10) + " __global__ void k() {}\n" + spaces(10) + "\n" + spaces(8) + "\n" + spaces(1) +
                             " /* kept */\n__device__ int d;\n");
}

TEST_CASE("device unit: a cell without a last newline does not run into the next one") {
    Unit unit;
    Cell first(0, "__device__ int a;");
    first.declare(1, "a", "__device__ int a", Role::device);
    Cell second(1, "__device__ int b;");
    second.declare(2, "b", "__device__ int b", Role::device);
    unit.add(first);
    unit.add(second);
    CHECK(unit.main() == "__device__ int a;\n__device__ int b;\n");
}

TEST_CASE("device unit: a semicolon after white space and comments goes with its declaration") {
    Unit unit;
    Cell cell(0, "int a /* a */ ; int b  + 1;\n");
    cell.declare(1, "a", "int a", Role::host);
    cell.declare(2, "b", "int b", Role::host);
    unit.add(cell);
    CHECK(unit.main() == spaces(15) + " " + spaces(5) + "  + 1;\n");
}

TEST_CASE("device unit: one text of two declarations stays if one of them must") {
    Unit unit;
    Cell cell(0, "constexpr int a = 1, b = 2;\n__global__ void k() { b; }\n");
    cell.declare(1, "a", "constexpr int a = 1", Role::shared);
    cell.declare(2, "b", "constexpr int a = 1, b = 2", Role::shared);
    cell.declare(3, "k", "__global__ void k() { b; }", Role::device, {2});
    unit.add(cell);
    CHECK(unit.main() == cell.text());
}

TEST_CASE("device unit: what device code refers to is seen, and what that refers to") {
    Unit unit;
    Cell cell(0, "using A = int;\nusing B = A;\nusing C = A;\n__global__ void k(B*) {}\n");
    cell.declare(1, "A", "using A = int", Role::shared);
    cell.declare(2, "B", "using B = A", Role::shared, {1});
    cell.declare(3, "C", "using C = A", Role::shared, {1});
    cell.declare(4, "k", "__global__ void k(B*) {}", Role::device, {2});
    unit.add(cell);
    CHECK(unit.main() == "using A = int;\nusing B = A;\n" + spaces(12) + "\n__global__ void k(B*) {}\n");
}

TEST_CASE("device unit: a word refers by name, and never to host code") {
    Unit unit;
    Cell cell(0, "using A = int;\nint B;\n__global__ void k() {}\n");
    cell.declare(1, "A", "using A = int", Role::shared);
    cell.declare(2, "B", "int B", Role::host);
    cell.declare(3, "k", "__global__ void k() {}", Role::device).words = {"A", "B", "missing"};
    unit.add(cell);
    CHECK(unit.main() == "using A = int;\n" + spaces(6) + "\n__global__ void k() {}\n");
}

TEST_CASE("device unit: what a later cell refers to becomes seen") {
    Unit unit;
    Cell first(0, "using A = int;\n");
    first.declare(1, "A", "using A = int", Role::shared);
    unit.add(first);
    CHECK(unit.main() == spaces(14) + "\n");
    Cell second(1, "__device__ A a;\n");
    second.declare(2, "a", "__device__ A a", Role::device, {1});
    unit.add(second);
    CHECK(unit.main() == "using A = int;\n__device__ A a;\n");
}

TEST_CASE("device unit: a host member stays only if something seen refers to it") {
    Cell cell(0, "struct S { int a(); int b(); int c() { return 1; } };\n__device__ S s;\n");
    Declaration type = cell.declare(1, "S", "struct S { int a(); int b(); int c() { return 1; } }", Role::shared);
    type.members = {member(cell, 2, "a", "int a()"), member(cell, 3, "b", "int b()"),
                    member(cell, 4, "c", "int c() { return 1; }")};
    type.members[0].uses = {4};
    cell.facts.declarations.back() = type;
    SUBCASE("to none") {
        cell.declare(5, "s", "__device__ S s", Role::device, {1});
        Unit unit;
        unit.add(cell);
        CHECK(unit.main() == "struct S { " + spaces(8) + " " + spaces(8) + " " + spaces(21) + " };\n__device__ S s;\n");
    }
    SUBCASE("by name") {
        cell.declare(5, "s", "__device__ S s", Role::device, {1}).words = {"b"};
        Unit unit;
        unit.add(cell);
        CHECK(unit.main() == "struct S { " + spaces(8) + " int b(); " + spaces(21) + " };\n__device__ S s;\n");
    }
    SUBCASE("by id, and what the member refers to") {
        cell.declare(5, "s", "__device__ S s", Role::device, {1, 2});
        Unit unit;
        unit.add(cell);
        CHECK(unit.main() == "struct S { int a(); " + spaces(8) + " int c() { return 1; } };\n__device__ S s;\n");
    }
}

TEST_CASE("device unit: a virtual member keeps its declaration and loses its body") {
    Unit unit;
    Cell cell(0, "struct S { virtual int a() { return 1; } virtual int b(); };\n__device__ S* s;\n");
    Declaration& type =
        cell.declare(1, "S", "struct S { virtual int a() { return 1; } virtual int b(); }", Role::shared);
    type.members = {member(cell, 2, "a", "virtual int a() { return 1; }"), member(cell, 3, "b", "virtual int b()")};
    type.members[0].body = range_of(cell.text(), "{ return 1; }");
    for (auto& function : type.members) function.is_virtual = true;
    cell.declare(4, "s", "__device__ S* s", Role::device, {1});
    unit.add(cell);
    CHECK(unit.main() == "struct S { virtual int a() ;" + spaces(12) + " virtual int b(); };\n__device__ S* s;\n");
}

TEST_CASE("device unit: what follows a declaration is seen when that is") {
    Cell cell(0, "struct S { int f(); };\nint S::f() { return N; }\nenum { N };\n__global__ void k() {}\n");
    cell.declare(1, "S", "struct S { int f(); }", Role::shared);
    cell.declare(2, "f", "int S::f() { return N; }", Role::shared, {3}).follows = {1};
    cell.declare(3, "N", "enum { N }", Role::shared);
    Unit unit;
    SUBCASE("seen") {
        cell.declare(4, "k", "__global__ void k() {}", Role::device, {1});
        unit.add(cell);
        CHECK(unit.main() == cell.text());
    }
    SUBCASE("not seen") {
        cell.declare(4, "k", "__global__ void k() {}", Role::device);
        unit.add(cell);
        CHECK(unit.main() == spaces(22) + "\n" + spaces(24) + "\n" + spaces(11) + "\n__global__ void k() {}\n");
    }
}

TEST_CASE("device unit: a superseded kernel is blanked") {
    Unit unit;
    Cell first(0, "__global__ void k() {}\n");
    first.declare(1, "k", "__global__ void k() {}", Role::device);
    Cell second(1, "__global__ void k(int) {}\n");
    second.declare(2, "k", "__global__ void k(int) {}", Role::device);
    second.facts.superseded = {1};
    unit.add(first);
    unit.add(second);
    CHECK(unit.main() == spaces(22) + "\n__global__ void k(int) {}\n");
}

TEST_CASE("device unit: what refers to a redefined type is stale, and what refers to that") {
    Unit unit;
    Cell first(0, "struct S {};\nstruct T { S s; };\n__global__ void k(T) {}\n__device__ int d;\n");
    first.declare(1, "S", "struct S {}", Role::shared).is_type = true;
    first.declare(2, "T", "struct T { S s; }", Role::shared, {1}).is_type = true;
    first.declare(3, "k", "__global__ void k(T) {}", Role::device, {2});
    first.declare(4, "d", "__device__ int d", Role::device);
    Cell second(1, "struct S { int a; };\n__device__ S s;\n");
    second.declare(5, "S", "struct S { int a; }", Role::shared).is_type = true;
    second.declare(6, "s", "__device__ S s", Role::device, {5});
    second.facts.superseded = {1};
    unit.add(first);
    unit.add(second);
    CHECK(unit.main() == spaces(12) + "\n" + spaces(18) + "\n" + spaces(23) + "\n__device__ int d;\n" + second.text());
}

TEST_CASE("device unit: what refers to a redefined function moves behind it, with its line and column") {
    Unit unit;
    Cell first(0, "__device__ int f() { return 1; }\n\n  __global__ void k() { f(); }\n");
    first.declare(1, "f", "__device__ int f() { return 1; }", Role::device);
    first.declare(2, "k", "__global__ void k() { f(); }", Role::device, {1});
    Cell second(1, "__device__ int f() { return 2; }\n");
    second.declare(3, "f", "__device__ int f() { return 2; }", Role::device);
    second.facts.superseded = {1};
    unit.add(first);
    unit.add(second);
    CHECK(unit.main() == spaces(32) + "\n\n" + spaces(30) + "\n" + second.text() +
                             "#line 3 \"cell 1\"\n  __global__ void k() { f(); }\n");
}

TEST_CASE("device unit: the #line of a cell counts for what moves") {
    Unit unit;
    Cell first(0, "#line 10 \"cell 1\"\n__device__ int f() { return 1; }\n__global__ void k() { f(); }\n");
    first.declare(1, "f", "__device__ int f() { return 1; }", Role::device);
    first.declare(2, "k", "__global__ void k() { f(); }", Role::device, {1});
    Cell second(1, "__device__ int f() { return 2; }\n");
    second.declare(3, "f", "__device__ int f() { return 2; }", Role::device);
    second.facts.superseded = {1};
    unit.add(first);
    unit.add(second);
    // Nothing is left of the first cell where it stood.
    CHECK(unit.main() == second.text() + "#line 11 \"cell 1\"\n__global__ void k() { f(); }\n");
}

TEST_CASE("device unit: what is nested in a namespace does not move") {
    Unit unit;
    Cell first(0, "__device__ int f() { return 1; }\nnamespace n { __global__ void k() { f(); } }\n");
    first.declare(1, "f", "__device__ int f() { return 1; }", Role::device);
    first.declare(2, "k", "__global__ void k() { f(); }", Role::device, {1}).nested = true;
    Cell second(1, "__device__ int f() { return 2; }\n");
    second.declare(3, "f", "__device__ int f() { return 2; }", Role::device);
    second.facts.superseded = {1};
    unit.add(first);
    unit.add(second);
    CHECK(unit.main() == spaces(32) + "\nnamespace n { __global__ void k() { f(); } }\n" + second.text());
}

TEST_CASE("device unit: directives and host #include lines") {
    Unit unit;
    Cell cell(0,
              "#include <vector>\n#include <cuda_fp16.h>\n#include \"mine.h\"\nvoid f() {\n#if A\n  "
              "g();\n}\n#else\n}\n#endif\n");
    cell.include("#include <vector>", SourceText::Include::Kind::host);
    cell.include("#include <cuda_fp16.h>", SourceText::Include::Kind::cuda);
    cell.include("#include \"mine.h\"", SourceText::Include::Kind::user);
    cell.declare(1, "f", "void f() {\n#if A\n  g();\n}\n#else\n}", Role::host);
    unit.add(cell);
    CHECK(unit.main() == spaces(17) + "\n#include <cuda_fp16.h>\n#include \"mine.h\"\n" + spaces(10) + "\n#if A\n" +
                             spaces(6) + "\n \n#else\n \n#endif\n");
}

TEST_CASE("device unit: the student's header is given by the name that #include uses, blanked likewise") {
    Unit unit;
    Cell cell(0, "#include \"mine.h\"\n");
    cell.include("#include \"mine.h\"", SourceText::Include::Kind::user);
    const std::string header = "int host;\n__device__ int d;\n";
    cell.facts.sources.push_back({"/home/a/mine.h", header, "mine.h", false, 0, {}});
    Declaration host, device;
    host.id = 1;
    host.name = "host";
    host.source = device.source = 1;
    host.range = range_of(header, "int host");
    device.id = 2;
    device.name = "d";
    device.role = Role::device;
    device.range = range_of(header, "__device__ int d");
    cell.facts.declarations = {host, device};
    unit.add(cell);
    CHECK(unit.main() == "#include \"mine.h\"\n");
    const auto text = unit.unit.text();
    REQUIRE(text.headers.size() == host_type_twins().size() + 1);
    CHECK(text.headers.back().first == "mine.h");
    CHECK(text.headers.back().second == "#line 1 \"/home/a/mine.h\"\n" + spaces(9) + "\n__device__ int d;\n");
}

TEST_CASE("device unit: headers that stand in for std come first, each once, and only if they are used") {
    Unit unit;
    Cell cell(0,
              "template <class T> using P = std::pair<T, T>;\n__device__ std::pair<int, int> p;\n__device__ int q;\n");
    cell.declare(1, "P", "template <class T> using P = std::pair<T, T>", Role::shared).std_headers = {"cuda/std/array"};
    cell.declare(2, "p", "__device__ std::pair<int, int> p", Role::device).std_headers = {"cuda/std/utility"};
    cell.declare(3, "q", "__device__ int q", Role::device).std_headers = {"cuda/std/utility"};
    unit.add(cell);
    CHECK(unit.main() == "#include <cuda/std/utility>\nnamespace std { using namespace cuda::std; }\n" + spaces(45) +
                             "\n__device__ std::pair<int, int> p;\n__device__ int q;\n");
}

TEST_CASE("device unit: kernels and variables are found by the addresses of their stubs and shadows") {
    Unit unit;
    CHECK(unit.unit.empty());
    int stub = 0, shadow = 0;
    void* pointer = nullptr;
    Cell cell(0, "__global__ void k() {}\n__managed__ int m;\n");
    cell.declare(1, "k", "__global__ void k() {}", Role::device);
    cell.declare(2, "m", "__managed__ int m", Role::device);
    cell.facts.kernels = {{1, 0, "stub_k", "_Z1kv", "k"}};
    cell.facts.variables = {{2, 0, "shadow_m", "m", "m", sizeof(int), VariableFact::Kind::managed}};
    unit.add(cell);
    CHECK_FALSE(unit.unit.empty());
    CHECK(unit.unit.kernel(&stub) == nullptr);

    // Host code links them only once it needs them.
    unit.symbols = {{"stub_k", &stub}, {"shadow_m", &shadow}, {"shadow_m.managed", &pointer}};
    const auto* kernel = unit.unit.kernel(&stub);
    REQUIRE(kernel != nullptr);
    CHECK(kernel->name == "_Z1kv");
    CHECK(kernel->display == "k");
    const auto* variable = unit.unit.variable(&shadow);
    REQUIRE(variable != nullptr);
    CHECK(variable->size == sizeof(int));
    CHECK(variable->kind == api::VariableSymbol::Kind::managed);
    CHECK(variable->host_pointer == &pointer);
    CHECK(unit.unit.variable(&stub) == nullptr);

    Cell second(1, "__device__ int m;\n");
    second.declare(3, "m", "__device__ int m", Role::device);
    second.facts.superseded = {2};
    unit.add(second);
    CHECK(unit.unit.variables().empty());
    CHECK(unit.unit.variable(&shadow) == nullptr);
}

namespace {

/// A session that may ask nvcc, with `__device__ int d`, `struct F` that uses it, and `struct G` that does not.
struct SessionOfFunctors {
    std::map<std::string, void*, std::less<>> symbols;
    DeviceUnit unit{{.include_dirs = {}, .defines = {}, .second_opinion = true},
                    [this](std::string_view name) -> void* {
                        const auto found = symbols.find(name);
                        return found == symbols.end() ? nullptr : found->second;
                    }};
    std::map<std::string, int> stubs;

    SessionOfFunctors() {
        Cell cell(0,
                  "__device__ int d;\nstruct F { int v = d; };\nstruct G {};\n__global__ void reduce() { d = 1; }\n");
        cell.declare(1, "d", "__device__ int d", Role::device);
        cell.declare(2, "F", "struct F { int v = d; }", Role::shared, {1}).is_type = true;
        cell.declare(3, "G", "struct G {}", Role::shared).is_type = true;
        cell.declare(4, "reduce", "__global__ void reduce() { d = 1; }", Role::device, {1});
        cell.facts.variables = {{1, 0, "shadow_d", "d", "d", sizeof(int), VariableFact::Kind::device}};
        unit.add(cell.facts);
    }
    /// A cell that is the first to use a header's kernel; whether that is a module of its own then.
    bool uses(const std::string& display) {
        Cell cell(static_cast<std::uint32_t>(unit.sources().size()), "f();\n");
        KernelFact kernel;
        kernel.stub_symbol = "stub of " + display;
        kernel.display = display;
        kernel.foreign = true;
        cell.facts.kernels = {kernel};
        unit.add(cell.facts);
        symbols[kernel.stub_symbol] = &stubs[display];
        return is_apart(display);
    }
    bool is_apart(const std::string& display) {
        const auto* kernel = unit.kernel(&stubs[display]);
        REQUIRE(kernel != nullptr);
        return kernel->is_apart;
    }
};

}  // namespace

TEST_CASE("device unit: a header's kernel is apart if it needs no variable of the session") {
    SessionOfFunctors session;
    CHECK(session.uses("cub::detail::transform<G>"));
    CHECK_FALSE(session.uses("cub::detail::transform<F>"));
    CHECK_FALSE(session.uses("cub::detail::transform<thrust::pair<int, F> >"));
    CHECK(session.uses("cub::detail::transform<int>"));
    // No names of the session's: of a library, and of a member of an instance.
    CHECK(session.uses("cub::reduce<cub::hub<int>::F>"));
    CHECK_FALSE(session.uses("k<reduce>"));
    // nvcc does not see the statement that a lambda stands in.
    CHECK_FALSE(session.uses("cub::detail::transform<f()::'lambda'(int)>"));
}

TEST_CASE("device unit: what only kernels apart need is not in the text, before and after it is redefined") {
    SessionOfFunctors session;
    REQUIRE(session.uses("cub::detail::transform<G>"));
    CHECK(session.unit.text().main.find("struct G") == std::string::npos);
    Cell cell(static_cast<std::uint32_t>(session.unit.sources().size()), "struct G { int a; };\n");
    cell.declare(9, "G", "struct G { int a; }", Role::shared).is_type = true;
    cell.facts.superseded = {3};
    session.unit.add(cell.facts);
    CHECK(session.is_apart("cub::detail::transform<G>"));
    CHECK(session.uses("cub::detail::transform<G>"));
    CHECK(session.unit.text().main.find("struct G") == std::string::npos);
}

TEST_CASE("device unit: a session's headers come first, and CUB's where device code names it") {
    DeviceUnit unit{{.include_dirs = {}, .defines = {}, .second_opinion = true},
                    [](std::string_view) { return nullptr; }};
    Cell includes(0, "#include <cuda_fp16.h>\n#include <cub/cub.cuh>\nint h;\n");
    includes.include("#include <cuda_fp16.h>", SourceText::Include::Kind::cuda);
    includes.include("#include <cub/cub.cuh>", SourceText::Include::Kind::host);
    includes.declare(1, "h", "int h", Role::host);
    unit.add(includes.facts);
    Cell plain(1, "__global__ void k() {}\n");
    plain.declare(2, "k", "__global__ void k() {}", Role::device);
    unit.add(plain.facts);
    const std::string begin = "#include <cudash_prelude>\n#include <cuda_fp16.h>\nstatic_assert(true);\n";
    CHECK(unit.text().main.starts_with(begin));
    CHECK(unit.text().has_headers);
    Cell with_cube(2, "__global__ void cube() {}\n");
    with_cube.declare(4, "cube", "__global__ void cube() {}", Role::device);
    unit.add(with_cube.facts);
    CHECK(unit.text().main.starts_with(begin));
    Cell with_cub(3, "__global__ void r() { cub::BlockReduce<int, 32> b; }\n");
    with_cub.declare(3, "r", "__global__ void r() { cub::BlockReduce<int, 32> b; }", Role::device);
    unit.add(with_cub.facts);
    CHECK(unit.text().main.find("#include <cub/block/block_reduce.cuh>\n") < unit.text().main.find("static_assert"));

    // A macro of the session that shapes a library has to come before it.
    Cell macro(4, "#define CUB_WRAPPED_NAMESPACE mine\n");
    unit.add(macro.facts);
    CHECK_FALSE(unit.text().has_headers);
}

TEST_CASE("device unit: without nvcc, no kernel is apart") {
    Unit unit;
    Cell cell(0, "f();\n");
    KernelFact kernel;
    kernel.stub_symbol = "stub";
    kernel.display = "cub::k<int>";
    kernel.foreign = true;
    cell.facts.kernels = {kernel};
    unit.add(cell);
    int stub = 0;
    unit.symbols = {{"stub", &stub}};
    REQUIRE(unit.unit.kernel(&stub) != nullptr);
    CHECK_FALSE(unit.unit.kernel(&stub)->is_apart);
}

}  // namespace cudash::session
