// The address by which interpreted code finds one of our functions.
#pragma once

namespace cudash::session {

template <class Function>
const void* address_of(Function function) {
    return reinterpret_cast<const void*>(function);
}

}  // namespace cudash::session
