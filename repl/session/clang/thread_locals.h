// Thread-local variables, as cells see them. Those of the main thread are destroyed when the program ends, though the
// thread goes on. Those of the libraries: std::call_once, std::promise and std::async use two of
// the C++ library's. The JIT's code asks for every thread-local variable by emulated TLS: it hands a control object to
// __emutls_get_address() and gets the thread's own copy. A library's variable has no control object, so it gets one
// here.
#pragma once

#include <string_view>

namespace cudash::session {

/// Instead of the compiler's __emutls_get_address().
void* thread_local_address(void* control);

/// The control object of `symbol`, "__emutls_v.NAME"; nullptr if no library has a variable of that name.
const void* library_thread_local(std::string_view symbol);

/// Instead of the C++ library's __cxa_thread_atexit(): keeps what the main thread's variables need at the end.
int at_thread_exit(void (*destroy)(void*), void* object, void* library);
/// Destroys them, the newest first.
void destroy_thread_locals();

}  // namespace cudash::session
