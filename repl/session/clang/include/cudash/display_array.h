// An array as <cudash/display.h> gives it to the program that shows it. Plain C++ without CUDA: both sides include it.
#pragma once

#include <cstddef>

extern "C" {
/// What an element consists of: so many scalars of one kind.
struct cudash_element {
    unsigned kind; /* 0 signed integer, 1 unsigned integer, 2 IEEE 754, 3 bfloat16, 4 bool */
    unsigned scalar_bytes, channels;
    std::size_t bytes;
    const char* type;
};
struct cudash_array {
    const void* data;
    struct cudash_element element;
    std::size_t rows, columns;
    int is_plane; /* rows and columns, and not a line of elements */
    const char* form;
    const char* title;
};
}
