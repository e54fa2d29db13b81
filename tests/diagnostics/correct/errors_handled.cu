// Calls that fail, or might, in programs that look at what they return.
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                           \
    do {                                                                      \
        const cudaError_t error = (call);                                     \
        if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error)); \
    } while (0)

__global__ void fill(int* p, int n) {
    if (threadIdx.x < n) p[threadIdx.x] = 1;
}

// CASE result_compared
bool result_compared() {
    int* d = nullptr;
    return cudaMalloc(&d, size_t(1) << 60) != cudaSuccess;
}

// CASE result_kept
void result_kept() {
    const cudaError_t error = cudaFree((void*)64);
    if (error) printf("%s\n", cudaGetErrorName(error));
}

// CASE macro_looks
void macro_looks() {
    CHECK(cudaMemset(nullptr, 0, 4));
}

// CASE result_handed_on
cudaError_t set(int* p) {
    return cudaMemset(p, 0, 16);
}
void result_handed_on() {
    if (set(nullptr) != cudaSuccess) printf("handed on\n");
}

// CASE last_error_after_the_launch
void last_error_after_the_launch() {
    int* d = nullptr;
    CHECK(cudaMalloc(&d, 400));
    fill<<<1, 4096>>>(d, 100);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(d));
}

// CASE looked_at_much_later
void looked_at_much_later() {
    int* d = nullptr;
    cudaMalloc(&d, size_t(1) << 60);
    cudaMemset(d, 0, 16);
    fill<<<1, 2000>>>(d, 0);
    if (cudaPeekAtLastError() != cudaSuccess) printf("something failed\n");
    cudaGetLastError();
}

// CASE meant_to_be_ignored
void meant_to_be_ignored() {
    (void)cudaFree((void*)64);
    (void)cudaGetLastError();
    (void)cudaMemset(nullptr, 0, 4);
}

// CASE not_ready_is_an_answer
void not_ready_is_an_answer() {
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    int* d = nullptr;
    CHECK(cudaMalloc(&d, 400));
    fill<<<1, 100>>>(d, 100);
    CHECK(cudaEventRecord(event));
    cudaEventQuery(event);
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaFree(d));
}

// CASE conditional_expression
void conditional_expression() {
    cudaSetDevice(0) == cudaSuccess && cudaSetDevice(99) == cudaSuccess ? printf("two\n") : printf("one\n");
}

int main() {
    if (result_compared()) printf("too much\n");
    result_kept();
    macro_looks();
    result_handed_on();
    last_error_after_the_launch();
    looked_at_much_later();
    meant_to_be_ignored();
    not_ready_is_an_answer();
    conditional_expression();
}
