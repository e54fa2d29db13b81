// The OpenMP header of the installed GCC, as a program compiled by nvcc and g++ finds it: clang 19's package has none.
// Pragmas are ignored, as without -fopenmp; the functions are those of GCC's libgomp.
#pragma once
// GCC's header names the function that frees, which clang's attribute does not take.
#pragma push_macro("__malloc__")
#define __malloc__(...) __malloc__
#if __has_include_next(<omp.h>)
#include_next <omp.h>
#elif __has_include("/usr/lib/gcc/x86_64-linux-gnu/15/include/omp.h")
#include "/usr/lib/gcc/x86_64-linux-gnu/15/include/omp.h"
#elif __has_include("/usr/lib/gcc/x86_64-linux-gnu/14/include/omp.h")
#include "/usr/lib/gcc/x86_64-linux-gnu/14/include/omp.h"
#elif __has_include("/usr/lib/gcc/x86_64-linux-gnu/13/include/omp.h")
#include "/usr/lib/gcc/x86_64-linux-gnu/13/include/omp.h"
#elif __has_include("/usr/lib/gcc/x86_64-linux-gnu/12/include/omp.h")
#include "/usr/lib/gcc/x86_64-linux-gnu/12/include/omp.h"
#elif __has_include("/usr/lib/gcc/x86_64-linux-gnu/11/include/omp.h")
#include "/usr/lib/gcc/x86_64-linux-gnu/11/include/omp.h"
#else
#error "omp.h was not found: it comes with GCC (package gcc)"
#endif
#pragma pop_macro("__malloc__")
