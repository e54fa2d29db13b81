// Hashes of what the special function unit computes: special_functions [--sampled | --all | --octaves FOLDER]
//
// A line has a function, a step, the first of 16 blocks of operands, and a hash for each block. A block is what shares
// sign and exponent: 2^23 words, of which each step-th is taken (near there, at a place that varies). Pairs of halves,
// quotients and rsqrt.approx.f64 have blocks of 2^14 operands that are made up. With --all the step is 1, and all
// blocks are there: 2^32 operands of each function. --octaves FOLDER writes whole octaves of results, for `derive`.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using Word = unsigned;

#define SINGLE(NAME, TEXT)                                                                \
    struct NAME {                                                                         \
        static constexpr const char* name = TEXT;                                         \
        static __device__ Word of(Word operand) {                                         \
            float result;                                                                 \
            asm volatile(TEXT " %0, %1;" : "=f"(result) : "f"(__uint_as_float(operand))); \
            return __float_as_uint(result);                                               \
        }                                                                                 \
    };
SINGLE(Rcp, "rcp.approx.f32")
SINGLE(RcpFtz, "rcp.approx.ftz.f32")
SINGLE(Rsqrt, "rsqrt.approx.f32")
SINGLE(RsqrtFtz, "rsqrt.approx.ftz.f32")
SINGLE(Sqrt, "sqrt.approx.f32")
SINGLE(SqrtFtz, "sqrt.approx.ftz.f32")
SINGLE(Lg2, "lg2.approx.f32")
SINGLE(Lg2Ftz, "lg2.approx.ftz.f32")
SINGLE(Ex2, "ex2.approx.f32")
SINGLE(Ex2Ftz, "ex2.approx.ftz.f32")
SINGLE(Sin, "sin.approx.f32")
SINGLE(Cos, "cos.approx.f32")
SINGLE(Tanh, "tanh.approx.f32")

/// The operand is the upper half; the lower half of the result is zero.
#define DOUBLE(NAME, TEXT)                                                                    \
    struct NAME {                                                                             \
        static constexpr const char* name = TEXT;                                             \
        static __device__ Word of(Word operand) {                                             \
            double result;                                                                    \
            asm volatile(TEXT " %0, %1;" : "=d"(result) : "d"(__hiloint2double(operand, 0))); \
            return __double2hiint(result) + __double2loint(result);                           \
        }                                                                                     \
    };
DOUBLE(Rcp64, "rcp.approx.ftz.f64")
DOUBLE(Rsqrt64, "rsqrt.approx.ftz.f64")

__host__ __device__ inline Word mix(Word a, Word b) {
    Word hash = b + a * 0x9E3779B1u;
    hash ^= hash >> 15;
    hash *= 0x2C1B3C6Du;
    hash ^= hash >> 12;
    hash *= 0x297A2D39u;
    return hash ^ hash >> 15;
}

#define PAIR(NAME, TEXT)                                                 \
    struct NAME {                                                        \
        static constexpr const char* name = TEXT;                        \
        static __device__ Word of(Word place) {                          \
            Word result, operand = mix(place, 1);                        \
            asm volatile(TEXT " %0, %1;" : "=r"(result) : "r"(operand)); \
            return result;                                               \
        }                                                                \
    };
PAIR(Ex2F16x2, "ex2.approx.f16x2")
PAIR(TanhF16x2, "tanh.approx.f16x2")
PAIR(Ex2Bf16x2, "ex2.approx.ftz.bf16x2")
PAIR(TanhBf16x2, "tanh.approx.bf16x2")
#define HALF(NAME, TEXT)                                                 \
    struct NAME {                                                        \
        static constexpr const char* name = TEXT;                        \
        static __device__ Word of(Word place) {                          \
            unsigned short result, operand = place;                      \
            asm volatile(TEXT " %0, %1;" : "=h"(result) : "h"(operand)); \
            return result;                                               \
        }                                                                \
    };
HALF(Ex2F16, "ex2.approx.f16")
HALF(TanhF16, "tanh.approx.f16")
HALF(Ex2Bf16, "ex2.approx.ftz.bf16")
HALF(TanhBf16, "tanh.approx.bf16")

