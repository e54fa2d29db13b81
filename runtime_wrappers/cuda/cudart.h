// The real CUDA runtime library, opened when it is first needed: the program starts without a toolkit and without a
// driver.
#pragma once

#include <string>

namespace cudash::cuda {

/// A symbol of libcudart.so.13; nullptr if the library or the symbol is missing.
void* cudart_symbol(const char* name);

template <class Signature>
Signature cudart_function(const char* name) {
    return reinterpret_cast<Signature>(cudart_symbol(name));
}

/// A function of the driver that libcudart has loaded; nullptr if there is none.
void* driver_symbol(const char* name);

template <class Signature>
Signature driver_function(const char* name) {
    return reinterpret_cast<Signature>(driver_symbol(name));
}

/// The places that were tried; empty when the library is open.
const std::string& cudart_missing();

}  // namespace cudash::cuda
