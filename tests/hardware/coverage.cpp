#include "tests/hardware/coverage.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::oracle {
namespace {

using namespace virtual_gpu;

constexpr std::string_view modifier_names[] = {
#define PTX_MODIFIER(name, text) text,
#include "runtime_wrappers/virtual_gpu/isa/modifiers.def"
#undef PTX_MODIFIER
};

struct RowCoverage {
    TypeSet types = 0;
    ModSet modifiers;
    std::set<std::string> forms;
    std::set<std::size_t> cases;
};

std::map<std::string_view, RowCoverage> coverage_of(const Outcomes& outcomes) {
    std::map<std::string_view, RowCoverage> rows;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const InstructionCase& test = all_cases()[i];
        // A launch that fails executed the instruction if that is what the instruction is for.
        if (outcomes[i].state == CaseOutcome::State::refused) continue;
        for (const WrittenInstruction& written : instructions_of(test)) {
            const InstructionRow* row = find_instruction(written.mnemonic);
            if (!row) continue;
            RowCoverage& covered = rows[row->mnemonic];
            for (ptx::Type type : written.modifiers.types) covered.types |= types({type});
            covered.modifiers = covered.modifiers | written.modifiers.set;
            covered.forms.insert(written.text);
            covered.cases.insert(i);
        }
    }
    return rows;
}

constexpr std::size_t type_count = static_cast<std::size_t>(ptx::Type::surfref) + 1;

std::string type_list(TypeSet set) {
    std::string text;
    for (std::size_t i = 0; i < type_count; ++i)
        if (contains(set, static_cast<ptx::Type>(i)))
            text += (text.empty() ? "" : " ") + std::string(type_name(static_cast<ptx::Type>(i)));
    return text;
}

}  // namespace

std::vector<std::string> uncovered(const Outcomes& outcomes) {
    auto rows = coverage_of(outcomes);
    std::vector<std::string> holes;
    for (const InstructionRow& row : instruction_table()) {
        const RowCoverage& covered = rows[row.mnemonic];
        if (covered.cases.empty()) holes.push_back(fmt::format("{}: no case", row.mnemonic));
        for (std::size_t i = 0; i < type_count; ++i)
            if (const auto type = static_cast<ptx::Type>(i); contains(row.types & ~covered.types, type))
                holes.push_back(fmt::format("{}: no case with .{}", row.mnemonic, type_name(type)));
        for (std::size_t i = 0; i < std::size(modifier_names); ++i)
            if (const auto mod = static_cast<Mod>(i); row.modifiers.has(mod) && !covered.modifiers.has(mod))
                holes.push_back(fmt::format("{}: no case with .{}", row.mnemonic, modifier_names[i]));
    }
    return holes;
}

std::string coverage_page(const Outcomes& outcomes, const Recording* recording, const std::set<std::string>& verified) {
    const auto rows = coverage_of(outcomes);
    std::size_t executed = 0, forms = 0;
    std::set<std::size_t> used;
    for (const auto& [name, row] : rows) {
        forms += row.forms.size();
        used.insert(row.cases.begin(), row.cases.end());
    }
    for (const CaseOutcome& outcome : outcomes) executed += outcome.state != CaseOutcome::State::refused;
    std::string page =
        "# PTX instructions of the virtual GPU\n\n"
        "<!-- Made by `tests/hardware/run --write BUILD_DIR`; tests/hardware/run checks it. -->\n\n"
        "Each row of [instructions.def](instructions.def) with the forms (spellings with types and modifiers) that\n"
        "[the cases](../../../tests/hardware/instruction_cases.txt) execute, and how many of the cases gave what a "
        "real\n"
        "GPU gave: bit for bit, or for `.approx` instructions within the bound that the case states. A case is a "
        "kernel\n"
        "with hundreds of operands: special values crossed, and random ones.\n\n";
    page += fmt::format("{} rows, {} forms, {} cases", instruction_table().size(), forms, executed);
    if (recording) {
        page += fmt::format(", {} of them verified on hardware:\n\n", verified.size());
        for (std::size_t at = 0; at < recording->about.size();) {
            const std::size_t end = recording->about.find('\n', at);
            page += fmt::format("- {}\n", recording->about.substr(at, end - at));
            at = end == std::string::npos ? recording->about.size() : end + 1;
        }
        page += "\n";
    } else {
        page += "; no recording of a real GPU yet.\n\n";
    }
    page += "| instruction | types | forms | cases | verified |\n|---|---|--:|--:|--:|\n";
    for (const InstructionRow& row : instruction_table()) {
        auto found = rows.find(row.mnemonic);
        const RowCoverage covered = found == rows.end() ? RowCoverage() : found->second;
        std::size_t good = 0;
        for (std::size_t index : covered.cases) good += verified.contains(all_cases()[index].name);
        page +=
            fmt::format("| [{}](https://docs.nvidia.com/cuda/parallel-thread-execution/#{}) | {} | {} | {} | {} |\n",
                        row.mnemonic, row.section, type_list(row.types ? row.types : covered.types),
                        covered.forms.size(), covered.cases.size(), good);
    }
    page +=
        "\n## Refused by name\n\n"
        "A kernel with one of these does not start; the message names the instruction and its line.\n\n";
    for (const InstructionCase& test : all_cases())
        if (test.must_be_refused) page += fmt::format("- `{}`\n", test.name);
    return page;
}

}  // namespace cudash::oracle
