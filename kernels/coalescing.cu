// Which 32-byte sectors a warp touches decides what an access to global memory costs; `:profile last` counts them.
//   offset      the same words, shifted: at most one sector more for each request
//   stride      neighbouring lanes stand `stride` floats apart: with 8 and more, each lane has a sector of its own
//   structures  a field of an array of structures is a stride; an array for each field is none
//   wide        whole structures, loaded as float4: each lane 16 bytes, and all bytes of a sector used
#include <stdio.h>
#include <stdlib.h>

#include <vector>

constexpr int block = 256;

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

struct alignas(16) Particle {
    float x, y, z, mass;
};

// `in` has n + offset elements.
__global__ void copy_offset(float* out, const float* in, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + offset];
}

// `in` has n * stride elements.
__global__ void copy_stride(float* out, const float* in, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[size_t(i) * stride];
}

__global__ void masses_of_structures(float* out, const Particle* particles, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = particles[i].mass;
}

__global__ void masses_of_arrays(float* out, const float* masses, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = masses[i];
}

// Who needs all four fields loads them at once: one instruction in place of four with a stride.
__global__ void weighted_sums(float* out, const Particle* particles, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = reinterpret_cast<const float4*>(particles)[i];
    out[i] = (p.x + p.y + p.z) * p.w;
}

int main() {
    const int n = 5000, most_elements = 32 * n, grid = (n + block - 1) / block;
    std::vector<float> in(most_elements), out(n);
    std::vector<Particle> particles(n);
    for (int i = 0; i < most_elements; ++i) in[i] = float(i);
    for (int i = 0; i < n; ++i) particles[i] = {float(i % 7), float(i % 5), float(i % 3), float(i)};
    float *din, *dout;
    Particle* dparticles;
    CHECK(cudaMalloc(&din, most_elements * sizeof(float)));
    CHECK(cudaMalloc(&dout, n * sizeof(float)));
    CHECK(cudaMalloc(&dparticles, n * sizeof(Particle)));
    CHECK(cudaMemcpy(din, in.data(), most_elements * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dparticles, particles.data(), n * sizeof(Particle), cudaMemcpyHostToDevice));

    int failures = 0;
    // After a launch: `expected(i)` is what element i of the result must be.
    auto check = [&](const char* name, auto expected) {
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost));
        CHECK(cudaMemset(dout, 0, n * sizeof(float)));
        int wrong = 0;
        for (int i = 0; i < n; ++i) wrong += out[i] != expected(i);
        printf("%s: %d wrong\n", name, wrong);
        failures += wrong;
    };
    for (int offset : {0, 1, 8, 31}) {
        copy_offset<<<grid, block>>>(dout, din, n, offset);
        check("copy_offset", [&](int i) { return float(i + offset); });
    }
    for (int stride : {1, 2, 8, 32}) {
        copy_stride<<<grid, block>>>(dout, din, n, stride);
        check("copy_stride", [&](int i) { return float(i * stride); });
    }
    masses_of_structures<<<grid, block>>>(dout, dparticles, n);
    check("masses_of_structures", [&](int i) { return float(i); });
    masses_of_arrays<<<grid, block>>>(dout, din, n);
    check("masses_of_arrays", [&](int i) { return float(i); });
    weighted_sums<<<grid, block>>>(dout, dparticles, n);
    check("weighted_sums", [&](int i) { return float((i % 7 + i % 5 + i % 3) * i); });
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    CHECK(cudaFree(dparticles));
    return failures != 0;
}
