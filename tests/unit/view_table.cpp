// Tables as text.
#include <doctest/doctest.h>

#include "repl/view/table.h"

using cudash::session::Table;
using cudash::view::print;
using cudash::view::Style;

TEST_CASE("a table's columns are as wide as their longest cell") {
    const Table table{{"name", "value"}, {{"x", "1"}, {"longer", "2"}, {"y"}}};
    CHECK(print(table, Style{}, 0) ==
          "name    value\n"
          "x       1\n"
          "longer  2\n"
          "y\n");
}

TEST_CASE("the widest column gives way to a narrow terminal: its cells take several lines") {
    const Table table{{"a", "b"}, {{"short", "one two three four"}, {"x", "y"}}};
    CHECK(print(table, Style{}, 17) ==
          "a      b\n"
          "short  one two\n"
          "       three four\n"
          "x      y\n");
    const Table one_word{{"a", "b"}, {{"short", "  0123456789abcdef"}}};
    CHECK(print(one_word, Style{}, 17) ==
          "a     b\n"
          "short   012345678\n"
          "        9abcdef\n");
}

TEST_CASE("the column that names the rows gives way last, and none to nothing") {
    const Table table{{"a", "b"}, {{"abcdefghij", "abcdefghij"}}};
    CHECK(print(table, Style{}, 19) ==
          "a          b\n"
          "abcdefghij abcdefgh\n"
          "           ij\n");
    CHECK(print(table, Style{}, 3) ==
          "a       b\n"
          "abcdefg abcdefg\n"
          "hij     hij\n");
}

TEST_CASE("a first column of many words leaves half of the room to the others") {
    const Table table{{"call", "waits for"}, {{"a launch, a copy, a record", "nothing, it makes others wait"}}};
    CHECK(print(table, Style{}, 24) ==
          "call          waits for\n"
          "a launch, a   nothing,\n"
          "copy, a       it makes\n"
          "record        others\n"
          "              wait\n");
}

TEST_CASE("no number is cut: columns that do not fit follow below") {
    const Table table{{"kernel", "instructions", "lanes", "sectors"},
                      {{"a_long_name", "123456789012", "32.00", "128"}, {"k", "1", "-", "2"}}};
    CHECK(print(table, Style{}, 30) ==
          "kernel       instructions\n"
          "a_long_name  123456789012\n"
          "k            1\n"
          "kernel       lanes  sectors\n"
          "a_long_name  32.00  128\n"
          "k            -      2\n");
}

TEST_CASE("an empty table says so") {
    CHECK(print(Table{{"a"}, {}}, Style{}, 80) == "none\n");
}
