// The cases of instruction_cases.txt: small kernels that together execute every row of isa/instructions.def in every
// type and modifier that PTX has for sm_90. The head of that file explains how a case is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"

namespace cudash::oracle {

/// How far an .approx result may be from the hardware's: within `ulps`, or within `absolute`, or within `relative`.
struct Tolerance {
    double ulps = 0, absolute = 0, relative = 0;
};

/// What a source register is loaded with, or what a result register holds.
struct OperandKind {
    std::string name;     ///< a PTX type, or a class of values: see operand_values.cpp
    unsigned bytes = 4;   ///< of the register; 0: a predicate
    std::string literal;  ///< an immediate instead of a register
    bool negated = false;
};

struct InstructionCase {
    std::string name;  ///< the line with its alternatives chosen
    int line = 0;      ///< in instruction_cases.txt
    std::string code;  ///< PTX statements between the loads of sources and the stores of results
    std::vector<OperandKind> sources, results;
    unsigned grid = 1, block = 32;
    std::string memory;  ///< kind of value that the scratch memory %mem begins with; empty: zeros
    bool uses_memory = false;
    std::size_t surface_words = 0;  ///< of the surfaces that it names, compared afterwards: see test_images.h
    std::optional<Tolerance> tolerance;
    bool must_be_refused = false;  ///< by the virtual GPU
    bool runs_on_hardware = true;

    unsigned threads() const { return grid * block; }
    /// 8-byte columns of a thread's row of inputs and of results.
    std::size_t source_columns() const;
    std::size_t result_columns() const { return results.size(); }
    std::size_t result_words() const {
        return threads() * result_columns() + (uses_memory ? memory_words : 0) + surface_words;
    }
    static constexpr std::size_t memory_words = 512;
};

/// One instruction of a case's code, sorted out.
struct WrittenInstruction {
    std::string text;      ///< "add.rn.f32"
    std::string mnemonic;  ///< "add"
    virtual_gpu::ParsedModifiers modifiers;
};
std::vector<WrittenInstruction> instructions_of(const InstructionCase& test);

/// All cases in the order of the file, which is compiled in.
const std::vector<InstructionCase>& all_cases();
/// The text of instruction_cases.txt.
std::string_view case_file();

/// Bytes of a register that holds a value of the kind; nullopt: no such kind.
std::optional<unsigned> register_bytes(std::string_view kind);

}  // namespace cudash::oracle