#define QUOTIENT(NAME, TEXT)                                                                      \
    struct NAME {                                                                                 \
        static constexpr const char* name = TEXT;                                                 \
        static __device__ Word of(Word place) {                                                   \
            float result, a = __uint_as_float(mix(place, 1)), b = __uint_as_float(mix(place, 2)); \
            asm volatile(TEXT " %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));                    \
            return __float_as_uint(result);                                                       \
        }                                                                                         \
    };
QUOTIENT(DivApprox, "div.approx.f32")
QUOTIENT(DivApproxFtz, "div.approx.ftz.f32")
QUOTIENT(DivFull, "div.full.f32")
QUOTIENT(DivFullFtz, "div.full.ftz.f32")

struct RsqrtDouble {
    static constexpr const char* name = "rsqrt.approx.f64";
    static __device__ Word of(Word place) {
        // Every fourth is subnormal or zero.
        const Word upper = mix(place, 1) >> (place % 4 == 0 ? 12 : 0);
        double result, operand = __hiloint2double(upper, place % 64 == 0 ? 0 : mix(place, 2));
        asm volatile("rsqrt.approx.f64 %0, %1;" : "=d"(result) : "d"(operand));
        return __double2hiint(result) * 31 + __double2loint(result);
    }
};

/// A thread block adds up one block of operands.
template <class Function>
__global__ void hash_blocks(Word* hashes, Word block_bits, Word step) {
    const Word first = blockIdx.x << block_bits;
    Word sum = 0;
    for (Word k = threadIdx.x * step; k < 1u << block_bits; k += blockDim.x * step) {
        const Word operand = first + k + (k / step * 0x9E37u & (step - 1));
        sum += mix(operand, Function::of(operand));
    }
    atomicAdd(&hashes[blockIdx.x], sum);
}

template <class Function>
__global__ void write_results(Word first, Word* results) {
    const Word k = blockIdx.x * blockDim.x + threadIdx.x;
    results[k] = Function::of(first + k);
}

static Word* memory;

template <class Function>
void show(int blocks, Word block_bits, Word step) {
    std::vector<Word> hashes(blocks);
    cudaMemset(memory, 0, blocks * sizeof(Word));
    hash_blocks<Function><<<blocks, 256>>>(memory, block_bits, step);
    cudaMemcpy(hashes.data(), memory, blocks * sizeof(Word), cudaMemcpyDeviceToHost);
    for (int first = 0; first < blocks; first += 16) {
        printf("%s %u %03x:", Function::name, step, first);
        for (int i = first; i < first + 16 && i < blocks; ++i) printf(" %08x", hashes[i]);
        printf("\n");
    }
}

template <class Function>
void write_octaves(const std::string& folder, const char* name, Word first, Word last) {
    std::vector<Word> results(1 << 23);
    for (Word octave = first; octave <= last; octave += 0x800000) {
        write_results<Function><<<(1 << 23) / 256, 256>>>(octave, memory);
        cudaMemcpy(results.data(), memory, 4 << 23, cudaMemcpyDeviceToHost);
        char file_name[64];
        snprintf(file_name, sizeof file_name, "/%s_%08x", name, octave);
        FILE* file = fopen((folder + file_name).c_str(), "wb");
        if (!file) return perror(folder.c_str());
        fwrite(results.data(), 4, results.size(), file);
        fclose(file);
    }
}

int main(int count, char** arguments) {
    cudaMalloc(&memory, 4 << 23);
    if (count > 2 && std::strcmp(arguments[1], "--octaves") == 0) {
        const std::string folder = arguments[2];
        write_octaves<RcpFtz>(folder, "rcp", 0x3F800000, 0x3F800000);
        write_octaves<RsqrtFtz>(folder, "rsqrt", 0x3F800000, 0x40000000);
        write_octaves<SqrtFtz>(folder, "sqrt", 0x3F800000, 0x40000000);
        write_octaves<Lg2Ftz>(folder, "lg2", 0x40000000, 0x40000000);
        write_octaves<Ex2Ftz>(folder, "ex2", 0x3F800000, 0x3F800000);
        write_octaves<Sin>(folder, "sin", 0x3B800000, 0x3F800000);
        write_octaves<Tanh>(folder, "tanh", 0x3B800000, 0x40800000);
        cudaFree(memory);
        return 0;
    }
    const Word step = count > 1 && std::strcmp(arguments[1], "--all") == 0 ? 1 : 256;
    show<Rcp>(512, 23, step), show<RcpFtz>(512, 23, step);
    show<Rsqrt>(512, 23, step), show<RsqrtFtz>(512, 23, step);
    show<Sqrt>(512, 23, step), show<SqrtFtz>(512, 23, step);
    show<Lg2>(512, 23, step), show<Lg2Ftz>(512, 23, step);
    show<Ex2>(512, 23, step), show<Ex2Ftz>(512, 23, step);
    show<Sin>(512, 23, step), show<Cos>(512, 23, step), show<Tanh>(512, 23, step);
    show<Rcp64>(512, 23, step), show<Rsqrt64>(512, 23, step);
    if (step > 1) {
        show<Ex2F16>(16, 12, 1), show<TanhF16>(16, 12, 1), show<Ex2Bf16>(16, 12, 1), show<TanhBf16>(16, 12, 1);
        show<Ex2F16x2>(16, 14, 1), show<TanhF16x2>(16, 14, 1), show<Ex2Bf16x2>(16, 14, 1), show<TanhBf16x2>(16, 14, 1);
        show<DivApprox>(16, 14, 1), show<DivApproxFtz>(16, 14, 1), show<DivFull>(16, 14, 1),
            show<DivFullFtz>(16, 14, 1);
        show<RsqrtDouble>(16, 14, 1);
    }
    cudaFree(memory);
}
