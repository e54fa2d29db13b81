// cuRAND's device functions: each kind of generator in a kernel gives the numbers of the host function, and Poisson
// numbers have the mean and the variance of their distribution.
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>

#include <cmath>

#include "check.h"

constexpr int threads = 64;
constexpr unsigned long long seed = 1234;

template <class State>
__global__ void pseudo(unsigned* words, float* uniforms, float* normals) {
    const int i = threadIdx.x;
    State state;
    curand_init(seed, i, 0, &state);
    words[i] = curand(&state);
    curand_init(seed, i, 5, &state);
    uniforms[i] = curand_uniform(&state);
    curand_init(seed, i, 0, &state);
    normals[i] = curand_normal2(&state).x;
}

/// Thread i gives the numbers at `i` of its dimension.
template <class State, class Word, class Vectors>
__global__ void quasi(Vectors vectors, Word* words, double* normals) {
    const int i = threadIdx.x;
    State state;
    curand_init(vectors + blockIdx.x * sizeof(Word) * 8, i, &state);
    words[blockIdx.x * threads + i] = curand(&state);
    curand_init(vectors + blockIdx.x * sizeof(Word) * 8, i, &state);
    normals[blockIdx.x * threads + i] = curand_normal_double(&state);
}
template <class State, class Word, class Vectors>
__global__ void scrambled(Vectors vectors, const Word* constants, Word* words) {
    const int i = threadIdx.x;
    State state;
    curand_init(vectors + blockIdx.x * sizeof(Word) * 8, constants[blockIdx.x], i, &state);
    words[blockIdx.x * threads + i] = curand(&state);
}

__global__ void twister(curandStateMtgp32* states, unsigned* words) {
    words[blockIdx.x * 256 + threadIdx.x] = curand(&states[blockIdx.x]);
}

template <class State>
__global__ void poisson(unsigned* counts, int each, double lambda) {
    const int i = threadIdx.x;
    State state;
    curand_init(seed, i, 0, &state);
    for (int k = 0; k < each; ++k) counts[i * each + k] = curand_poisson(&state, lambda);
}
__global__ void poisson_sobol(unsigned* vectors, unsigned* counts, int each, double lambda) {
    const int i = threadIdx.x;
    curandStateSobol32 state;
    curand_init(vectors + i * 32, 1, &state);
    for (int k = 0; k < each; ++k) counts[i * each + k] = curand_poisson(&state, lambda);
}

template <class T>
std::vector<T> back(const T* device, int count) {
    std::vector<T> values(count);
    cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
}

/// `per_turn`: how many results a thread gives in turn, and `lanes` the host's threads.
template <class State>
void compare_pseudo(const char* name, curandRngType_t type, int per_turn, int lanes) {
    unsigned* words;
    float *uniforms, *normals;
    cudaMalloc(&words, threads * sizeof(unsigned));
    cudaMalloc(&uniforms, threads * sizeof(float));
    cudaMalloc(&normals, threads * sizeof(float));
    pseudo<State><<<1, threads>>>(words, uniforms, normals);
    curandGenerator_t host;
    curandCreateGeneratorHost(&host, type);
    curandSetPseudoRandomGeneratorSeed(host, seed);
    std::vector<unsigned> all(threads * per_turn), first(threads);
    curandGenerate(host, all.data(), all.size());
    for (int i = 0; i < threads; ++i) first[i] = all[i * per_turn];
    expect(name, back(words, threads), first);
    // Result 5 of each thread.
    curandSetGeneratorOffset(host, 0);
    std::vector<float> many(std::size_t(lanes) * 6), fifth(threads);
    curandGenerateUniform(host, many.data(), many.size());
    for (int i = 0; i < threads; ++i) {
        const std::size_t turn = 5 / per_turn, rest = 5 % per_turn;
        fifth[i] = many[(turn * lanes + i) * per_turn + rest];
    }
    expect(name, back(uniforms, threads), fifth);
    curandSetGeneratorOffset(host, 0);
    const int step = per_turn == 4 ? 4 : 2;
    std::vector<float> pairs(threads * step), lefts(threads);
    curandGenerateNormal(host, pairs.data(), pairs.size(), 0, 1);
    for (int i = 0; i < threads; ++i) lefts[i] = pairs[i * step];
    const auto given = back(normals, threads);
    for (int i = 0; i < threads; ++i)
        if (std::abs(given[i] - lefts[i]) > 1e-5f) expect(name, given[i], lefts[i]);
    curandDestroyGenerator(host);
}

