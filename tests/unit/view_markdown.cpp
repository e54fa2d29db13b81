#include <doctest/doctest.h>

#include "repl/view/markdown.h"

using cudash::view::print_markdown;
using cudash::view::Style;

TEST_CASE("markdown: headings, paragraphs and marks without colour") {
    CHECK(print_markdown("## A *b*\n\none\ntwo `x + y` **three**\n\nfour", {}, 80) ==
          "A *b*\n-----\n\none two `x + y` **three**\n\nfour\n");
    CHECK(print_markdown("", {}, 80).empty());
}

TEST_CASE("markdown: text is wrapped between words, by columns of the terminal") {
    CHECK(print_markdown("aaaa bbbb cccc dddd eeee ffff", {}, 20) == "aaaa bbbb cccc dddd\neeee ffff\n");
    CHECK(print_markdown("- aaaa bbbb cccc dddd eeee", {}, 20) == "- aaaa bbbb cccc\n  dddd eeee\n");
    // A word that is longer than the line is not cut.
    CHECK(print_markdown("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum x", {}, 20) ==
          "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\nx\n");
    CHECK(print_markdown("one  \ntwo", {}, 40) == "one\ntwo\n");
}

TEST_CASE("markdown: lists, also nested and with code") {
    CHECK(print_markdown("- a\n- b\n  - c\n- d\n", {}, 40) == "- a\n- b\n  - c\n- d\n");
    CHECK(print_markdown("text\n\n1. a\n2. b\n\nend", {}, 40) == "text\n\n1. a\n2. b\n\nend\n");
    CHECK(print_markdown("- a\n\n  ```\n  x\n  ```\n- b\n", {}, 40).find("      x\n") != std::string::npos);
}

TEST_CASE("markdown: code, quotes, tables, links and entities") {
    CHECK(print_markdown("a\n\n```cpp\nint x;\n\nint y;\n```\n", {}, 40) == "a\n\n    int x;\n    \n    int y;\n");
    CHECK(print_markdown("> said\n> so\n\nend", {}, 40) == "| said so\n\nend\n");
    CHECK(print_markdown("| a | b |\n|---|---|\n| 1 | `x` |\n", {}, 40) == "a  b\n1  `x`\n");
    CHECK(print_markdown("see [here](http://x.y) &lt;", {}, 40) == "see here (http://x.y) <\n");
}

TEST_CASE("markdown: code that is too wide is indented less, and programs are broken at spaces") {
    CHECK(print_markdown("```\n0123456789 0123456\n\nx\n```\n", {}, 20) == "  0123456789 0123456\n  \n  x\n");
    CHECK(print_markdown("```\n0123456789 0123456789\n```\n", {}, 20) == "0123456789 0123456789\n");
    CHECK(print_markdown("```cuda\n  int a = 0123456789;\nint b;\n```\n", {}, 20) ==
          "      int a =\n          0123456789;\n    int b;\n");
    // So is a comment, which remains one.
    CHECK(print_markdown("```cuda\n  int a;  // 12345 7890\n```\n", {}, 20) == "      // 12345 7890\n      int a;\n");
    CHECK(print_markdown("```cuda\n// 12345 7890 12345 6\n```\n", {}, 20) == "    // 12345 7890\n    // 12345 6\n");
}

TEST_CASE("markdown: colour replaces the marks, and is not counted") {
    const std::string text = print_markdown("`aa` **bb** cc dd ee ff gg hh", Style{true}, 20);
    CHECK(text.find('`') == std::string::npos);
    CHECK(text.find("\033[1;36maa\033[0m \033[1mbb\033[0m cc") != std::string::npos);
    CHECK(text.find("ff gg\n") != std::string::npos);
}

TEST_CASE("markdown: control characters do not reach the terminal") {
    CHECK(print_markdown("a\x1b[2Jb", {}, 40) == "a[2Jb\n");
}
