#include "repl/shell/pasted_text.h"

#include <doctest/doctest.h>

#include <string>

#include "repl/shell/commands.h"

using namespace cudash::shell;

TEST_CASE("pasted text: prompts and the output between them go") {
    CHECK(plain_text("cudash [virtual h200]> int x = 1;\ncudash [virtual h200]> x\n(int) 1\n").text ==
          "int x = 1;\nx\n");
    CHECK(plain_text("cudash [virtual h200] 3> x\n").text == "x\n");
    CHECK(plain_text("cudash [gpu 0]> void f() {\n    g();\n}\ncudash [gpu 0]> if (a)\n  b();\nelse\n  c();\n").text ==
          "void f() {\n    g();\n}\nif (a)\n  b();\nelse\n  c();\n");
    CHECK(plain_text(">>> 1 + 2\n3\n>>> f(1,\n... 2)\n").text == "1 + 2\nf(1,\n2)\n");
    CHECK(plain_text("In [1]: int y;\nIn [2]: void f() {\n   ...: }\n").text == "int y;\nvoid f() {\n}\n");
    CHECK(plain_text("$ x\n").text == "x\n");
    CHECK(plain_text(">> x\n(int) 1\n>> y\n").notes.front() == "left out 2 prompts and 1 line of output");
    // Code that only looks so.
    for (const std::string text : {"std::cin\n>> x;\n", "k<<<1, 1\n>>> (d);\n", "cudash [1]\n", "x > y\n"}) {
        CHECK(plain_text(text).text == text);
        CHECK(plain_text(text).notes.empty());
    }
}

TEST_CASE("pasted text: the typography of a PDF becomes code") {
    CHECK(plain_text("printf(“a – “b”\\n”);").text.starts_with("printf(\"a – "));
    CHECK(plain_text("printf(“hello\\n”);\n").text == "printf(\"hello\\n\");\n");
    CHECK(plain_text("char c = ‘x’;").text == "char c = 'x';");
    CHECK(plain_text("for (int i = n – 1; i >= 0; i–)").text == "for (int i = n - 1; i >= 0; i--)");
    CHECK(plain_text("p–>x − 1").text == "p->x - 1");
    CHECK(plain_text("int\u00a0x\u2003=\u202f1;").text == "int x = 1;");
    CHECK(plain_text("\ufb02oat \ufb01rst;").text == "float first;");
    CHECK(plain_text("a\u200b\u202eb").text == "ab");
    CHECK(plain_text("x; // it’s – fine\n\"“–”\" u8\"…\" R\"(–)\"").text ==
          "x; // it’s – fine\n\"“–”\" u8\"…\" R\"(–)\"");
    CHECK(plain_text("x; // \u202e evil\n").text == "x; //  evil\n");
    CHECK(plain_text("float π = 3.14f;").text == "float π = 3.14f;");
    CHECK(plain_text("“–").notes.front() == "replaced curly quotes with plain ones");
    CHECK(plain_text("a\u202e").notes.front() == "removed characters that change the direction of text");
}

TEST_CASE("pasted text: any bytes are taken") {
    for (const std::string text : {"\xe2", "\xe2\x80", "\xff\xfe", "“\\", "R\"–", "'\xc2", "/*\xe2\x80\x9c"})
        CHECK_FALSE(plain_text(text).text.empty());
}

TEST_CASE("commands: what stands for them") {
    CHECK(as_command("help") == ":help");
    CHECK(as_command(" ? ") == ":help");
    CHECK(as_command("quit") == ":quit");
    CHECK(as_command("exit()") == ":quit");
    CHECK(as_command("cudaMalloc?") == ":about cudaMalloc");
    CHECK(as_command("?x") == ":about x");
    CHECK(as_command("!ls -l") == ":shell ls -l");
    CHECK(as_command(":show d") == ":show d");
    for (const char* code :
         {"!done", "!x", "!true", "x ? y : z", "helper", "quit;", "exit(1)", "::f()", "a > b?", "!(ls)"})
        CHECK(as_command(code).empty());
}
