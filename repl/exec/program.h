// The program that nvcc built, from inside: what cudash loads into it takes its main function, and the moment at which
// exit() has run the program's own handlers.
#pragma once

#include <string>

namespace cudash::exec {

/// The program's main function, called with its own arguments.
int call_main();
/// True if this process is the program, and not a copy of it that the program has forked.
bool is_program();
/// For processes that the program starts from its own file: they have the same device and checkers.
void tell_own_processes(const std::string& device, const std::string& check);
/// In such a process: findings go to stderr as text.
void serve_without_front_end(const char* device, const char* check);
/// At once: nothing of the program's own runs any more, and the front end hears nothing.
[[noreturn]] void leave_process(int status);
/// Whether the program has called the CUDA runtime.
bool has_device();

}  // namespace cudash::exec
