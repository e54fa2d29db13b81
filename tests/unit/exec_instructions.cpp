// tests/ptx/instructions.txt: each line is an instruction with registers before and after.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <set>
#include <sstream>

#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"
#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

struct Setting {
    std::string name;
    std::uint64_t bits;
};
struct Case {
    int line;
    std::string code;
    std::vector<Setting> before, after;
};

std::string letters(const std::string& name) {
    return name.substr(1, name.find_first_of("0123456789") - 1);
}

unsigned bytes_of(const std::string& name) {
    const std::string kind = letters(name);
    if (kind == "rd" || kind == "fd") return 8;
    return kind == "h" ? 2 : 4;
}

std::vector<Setting> settings(const std::string& text) {
    std::vector<Setting> all;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
        std::uint64_t bits;
        if (value.starts_with("0x")) {
            bits = std::stoull(value, nullptr, 16);
        } else if (letters(name) == "f") {
            bits = std::bit_cast<std::uint32_t>(std::stof(value));
        } else if (letters(name) == "fd") {
            bits = std::bit_cast<std::uint64_t>(std::stod(value));
        } else {
            bits = static_cast<std::uint64_t>(std::stoll(value));
        }
        const unsigned bytes = bytes_of(name);
        all.push_back({name, bytes == 8 ? bits : bits & ((std::uint64_t{1} << bytes * 8) - 1)});
    }
    return all;
}

std::vector<Case> read_cases() {
    std::istringstream file(cudash::virtual_gpu::testing::read_text("tests/ptx/instructions.txt"));
    std::vector<Case> cases;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.empty() || line.front() == '#') continue;
        // The separators stand apart; p|q does not.
        const std::size_t first = line.find(" | "), second = line.find("| ", first + 2);
        REQUIRE_MESSAGE(second != std::string::npos, "line ", number);
        cases.push_back({number, line.substr(0, first), settings(line.substr(first + 2, second - first - 2)),
                         settings(line.substr(second + 2))});
    }
    return cases;
}

/// A kernel whose first `lanes` threads do the case and write the results to out[thread * 64 + 8 * index].
std::string kernel_of(const Case& test) {
    std::string text = fmt::format(
        ".visible .entry case_{}(.param .u64 out, .param .u32 lanes) {{\n"
        ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b16 %h<8>; .reg .f32 %f<8>; .reg .f64 %fd<8>; .reg .pred %p<8>;\n"
        ".reg .b64 %out<3>; .reg .b32 %lane<3>; .reg .pred %inside<2>; .reg .b64 %wide<8>;\n"
        "ld.param.u64 %out0, [out]; ld.param.u32 %lane1, [lanes]; mov.u32 %lane0, %tid.x;\n"
        "setp.ge.u32 %inside0, %lane0, %lane1; @%inside0 bra DONE;\n"
        "mad.wide.u32 %out1, %lane0, 64, %out0;\n",
        test.line);
    for (const Setting& set : test.before) {
        if (letters(set.name) == "p") {
            text += fmt::format("setp.ne.u32 {}, {}, 0;\n", set.name, set.bits);
        } else {
            text += fmt::format("mov.b{} {}, {:#x};\n", bytes_of(set.name) * 8, set.name, set.bits);
        }
    }
    text += test.code + "\n";
    for (std::size_t i = 0; i < test.after.size(); ++i) {
        const std::string& name = test.after[i].name;
        if (letters(name) == "p") {
            text += fmt::format("selp.u32 %lane2, 1, 0, {}; st.global.u32 [%out1+{}], %lane2;\n", name, i * 8);
        } else {
            text += fmt::format("st.global.b{} [%out1+{}], {};\n", bytes_of(name) * 8, i * 8, name);
        }
    }
    return text + "DONE: ret;\n}\n";
}

}  // namespace

TEST_CASE("instructions do what their cases say, with all lanes and with some") {
    const std::vector<Case> cases = read_cases();
    std::string ptx = ".version 9.0\n.target sm_90\n.address_size 64\n";
    for (const Case& test : cases) ptx += kernel_of(test);
    Gpu gpu(ptx);
    auto [at, out] = gpu.array<std::uint64_t>(32 * 8);
    for (const Case& test : cases)
        for (std::uint32_t lanes : {32u, 11u}) {
            std::ranges::fill(out, 0);
            LaunchOutcome outcome =
                gpu.launch(fmt::format("case_{}", test.line), {1, 1, 1}, {32, 1, 1}, 0, false, at, lanes);
            INFO("line ", test.line, ": ", test.code, " ",
                 outcome.diagnostics.empty() ? std::string() : outcome.diagnostics[0].message);
            CHECK(outcome.status == LaunchStatus::ok);
            for (std::size_t i = 0; i < test.after.size(); ++i)
                for (std::uint32_t lane : {0u, 10u, 31u})
                    CHECK(fmt::format("{} {:#x}", test.after[i].name, out[lane * 8 + i]) ==
                          fmt::format("{} {:#x}", test.after[i].name, lane < lanes ? test.after[i].bits : 0));
        }
}

TEST_CASE("every arithmetic instruction of the table has a case") {
    std::set<std::string> seen;
    for (const Case& test : read_cases()) {
        std::istringstream words(test.code);
        for (std::string word; words >> word;) seen.insert(word.substr(0, word.find_first_of(".;")));
    }
    for (const InstructionRow& row : instruction_table())
        if (row.instruction_class == Class::arithmetic && row.mnemonic != "activemask") {
            INFO(row.mnemonic);
            CHECK(seen.contains(std::string(row.mnemonic)));
        }
}
