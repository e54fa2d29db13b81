// What many allocations, launches, events and graph nodes cost, and whether anything grows with them. Prints a line for
// each: milliseconds, and by how much the process has grown. Run it with CUDASH_REPEATS=run: launches that repeat
// others must not be left out.
#include <stdio.h>
#include <stdlib.h>

#include <chrono>
#include <fstream>
#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

__global__ void add_one(int* sum) {
    if (threadIdx.x == 0) *sum += 1;
}

long resident_kib() {
    std::ifstream file("/proc/self/statm");
    long all = 0, resident = 0;
    file >> all >> resident;
    return resident * 4;
}

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Work>
void measure(const char* what, Work work) {
    const long before = resident_kib();
    const double start = now_ms();
    work();
    CHECK(cudaDeviceSynchronize());
    printf("%-48s %10.1f ms %+8ld KiB\n", what, now_ms() - start, resident_kib() - before);
    fflush(stdout);
}

constexpr int allocations = 20000, launches = 100000, events = 10000, nodes = 10000;

void allocate_and_free(int step) {
    std::vector<void*> places(allocations);
    for (void*& place : places) CHECK(cudaMalloc(&place, 256));
    for (long i = 0; i < allocations; ++i) CHECK(cudaFree(places[i * step % allocations]));
}

void record_events(int* sum) {
    std::vector<cudaEvent_t> made(events);
    for (cudaEvent_t& event : made) CHECK(cudaEventCreate(&event));
    for (cudaEvent_t event : made) {
        add_one<<<1, 32>>>(sum);
        CHECK(cudaEventRecord(event));
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 1; i < events; ++i) {
        float ms = 0;
        CHECK(cudaEventElapsedTime(&ms, made[i - 1], made[i]));
    }
    for (cudaEvent_t event : made) CHECK(cudaEventDestroy(event));
}

int main() {
    int* sum;
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMemset(sum, 0, sizeof(int)));
    measure("the first launch", [&] { add_one<<<1, 32>>>(sum); });
    measure("20,000 allocations, then their frees", [] { allocate_and_free(1); });
    measure("20,000 allocations, freed in another order", [] { allocate_and_free(7919); });
    measure("20,000 times an allocation and its free", [] {
        for (int i = 0; i < allocations; ++i) {
            void* place;
            CHECK(cudaMalloc(&place, 256));
            CHECK(cudaFree(place));
        }
    });
    for (const char* what : {"100,000 launches", "100,000 launches more"})
        measure(what, [&] {
            for (int i = 0; i < launches; ++i) add_one<<<1, 32>>>(sum);
        });
    for (const char* what : {"10,000 events with a launch each", "10,000 events more"})
        measure(what, [&] { record_events(sum); });

    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamCreate(&stream));
    measure("a graph of 10,000 nodes, captured and made", [&] {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < nodes; ++i) add_one<<<1, 32, 0, stream>>>(sum);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&ready, graph, 0));
    });
    for (const char* what : {"that graph 50 times", "and 50 times more"})
        measure(what, [&] {
            for (int i = 0; i < 50; ++i) CHECK(cudaGraphLaunch(ready, stream));
        });
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));

    int value = 0;
    constexpr int expected = 1 + 2 * launches + 2 * events + 100 * nodes;
    CHECK(cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(sum));
    printf("%s\n", value == expected ? "ok" : "wrong: launches were lost");
    return value != expected;
}
