// Memory that the front end shares with its worker, for the bytes of the session's memory: a socket takes many small
// steps for what this does in one.
#pragma once

#include <cstddef>
#include <span>

#include "repl/worker/unique_fd.h"

namespace cudash::worker {

class SharedWindow {
public:
    /// Room for the most that one query reads. Empty if the system has none to give.
    static SharedWindow create();

    SharedWindow() = default;
    /// Of a descriptor that create() made, in the other process.
    explicit SharedWindow(UniqueFd fd);
    ~SharedWindow();
    SharedWindow(SharedWindow&& other) noexcept;
    SharedWindow& operator=(SharedWindow&& other) noexcept;

    int fd() const { return fd_.get(); }
    std::span<std::byte> bytes() const { return bytes_; }

private:
    UniqueFd fd_;
    std::span<std::byte> bytes_;
};

}  // namespace cudash::worker
