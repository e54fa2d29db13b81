// What commands say of arrays.
#include <doctest/doctest.h>

#include <array>

#include "repl/shell/commands/array_spec.h"
#include "repl/shell/split_input.h"

using namespace cudash;
using namespace cudash::shell;

namespace {

constexpr std::array<std::string_view, 2> forms = {"heat", "hex"};

ArraySpec parsed(std::string_view text) {
    const auto spec = parse_array_spec(text, forms);
    REQUIRE(spec);
    return *spec;
}

session::Located ints(std::uint64_t count, std::uint64_t pitch = 0) {
    session::Located located;
    located.element = {"int", 4, {{session::Scalar::Kind::signed_integer, 4, 0, {}}}};
    located.extent = {count};
    located.stride = {4};
    located.available = count * 4;
    located.pitch = pitch;
    return located;
}

}  // namespace

TEST_CASE("array spec: every part, in its order") {
    const ArraySpec spec = parsed("p + n as unsigned char 4x5 [1:3, :] heat");
    CHECK(spec.expression == "p + n");
    CHECK(spec.as == "unsigned char");
    CHECK(spec.shape == std::vector<std::uint64_t>{4, 5});
    REQUIRE(spec.slices.size() == 2);
    CHECK(spec.slices[0].begin == 1u);
    CHECK(spec.slices[0].end == 3u);
    CHECK_FALSE(spec.slices[1].begin);
    CHECK(spec.form == "heat");
}

TEST_CASE("array spec: a slice may follow its array without a space") {
    const ArraySpec spec = parsed("d[-4:] heat");
    CHECK(spec.expression == "d");
    REQUIRE(spec.slices.size() == 1);
    CHECK(spec.slices[0].begin == -4);
    CHECK(spec.form == "heat");
    CHECK(parsed("rows[1] 4x4[1:3, ::2]").slices.size() == 2);
    CHECK(parsed("rows[1] 4x4[1:3, ::2]").expression == "rows[1]");
    for (const char* whole : {"d[4]", "d[i ? 1 : 2]", "d[std::size(v)]", "d[ns::k]", "m[1][2]"})
        CHECK(parsed(whole).expression == whole);
}

TEST_CASE("array spec: expressions stay whole") {
    CHECK(parsed("a[i + 1]").expression == "a[i + 1]");
    CHECK(parsed("a + 3").expression == "a + 3");
    CHECK(parsed("a + 3").shape.empty());
    CHECK(parsed("f(\"x 3\")").expression == "f(\"x 3\")");
    CHECK(parsed("heat").expression == "heat");
    CHECK(parsed("p;").expression == "p");
    CHECK(parsed("p 100").shape == std::vector<std::uint64_t>{100});
    CHECK(parsed("(a as b)").as.empty());
    CHECK_FALSE(parse_array_spec("", forms));
    CHECK_FALSE(parse_array_spec("p 0x0", forms));
    CHECK_FALSE(parse_array_spec("p [1:x]", forms));
    CHECK_FALSE(parse_array_spec("p 4x4 [,]", forms));
}

TEST_CASE("array spec: shapes and slices are held against what is there") {
    CHECK(shape_array(ints(16), parsed("p"))->extent == std::vector<std::uint64_t>{16});
    const auto square = shape_array(ints(16), parsed("p 4x4 [1:3, 2]"));
    REQUIRE(square);
    CHECK(square->extent == std::vector<std::uint64_t>{2, 1});
    CHECK(square->begin == 24);
    CHECK(square->label(1, 0) == "[2,2]");
    CHECK(shape_array(ints(16), parsed("p 5x4")).error().code == "beyond-the-end");
    CHECK(shape_array(ints(16), parsed("p [16:17]")).error().code == "beyond-the-end");
    CHECK(shape_array(ints(16), parsed("p [0:4, 0:4]")).error().code == "bad-argument");
    CHECK(shape_array(ints(16), parsed("p 99999999999x99999999999")).error().code == "beyond-the-end");
    // Rows at a pitch.
    const auto pitched = shape_array(ints(1024, 512), parsed("p 8x5"));
    REQUIRE(pitched);
    CHECK(pitched->stride == std::vector<std::uint64_t>{512, 4});
    session::Located unknown = ints(0);
    unknown.available = 0;
    CHECK(shape_array(unknown, parsed("p")).error().code == "size-unknown");
    unknown.available = 3;
    CHECK(shape_array(unknown, parsed("p")).error().code == "beyond-the-end");
}

TEST_CASE("array spec: expressions are told apart") {
    CHECK(split_expressions("a b 1e-5") == std::vector<std::string>{"a", "b", "1e-5"});
    CHECK(split_expressions("f(a, b) (c + d)") == std::vector<std::string>{"f(a, b)", "(c + d)"});
    CHECK(split_expressions("a + 1, b + 2") == std::vector<std::string>{"a + 1", "b + 2"});
    CHECK(split_expressions("") == std::vector<std::string>{});
}

TEST_CASE("input: commands stand between cells") {
    const auto inputs = split_input("int x = 1;\n:show x\nvoid f() {\n:oops\n}\n  :vars\n");
    REQUIRE(inputs.size() == 4);
    CHECK(inputs[0].text == "int x = 1;\n");
    CHECK(inputs[1].is_command);
    CHECK(inputs[1].text == ":show x");
    CHECK(inputs[2].text == "void f() {\n:oops\n}\n");
    CHECK(inputs[3].is_command);
    const auto blocks = cut_at_commands("int x = 1;\nint y;\n:show x\nvoid f() {\n:oops\n}\n\n  :vars\n\n");
    REQUIRE(blocks.size() == 4);
    CHECK(blocks[0].text == "int x = 1;\nint y;\n");
    CHECK(blocks[1].text == ":show x");
    CHECK(blocks[2].text == "void f() {\n:oops\n}\n\n");
    CHECK(blocks[3].text == "  :vars");
    CHECK(split_input("").empty());
    CHECK(split_input("R\"(\n:vars\n)\"").size() == 1);
    CHECK_FALSE(split_input("::abs(3)")[0].is_command);
}
