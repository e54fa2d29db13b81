// What the cases share: memory that is cleared, memory that is not, and host data on the device.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include <vector>

// What the cases leave behind is not a subject of theirs.
inline const int reset_at_exit = atexit([] { cudaDeviceReset(); });

template <class T>
T* raw(int n) {
    T* p = nullptr;
    cudaMalloc(&p, n * sizeof(T));
    return p;
}
template <class T>
T* zeroed(int n) {
    T* p = raw<T>(n);
    cudaMemset(p, 0, n * sizeof(T));
    return p;
}
template <class T = int>
T* counted(int n) {
    std::vector<T> h(n);
    for (int i = 0; i < n; ++i) h[i] = T(i * 7 % 64);
    T* p = raw<T>(n);
    cudaMemcpy(p, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
