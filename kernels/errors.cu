// Where errors show. A call of the runtime answers at once. A launch answers nothing: what the runtime refuses is read
// with cudaGetLastError, and what a running kernel does wrong appears at a later call that waits for it.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

// Ends the program at the first call that fails: what would follow has no meaning. CHECK is a macro, so that the line
// is the call's.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

// A launch has two moments of failure. Waiting right behind it pins the second one to this launch, and makes the host
// idle: for debugging (-DWAIT_FOR_LAUNCHES), not for finished programs.
#ifdef WAIT_FOR_LAUNCHES
#define CHECK_LAUNCH() (CHECK(cudaGetLastError()), CHECK(cudaDeviceSynchronize()))
#else
#define CHECK_LAUNCH() CHECK(cudaGetLastError())
#endif

__global__ void fill(int* data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = value;
}

__global__ void stop() {
    __trap();
}

int failures = 0;

void expect(const char* what, bool as_expected) {
    printf("%s: %s\n", what, as_expected ? "yes" : "no");
    failures += !as_expected;
}

int main() {
    const int n = 1000, block = 256;
    int* data;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    fill<<<(n + block - 1) / block, block>>>(data, n, 7);
    CHECK_LAUNCH();

    // A call that fails leaves a note, too. Whoever expects the failure takes the note away: the next one to ask would
    // blame an innocent launch for it.
    void* too_large;
    expect("too much memory is refused at once", cudaMalloc(&too_large, size_t(1) << 50) == cudaErrorMemoryAllocation);
    expect("the note of it is there", cudaGetLastError() == cudaErrorMemoryAllocation);
    expect("reading took it away", cudaPeekAtLastError() == cudaSuccess);

    // No device takes blocks of so many threads. A refused launch runs nothing and destroys nothing.
    fill<<<1, 1 << 16>>>(data, n, 8);
    expect("a block that is too large is refused", cudaGetLastError() != cudaSuccess);
    std::vector<int> host(n);
    CHECK(cudaMemcpy(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int value : host) wrong += value != 7;
    expect("the data is as it was", wrong == 0);
    CHECK(cudaFree(data));

    // Last, because nothing on the device survives it. The virtual GPU explains this mistake on stderr, as any other:
    // it is meant.
    stop<<<1, 1>>>();
    expect("the launch of a kernel that will fail is accepted", cudaGetLastError() == cudaSuccess);
    expect("its failure appears where somebody waits", cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    (void)cudaGetLastError();  // wipes the note, mends nothing
    expect("and at every call from then on", cudaMalloc(&too_large, 16) == cudaErrorLaunchFailure);
    return failures != 0;
}
