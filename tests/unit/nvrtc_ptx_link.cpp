// PTX texts of several files made one.
#include <doctest/doctest.h>

#include "runtime_wrappers/nvrtc/ptx_link.h"

namespace cudash::nvrtc {
namespace {

constexpr const char* head = ".version 9.0\n.target sm_90\n.address_size 64\n";

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size()) ++found;
    return found;
}

LinkedPtx link(const std::string& first, const std::string& second) {
    const std::string a = head + first, b = head + second;
    return link_ptx({a, b});
}

}  // namespace

TEST_CASE("what is extern in one module is defined by another") {
    const LinkedPtx linked = link(
        ".extern .func (.param .b32 r) f\n(\n.param .b32 p\n)\n;\n.extern .global .align 4 .b8 t[16];\n"
        ".visible .entry k()\n{\ncall (x), f, (y);\nld.global.u32 %r1, [t];\nret;\n}\n",
        ".visible .global .align 4 .b8 t[16] = {1, 0, 0, 0, 2};\n"
        ".visible .func (.param .b32 r) f(\n.param .b32 p\n)\n{\nret;\n}\n");
    CHECK(count(linked.text, ".extern") == 0);
    CHECK(count(linked.text, ".version") == 1);
    CHECK(count(linked.text, "t[16]") == 1);
    // Declared before the kernel that calls it, then defined.
    const std::size_t declared = linked.text.find("f(\n.param .b32 p\n)\n;");
    CHECK(declared < linked.text.find(".entry k"));
    CHECK(count(linked.text, "f(\n.param .b32 p\n)\n{") == 1);
    CHECK(linked.renamed[0].empty());
    CHECK(linked.renamed[1].empty());
}

TEST_CASE("static names of two modules stay apart, also those that a third means by extern") {
    const LinkedPtx linked = link(".global .u32 calls = 5;\n.entry k()\n{\nld.global.u32 %r1, [calls];\n}\n",
                                  ".global .u32 calls = 1;\n.entry k()\n{\nld.global.u32 %r1, [calls];\n}\n");
    CHECK(linked.renamed[1].at("calls") == "calls$2");
    CHECK(linked.renamed[1].at("k") == "k$2");
    CHECK(linked.text.find("[calls$2]") != std::string::npos);
    CHECK(linked.text.find(".u32 calls$2 = 1") != std::string::npos);

    const LinkedPtx other =
        link(".global .u32 x = 5;\n", ".extern .global .u32 x;\n.entry k()\n{\nld.u32 %r1, [x];\n}\n");
    CHECK(other.renamed[0].at("x") == "x$1");
    CHECK(other.text.find(".extern .global .u32 x;") != std::string::npos);
}

TEST_CASE("of weak definitions the first stays, and a second strong one is its module's own") {
    const LinkedPtx linked = link(".weak .func w()\n{\nret;\n}\n.visible .func s()\n{\nret;\n}\n",
                                  ".weak .func w()\n{\nret;\n}\n.visible .func s()\n{\ncall s;\n}\n");
    CHECK(count(linked.text, "w()\n{") == 1);
    CHECK(linked.renamed[1].at("s") == "s$2");
    CHECK(linked.text.find("call s$2;") != std::string::npos);
}

TEST_CASE("variables stand behind those that their values name") {
    const LinkedPtx linked =
        link(".extern .global .u32 z;\n.visible .global .u64 a = generic(z);\n", ".visible .global .u32 z = 3;\n");
    CHECK(linked.text.find(".u32 z = 3") < linked.text.find("generic(z)"));
}

TEST_CASE("files are numbered anew, and strings of debug information stay apart") {
    const std::string second =
        ".entry k()\n{\n.loc 1 3 5\n.loc 2 7 1, function_name $L__info_string0, inlined_at 1 3 5\n}\n"
        ".file 1 \"/b.cu\"\n.file 2 \"/x.cuh\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 66,0\n}\n";
    const LinkedPtx linked = link(
        ".entry j()\n{\n.loc 1 2 1\n}\n.file 1 \"/x.cuh\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 65,0\n}\n",
        second);
    CHECK(linked.text.find(".file 1 \"/x.cuh\"\n.file 2 \"/b.cu\"\n") != std::string::npos);
    CHECK(linked.text.find(".loc 2 3 5\n.loc 1 7 1, function_name $L__info_string0$2, inlined_at 2 3 5") !=
          std::string::npos);
    CHECK(count(linked.text, ".section .debug_str") == 1);
    CHECK(linked.text.find("$L__info_string0$2:\n.b8 66,0") != std::string::npos);
}

TEST_CASE("what is not PTX does not stop the linker") {
    for (const char* text :
         {"", ".visible .func", ".global .u32", "{", "}", "\"", ".file 1", ".section .debug_str", "//"})
        CHECK_NOTHROW(link(text, text));
}

}  // namespace cudash::nvrtc
