#include "repl/worker/shared_window.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <utility>

#include "repl/session/memory/query.h"

namespace cudash::worker {

SharedWindow SharedWindow::create() {
    UniqueFd fd(memfd_create("cudash", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    // Sealed: one side can't take the memory away under the other.
    if (!fd || ftruncate(fd.get(), session::most_bytes_at_once) != 0 ||
        fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return {};
    return SharedWindow(std::move(fd));
}

SharedWindow::SharedWindow(UniqueFd fd) : fd_(std::move(fd)) {
    if (!fd_) return;
    void* memory = mmap(nullptr, session::most_bytes_at_once, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    if (memory != MAP_FAILED) bytes_ = {static_cast<std::byte*>(memory), session::most_bytes_at_once};
}

SharedWindow::~SharedWindow() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

SharedWindow::SharedWindow(SharedWindow&& other) noexcept
    : fd_(std::move(other.fd_)), bytes_(std::exchange(other.bytes_, {})) {}

SharedWindow& SharedWindow::operator=(SharedWindow&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

}  // namespace cudash::worker
