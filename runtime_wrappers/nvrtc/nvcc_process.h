// nvcc as a program that is run: where it is, and a folder for what it makes.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

namespace cudash::nvrtc {

/// A folder of its own under the temporary one, gone with its scope.
class Scratch {
public:
    Scratch();
    ~Scratch();
    Scratch(Scratch&& other) noexcept : folder_(std::move(other.folder_)) { other.folder_.clear(); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    /// Empty: it could not be made.
    const std::filesystem::path& folder() const { return folder_; }

private:
    std::filesystem::path folder_;
};

/// The toolkit's nvcc; empty: there is none.
std::filesystem::path find_nvcc();

std::string content_of(const std::filesystem::path& path);

/// Holds off the signals that end this process while it lives, one at a time: a program that run_process() runs is
/// ended in its place, with all that it has started. Once what was half made is gone, the signal comes again.
class HeldSignals {
public:
    HeldSignals();
    ~HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;
    bool any() const;

private:
    static constexpr std::array held_ = {SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, held_.size()> before_;
};

/// Ends the program that another thread's run_process() runs.
class ProgramEnd {
public:
    /// Now, or as soon as it begins.
    void ask();
    void began(pid_t program);
    void ended() { program_ = 0; }

private:
    std::atomic<pid_t> program_ = 0;
    std::atomic<bool> wanted_ = false;
};

/// Runs a program with its output in a file; its exit status, or -1 if it could not be started or was ended.
int run_process(const std::vector<std::string>& command, const std::filesystem::path& output,
                ProgramEnd* end = nullptr);

}  // namespace cudash::nvrtc
