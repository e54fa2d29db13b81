// What a real GPU made of the cases, as text:
//
//     device: NVIDIA H200
//     compute capability: 9.0
//     CUDA driver: 13.0
//     CUDA runtime: 13.0
//     date: 2026-11-21
//
//     add.rn.f32 | 1024 | 03fa21 88c0de 10ff33 9a4e00          hashes of chunks of 256 result words
//     ex2.approx.f32 | 3072 | values 3f800000 40000000 ...      an .approx instruction: the results themselves
//     wgmma.fence | refused | why
//     trap | failed | cudaErrorLaunchFailure
//     ! add.rn.f32 | 17 7fffffff | 30 00000001                  results where the virtual GPU differed when recorded
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime_wrappers/result.h"
#include "tests/hardware/oracle_device.h"

namespace cudash::oracle {

struct RecordedCase {
    CaseOutcome::State state = CaseOutcome::State::ran;
    std::string reason;
    std::size_t words = 0;
    std::vector<std::uint32_t> hashes;  ///< 24 bits each
    std::vector<std::uint64_t> values;  ///< of .approx cases
    std::map<std::size_t, std::uint64_t> known;
};

struct Recording {
    std::string about;  ///< the lines before the first case
    std::map<std::string, RecordedCase, std::less<>> cases;
};

inline constexpr std::size_t words_in_a_chunk = 256;

RecordedCase recorded(const InstructionCase& test, const CaseOutcome& outcome);
std::string line_of(const InstructionCase& test, const RecordedCase& recorded);
std::string known_line(const InstructionCase& test, const RecordedCase& recorded);
Result<Recording> read_recording(const std::string& path);

/// Empty if `outcome` is what was recorded. Otherwise a report: how many results differ, where, with the inputs.
std::string differences(const InstructionCase& test, const CaseOutcome& outcome, const RecordedCase& recorded,
                        std::size_t most_shown);
/// Elements whose words differ from those that hardware gave, for the recording's lines with "!".
std::map<std::size_t, std::uint64_t> differing_words(const InstructionCase& test, const CaseOutcome& hardware,
                                                     const CaseOutcome& ours, std::size_t most);

}  // namespace cudash::oracle
