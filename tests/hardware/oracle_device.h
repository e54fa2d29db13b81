// Where cases run: the virtual GPU's executor, or a real GPU through the CUDA runtime library.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime_wrappers/result.h"
#include "tests/hardware/case_list.h"

namespace cudash::oracle {

struct CaseOutcome {
    enum class State : std::uint8_t {
        ran,
        refused,  ///< the PTX was not accepted
        failed    ///< the launch ended with an error
    };
    State state = State::ran;
    std::string reason;                  ///< when it did not run
    std::vector<std::uint64_t> results;  ///< InstructionCase::result_words() of them
};

class OracleDevice {
public:
    virtual ~OracleDevice() = default;
    /// Lines "device: ...", "compute capability: ..." and so on.
    virtual std::string describe() = 0;
    /// Empty, or why the device does not take the module, which has a kernel of that name. It replaces the one before.
    virtual std::string load(const std::string& ptx, const std::string& a_kernel) = 0;
    virtual CaseOutcome launch(const InstructionCase& test, const std::string& kernel) = 0;
};

std::unique_ptr<OracleDevice> make_virtual_device();
/// A diagnostic where no CUDA runtime library or no GPU is found.
Result<std::unique_ptr<OracleDevice>> make_real_device();

using OutcomeHandler = std::function<void(std::size_t index, CaseOutcome outcome)>;

/// Runs the cases in modules of many; a module that is refused is halved until the case at fault is alone. Returns
/// early after a failed launch when `stop_at_failure`: a real GPU's context does not survive one.
void run_cases(OracleDevice& device, std::span<const std::size_t> cases, bool stop_at_failure,
               const OutcomeHandler& handle);

/// The same in a process of its own, which is started anew after a failed launch, and after one that has not ended in
/// half a minute. Returns what the device is, or why there is none.
using DeviceMaker = std::function<Result<std::unique_ptr<OracleDevice>>()>;
Result<std::string> run_cases_apart(const DeviceMaker& make, std::span<const std::size_t> cases,
                                    const OutcomeHandler& handle);

}  // namespace cudash::oracle