template <class State, class Scrambled, class Word, class Vector, class Generate>
void compare_quasi(const char* name, curandRngType_t type, curandRngType_t scrambled_type, const Vector* vectors,
                   const Vector* of_scrambled, const Word* constants, Generate generate) {
    constexpr int dimensions = 3;
    Word *device, *with, *words;
    double* normals;
    cudaMalloc(&device, dimensions * sizeof(Vector));
    cudaMalloc(&with, dimensions * sizeof(Word));
    cudaMalloc(&words, dimensions * threads * sizeof(Word));
    cudaMalloc(&normals, dimensions * threads * sizeof(double));
    const auto compare = [&](curandRngType_t kind) {
        curandGenerator_t host;
        curandCreateGeneratorHost(&host, kind);
        curandSetQuasiRandomGeneratorDimensions(host, dimensions);
        std::vector<Word> wanted(dimensions * threads);
        generate(host, wanted.data(), wanted.size());
        expect(name, back(words, dimensions * threads), wanted);
        curandDestroyGenerator(host);
    };
    cudaMemcpy(device, vectors, dimensions * sizeof(Vector), cudaMemcpyHostToDevice);
    quasi<State, Word><<<dimensions, threads>>>(device, words, normals);
    compare(type);
    for (const double value : back(normals, dimensions * threads))
        if (!(std::abs(value) < 9)) expect(name, value, 0.0);
    cudaMemcpy(device, of_scrambled, dimensions * sizeof(Vector), cudaMemcpyHostToDevice);
    cudaMemcpy(with, constants, dimensions * sizeof(Word), cudaMemcpyHostToDevice);
    scrambled<Scrambled, Word><<<dimensions, threads>>>(device, with, words);
    compare(scrambled_type);
}

void compare_twister() {
    constexpr int blocks = 4;
    mtgp32_kernel_params* parameters;
    curandStateMtgp32* states;
    unsigned* words;
    cudaMalloc(&parameters, sizeof *parameters);
    cudaMalloc(&states, blocks * sizeof *states);
    cudaMalloc(&words, blocks * 256 * sizeof *words);
    expect("parameters", int(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters)), 0);
    expect("states", int(curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, blocks, seed)), 0);
    twister<<<blocks, 256>>>(states, words);
    curandGenerator_t host;
    curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_MTGP32);
    curandSetPseudoRandomGeneratorSeed(host, seed);
    std::vector<unsigned> wanted(blocks * 256);
    curandGenerate(host, wanted.data(), wanted.size());
    expect("MTGP32", back(words, blocks * 256), wanted);
    curandDestroyGenerator(host);
}

template <class Launch>
void moments(const char* name, double lambda, Launch launch) {
    constexpr int each = 40, count = threads * each;
    unsigned* counts;
    cudaMalloc(&counts, count * sizeof *counts);
    launch(counts, each);
    double sum = 0, squares = 0;
    for (const unsigned value : back(counts, count)) sum += value, squares += double(value) * value;
    const double mean = sum / count, variance = squares / count - mean * mean;
    std::printf("%s, lambda %g: ", name, lambda);
    // Five standard deviations of the mean, and of the variance.
    const bool fits = std::abs(mean - lambda) < 5 * std::sqrt(lambda / count) + 0.01 &&
                      std::abs(variance - lambda) < 5 * lambda * std::sqrt(3.0 / count) + 0.01;
    expect("mean and variance", fits, true);
    cudaFree(counts);
}

int main() {
    compare_pseudo<curandStateXORWOW>("XORWOW", CURAND_RNG_PSEUDO_XORWOW, 1, 4096);
    compare_pseudo<curandStatePhilox4_32_10>("Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, 4, 65536);
    compare_pseudo<curandStateMRG32k3a>("MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A, 1, 81920);
    curandDirectionVectors32_t *narrow, *narrow_scrambled;
    curandDirectionVectors64_t *wide, *wide_scrambled;
    unsigned* constants;
    unsigned long long* wide_constants;
    curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
    curandGetDirectionVectors32(&narrow_scrambled, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
    curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
    curandGetDirectionVectors64(&wide_scrambled, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
    curandGetScrambleConstants32(&constants);
    curandGetScrambleConstants64(&wide_constants);
    compare_quasi<curandStateSobol32, curandStateScrambledSobol32>("Sobol 32", CURAND_RNG_QUASI_SOBOL32,
                                                                   CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, narrow,
                                                                   narrow_scrambled, constants, curandGenerate);
    compare_quasi<curandStateSobol64, curandStateScrambledSobol64>("Sobol 64", CURAND_RNG_QUASI_SOBOL64,
                                                                   CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, wide,
                                                                   wide_scrambled, wide_constants,
                                                                   curandGenerateLongLong);
    compare_twister();
    unsigned* vectors;
    cudaMalloc(&vectors, threads * sizeof narrow[0]);
    cudaMemcpy(vectors, narrow, threads * sizeof narrow[0], cudaMemcpyHostToDevice);
    for (const double lambda : {3.0, 200.0, 5000.0}) {  // one for each of the library's methods
        moments("XORWOW", lambda, [&](unsigned* to, int each) { poisson<curandStateXORWOW><<<1, threads>>>(to, each, lambda); });
        moments("Philox", lambda,
                [&](unsigned* to, int each) { poisson<curandStatePhilox4_32_10><<<1, threads>>>(to, each, lambda); });
        moments("MRG32k3a", lambda,
                [&](unsigned* to, int each) { poisson<curandStateMRG32k3a><<<1, threads>>>(to, each, lambda); });
        moments("Sobol 32", lambda, [&](unsigned* to, int each) { poisson_sobol<<<1, threads>>>(vectors, to, each, lambda); });
    }
    return 0;
}
