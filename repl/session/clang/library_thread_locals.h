// Thread-local variables of the libraries, as cells see them: std::call_once, std::promise and std::async use two of
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

}  // namespace cudash::session
