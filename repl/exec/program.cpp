#include "repl/exec/program.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "repl/exec/environment.h"
#include "repl/exec/late_library.h"
#include "repl/exec/own_code.h"
#include "repl/own_program.h"
#include "repl/session/guard.h"
#include "repl/worker/server.h"
#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/cudart/static_cudart.h"

#define CUDASH_EXPORT extern "C" __attribute__((visibility("default")))

namespace cudash::exec {
namespace {

using Main = int (*)(int, char**, char**);
using Handler = void (*)();
using StartMain = int (*)(Main, int, char**, Handler, Handler, Handler, void*);

/// One program a process: what the C library calls has no argument that could lead to it.
struct Program {
    Main main = nullptr;
    int argument_count = 0;
    char** arguments = nullptr;
    Handler end_of_libraries = nullptr;
    pid_t process = 0;
    worker::Server* server = nullptr;
};
Program program;

/// What the C library calls instead of main: the front end says when main begins.
int serve_main(int, char**, char**) {
    program.server->serve();
    std::fflush(nullptr);
    if (program.end_of_libraries) program.end_of_libraries();
    _exit(0);
}

/// exit() calls this after the program's handlers and destructors, with its status. The front end hears of the end
/// then, and may ask for more.
void end_of_exit(void*, int status) {
    if (is_program()) session::Guard::leave(status);
    if (program.end_of_libraries) program.end_of_libraries();
}

/// A copy of a program that has used the device can't use it, as with a real one: CUDA's calls fail. Others open a
/// device of their own. The front end is the first process's.
void become_copy() {
    api::set_active(nullptr);
}

/// The front end's socket and window, as spawn_worker passes them.
std::unique_ptr<worker::Server> connect() {
    const char* const text = std::getenv(descriptors_variable);
    if (!text) return nullptr;
    int socket = -1, window = -1;
    const char* const end = text + std::strlen(text);
    const char* const comma = std::from_chars(text, end, socket).ptr;
    if (comma != end) std::from_chars(comma + 1, end, window);
    unsetenv(descriptors_variable);
    return worker::Server::create(socket, window, nullptr);
}

std::string own_file() {
    return own_program().string();
}

/// Whether the program has started its own file again, for a process that shares memory with it, say.
bool is_started_again() {
    const char* const file = std::getenv(file_variable);
    return file && file == own_file();
}

}  // namespace

void tell_own_processes(const std::string& device, const std::string& check) {
    setenv(file_variable, own_file().c_str(), 1);
    setenv(device_variable, device.c_str(), 1);
    setenv(check_variable, check.c_str(), 1);
}

int call_main() {
    return program.main(program.argument_count, program.arguments, environ);
}

bool is_program() {
    return program.process == getpid();
}

void leave_process(int status) {
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

// The C library's start of a program, before anything of the program's own has run.
CUDASH_EXPORT int __libc_start_main(Main main, int count, char** arguments, Handler begin, Handler end,
                                    Handler end_of_libraries, void* stack) {
    const auto start = reinterpret_cast<StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
    static const std::unique_ptr<worker::Server> server = connect();
    const bool again = !server && is_started_again();
    if (server || again) cudart::replace_static_cudart();
    if (again) serve_without_front_end(std::getenv(device_variable), std::getenv(check_variable));
    if (!server) return start(main, count, arguments, begin, end, end_of_libraries, stack);
    program = {main, count, arguments, end_of_libraries, getpid(), server.get()};
    if (!server->open()) _exit(1);
    pthread_atfork(nullptr, nullptr, &become_copy);
    return start(&serve_main, count, arguments, begin, end, reinterpret_cast<Handler>(&end_of_exit), stack);
}

// What is destroyed as exit() begins, the front end could not ask about afterwards: cudash's own objects stay.
CUDASH_EXPORT int __cxa_atexit(void (*destroy)(void*), void* object, void* library) {
    using Register = int (*)(void (*)(void*), void*, void*);
    static const auto next = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cxa_atexit"));
    if (is_loading_late() || is_own(reinterpret_cast<std::uintptr_t>(library))) return 0;
    return next(destroy, object, library);
}

CUDASH_EXPORT [[noreturn]] void _exit(int status) {
    if (is_program()) session::Guard::leave(status);
    leave_process(status);
}
CUDASH_EXPORT [[noreturn]] void _Exit(int status) {
    _exit(status);
}

}  // namespace cudash::exec
