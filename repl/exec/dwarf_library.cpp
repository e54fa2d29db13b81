// What libcudash_dwarf.so has for the library inside of the program (debug_library.cpp).
#include "repl/session/clang/dwarf_reader.h"

extern "C" __attribute__((visibility("default"))) void cudash_read_debug_info(std::string_view ptx,
                                                                              cudash::session::debug::DebugInfo& made) {
    made = cudash::session::read_debug_info(ptx);
}
