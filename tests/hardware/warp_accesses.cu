// Records what Nsight Compute counts for single accesses of a warp: tests/hardware/warp_accesses_h200.txt.
//   nvcc -arch=sm_90 -O3 -o warp_accesses warp_accesses.cu
//   ./warp_accesses > patterns
//   ncu --csv --page raw --print-units base --metrics METRICS ./warp_accesses run
// The metrics are named in the recording; of each pattern the first launch is for shared memory, the second for global.
#include <cstdio>

struct Pattern {
    unsigned short element[32];
    unsigned mask;
};

__device__ unsigned mix(char v) {
    return v;
}
__device__ unsigned mix(short v) {
    return v;
}
__device__ unsigned mix(int v) {
    return v;
}
__device__ unsigned mix(int2 v) {
    return v.x ^ v.y;
}
__device__ unsigned mix(int4 v) {
    return v.x ^ v.y ^ v.z ^ v.w;
}

constexpr unsigned shared_bytes = 32768;

template <class T>
__global__ void access(Pattern pattern, unsigned* out, T* global) {
    __shared__ __align__(1024) T shared[shared_bytes / sizeof(T)];
    const unsigned lane = threadIdx.x, at = pattern.element[lane];
    if (!(pattern.mask >> lane & 1)) return;
    if (global) {
        T value = global[at];
        global[at + shared_bytes] = value;
        return;
    }
    T value = shared[at];
    __syncwarp(pattern.mask);
    asm volatile("" ::"r"(mix(value)));
    shared[at] = value;
    __syncwarp(pattern.mask);
    if (out[0] == 7) out[lane] = mix(shared[lane]);  // never: the store is needed
}

unsigned state = 1;
unsigned random_below(unsigned n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

template <class T>
void patterns(unsigned* out, char* global, bool run) {
    const int size = sizeof(T);
    state = size;
    const unsigned elements = shared_bytes / size;
    for (int number = 0; number < 96; ++number) {
        Pattern p;
        p.mask = ~0u;
        unsigned among = 4u << (number % 8);
        if (among > elements) among = elements;
        for (unsigned lane = 0; lane < 32; ++lane) {
            unsigned v = random_below(among);
            if (number < 33)
                v = lane * (number + 1) % elements;  // strides
            else if (number < 49) {
            }  // anywhere
            else if (number < 57) {
                if (lane & 1) v = p.element[lane & ~1u];
            }  // lanes n and n^1 are equal
            else if (number < 65) {
                if (lane & 2) v = p.element[lane & ~2u];
            }  // n and n^2
            else if (number < 73) {
                if (lane & 16) v = p.element[lane - 16];
            } else if (number < 81)
                v = lane;  // under a mask
            else if (number < 89) {
                if (lane & 8) v = p.element[lane - 8];
            } else if (lane & 4)
                v = p.element[lane - 4];
            p.element[lane] = v;
        }
        if ((number >= 73 && number < 81) || (number % 5 == 4 && number > 40))
            p.mask = random_below(65536) << 16 | random_below(65536) | 1;
        const unsigned masks[] = {0xff, 0xff00ff, 0xffff, 0x0f0f0f0f, 0x55555555};
        if (number >= 73 && number < 78) p.mask = masks[number - 73];
        if (run) {
            access<T><<<1, 32>>>(p, out, nullptr);
            access<T><<<1, 32>>>(p, out, (T*)global);
        } else {
            printf("%d %08x", size, p.mask);
            for (unsigned element : p.element) printf(" %u", element);
            printf("\n");
        }
    }
}

int main(int count, char**) {
    unsigned* out;
    char* global;
    cudaMalloc(&out, 4096);
    cudaMemset(out, 0, 4096);
    cudaMalloc(&global, 1 << 21);
    const bool run = count > 1;
    patterns<char>(out, global, run);
    patterns<short>(out, global, run);
    patterns<int>(out, global, run);
    patterns<int2>(out, global, run);
    patterns<int4>(out, global, run);
    return cudaDeviceSynchronize() != cudaSuccess;
}
