#include "repl/worker/input_pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace cudash::worker {
namespace {

namespace fs = std::filesystem;

constexpr int most_generations = 4;  ///< of processes that a cell starts, and that read its input

std::string link_of(const std::string& path) {
    std::error_code failed;
    return fs::read_symlink(path, failed).string();
}

/// The descriptor that a thread waits in read() for; -1: it does something else. "proc_pid_syscall(5): the number and
/// argument registers of the system call being executed".
int read_from(const std::string& task) {
    std::string text;
    std::getline(std::ifstream(task + "/syscall"), text);
    long number = -1;
    unsigned long descriptor = 0;
    if (std::sscanf(text.c_str(), "%ld %lx", &number, &descriptor) != 2) return -1;
    return number == SYS_read || number == SYS_readv ? static_cast<int>(descriptor) : -1;
}

}  // namespace

std::unique_ptr<InputPipe> InputPipe::create() {
    if (read_from("/proc/self/task/" + std::to_string(gettid())) < 0) return nullptr;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
    auto result = std::make_unique<InputPipe>();
    result->reader_ = UniqueFd(ends[0]);
    result->writer_ = UniqueFd(ends[1]);
    fcntl(result->writer(), F_SETFL, O_NONBLOCK);
    result->name_ = link_of(fmt::format("/proc/self/fd/{}", ends[0]));
    return result;
}

bool InputPipe::is_empty() const {
    int bytes = 0;
    return unsent_.empty() && ioctl(reader_.get(), FIONREAD, &bytes) == 0 && bytes == 0;
}

bool InputPipe::is_waited_for(pid_t process) const {
    return writer_ && is_empty() && has_waiting_thread(process, 0);
}

bool InputPipe::has_waiting_thread(pid_t process, int depth) const {
    std::error_code ended;
    for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", process), ended)) {
        const std::string path = task.path().string();
        const int descriptor = read_from(path);
        if (descriptor >= 0 && link_of(fmt::format("/proc/{}/fd/{}", process, descriptor)) == name_) return true;
        if (depth == most_generations) continue;
        std::ifstream children(path + "/children");
        for (pid_t child = 0; children >> child;)
            if (has_waiting_thread(child, depth + 1)) return true;
    }
    return false;
}

void InputPipe::give(const Input& input) {
    if (input.kind != Input::Kind::text) writer_.reset();
    unsent_ += input.text;
    flush();
}

void InputPipe::flush() {
    if (!writer_) unsent_.clear();
    while (!unsent_.empty()) {
        const ssize_t size = write(writer_.get(), unsent_.data(), unsent_.size());
        if (size <= 0) return;  // full: the worker reads first
        unsent_.erase(0, static_cast<std::size_t>(size));
    }
}

void InputPipe::reopen() {
    if (!writer_)
        writer_ =
            UniqueFd(open(fmt::format("/proc/self/fd/{}", reader_.get()).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace cudash::worker
