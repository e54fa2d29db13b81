#include "repl/session/memory_functions.h"

#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "repl/session/function_address.h"
#include "runtime_wrappers/api/wrong_free.h"
#include "runtime_wrappers/virtual_gpu/runtime/page_guard.h"

namespace cudash::session {
namespace {

using virtual_gpu::runtime::PageGuard;

constexpr std::uintptr_t page = 4096;

/// Touches each page that holds a part of the buffer, so that what is guarded is noted here and opened.
void touch(const void* buffer, std::size_t bytes, bool writes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
    for (std::uintptr_t at = begin; at < begin + bytes; at = (at / page + 1) * page) {
        if (!PageGuard::holds(at)) continue;
        auto* byte = reinterpret_cast<volatile unsigned char*>(at);
        const unsigned char value = *byte;
        if (writes) *byte = value;
    }
}

ssize_t call_read(int file, void* buffer, std::size_t bytes) {
    touch(buffer, bytes, true);
    return ::read(file, buffer, bytes);
}
ssize_t call_write(int file, const void* buffer, std::size_t bytes) {
    touch(buffer, bytes, false);
    return ::write(file, buffer, bytes);
}
ssize_t call_pread(int file, void* buffer, std::size_t bytes, off_t offset) {
    touch(buffer, bytes, true);
    return ::pread(file, buffer, bytes, offset);
}
ssize_t call_pwrite(int file, const void* buffer, std::size_t bytes, off_t offset) {
    touch(buffer, bytes, false);
    return ::pwrite(file, buffer, bytes, offset);
}
ssize_t call_recv(int socket, void* buffer, std::size_t bytes, int flags) {
    touch(buffer, bytes, true);
    return ::recv(socket, buffer, bytes, flags);
}
ssize_t call_send(int socket, const void* buffer, std::size_t bytes, int flags) {
    touch(buffer, bytes, false);
    return ::send(socket, buffer, bytes, flags);
}
std::size_t call_fread(void* buffer, std::size_t size, std::size_t count, std::FILE* file) {
    touch(buffer, size * count, true);
    return std::fread(buffer, size, count, file);
}
std::size_t call_fwrite(const void* buffer, std::size_t size, std::size_t count, std::FILE* file) {
    touch(buffer, size * count, false);
    return std::fwrite(buffer, size, count, file);
}

// What a program reads before it wrote it is zero, in every run: in a process that has only just begun, as a compiled
// program does, it mostly is; here the compiler has used the heap before.

/// What is as small comes from blocks that were freed, in glibc, and is cleared here; calloc would leave those alone,
/// and the next ones could not be kept for the check that finds what is freed twice.
constexpr std::size_t small_bytes = 1024;

/// From byte `from` on, as far as realloc may let the program have it.
void* cleared(void* made, std::size_t from = 0) {
    asm("" : "+r"(made));  // else the compiler makes a calloc of malloc and this
    const std::size_t bytes = made ? malloc_usable_size(made) : 0;
    if (bytes > from) std::memset(static_cast<std::byte*>(made) + from, 0, bytes - from);
    return made;
}

void* call_malloc(std::size_t bytes) {
    return bytes > small_bytes ? std::calloc(1, bytes) : cleared(std::malloc(bytes));
}
void* call_realloc(void* pointer, std::size_t bytes) {
    const std::size_t had = pointer ? malloc_usable_size(pointer) : 0;
    return cleared(std::realloc(pointer, bytes), had);
}
void* call_aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return cleared(std::aligned_alloc(alignment, bytes));
}
int call_posix_memalign(void** pointer, std::size_t alignment, std::size_t bytes) {
    const int failed = ::posix_memalign(pointer, alignment, bytes);
    if (failed == 0) cleared(*pointer);
    return failed;
}
[[maybe_unused]] void* call_new_or_null(std::size_t bytes, const std::nothrow_t&) {
    return call_malloc(std::max<std::size_t>(bytes, 1));
}
[[maybe_unused]] void* call_new(std::size_t bytes) {
    if (void* made = call_new_or_null(bytes, std::nothrow)) return made;
    throw std::bad_alloc();
}

/// False for what is CUDA's.
bool may_free(const void* pointer, const char* function, const void* frame) {
    if (!pointer) return true;
    if (api::is_wrong_free(pointer, function, frame)) return false;
    api::host_frees(pointer, frame);
    return true;
}

// The caller's frame is found from that of these functions.
void call_free(void* pointer) {
    if (!may_free(pointer, "free", __builtin_frame_address(0))) return;
    std::free(pointer);
}
void call_delete(void* pointer) {
    if (!may_free(pointer, "delete", __builtin_frame_address(0))) return;
    ::operator delete(pointer);
}
void call_delete_sized(void* pointer, std::size_t) {
    if (!may_free(pointer, "delete", __builtin_frame_address(0))) return;
    ::operator delete(pointer);
}
void call_delete_array(void* pointer) {
    if (!may_free(pointer, "delete[]", __builtin_frame_address(0))) return;
    ::operator delete[](pointer);
}
void call_delete_array_sized(void* pointer, std::size_t) {
    if (!may_free(pointer, "delete[]", __builtin_frame_address(0))) return;
    ::operator delete[](pointer);
}

}  // namespace

std::vector<api::Symbol> memory_functions() {
    return {
        {"read", address_of(&call_read)},
        {"write", address_of(&call_write)},
        {"pread", address_of(&call_pread)},
        {"pwrite", address_of(&call_pwrite)},
        {"recv", address_of(&call_recv)},
        {"send", address_of(&call_send)},
        {"fread", address_of(&call_fread)},
        {"fwrite", address_of(&call_fwrite)},
        {"malloc", address_of(&call_malloc)},
        {"realloc", address_of(&call_realloc)},
        {"aligned_alloc", address_of(&call_aligned_alloc)},
        {"posix_memalign", address_of(&call_posix_memalign)},
#ifndef __SANITIZE_ADDRESS__  // it tells memory of calloc from that of new
        {"_Znwm", address_of(&call_new)},
        {"_Znam", address_of(&call_new)},
        {"_ZnwmRKSt9nothrow_t", address_of(&call_new_or_null)},
        {"_ZnamRKSt9nothrow_t", address_of(&call_new_or_null)},
#endif
        {"free", address_of(&call_free)},
        {"_ZdlPv", address_of(&call_delete)},
        {"_ZdlPvm", address_of(&call_delete_sized)},
        {"_ZdaPv", address_of(&call_delete_array)},
        {"_ZdaPvm", address_of(&call_delete_array_sized)},
    };
}

}  // namespace cudash::session
