// Memory whose end is not a cudaFree beside it.
#include <stdio.h>

#include <memory>
#include <vector>

// CASE freed_by_a_destructor
struct Buffer {
    explicit Buffer(size_t bytes) { cudaMalloc(&data, bytes); }
    ~Buffer() { cudaFree(data); }
    Buffer(const Buffer&) = delete;
    void* data = nullptr;
};

// CASE freed_by_a_smart_pointer
struct Free {
    void operator()(float* p) const { cudaFree(p); }
};

// CASE variables
__device__ float table[64];
__managed__ int counter;

// CASE freed_when_the_program_exits
std::vector<void*> pool;
void free_pool() {
    for (void* p : pool) cudaFree(p);
}

// CASE freed_in_a_global_s_destructor
Buffer* global = nullptr;
struct Owner {
    ~Owner() { delete global; }
} owner;

int main() {
    atexit(free_pool);
    Buffer a(100), b(200);
    float* raw = nullptr;
    cudaMalloc(&raw, 64);
    const std::unique_ptr<float, Free> smart(raw);
    for (int i = 0; i < 3; ++i) {
        void* p = nullptr;
        cudaMalloc(&p, 32);
        pool.push_back(p);
    }
    global = new Buffer(48);
    counter = 1;
    float zero[64] = {};
    cudaMemcpyToSymbol(table, zero, sizeof zero);

    // CASE stream_ordered_memory
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    void* ordered = nullptr;
    cudaMallocAsync(&ordered, 128, stream);
    cudaFreeAsync(ordered, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);

    // CASE page_locked_and_registered
    float* locked = nullptr;
    cudaHostAlloc(&locked, 64, cudaHostAllocMapped);
    cudaFreeHost(locked);
    std::vector<float> mine(4096);
    cudaHostRegister(mine.data(), mine.size() * sizeof(float), cudaHostRegisterDefault);
    cudaHostUnregister(mine.data());

    // CASE a_graph_and_its_stream
    cudaStream_t busy;
    cudaGraph_t graph;
    cudaGraphExec_t launchable;
    cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking);
    cudaStreamBeginCapture(busy, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(raw, 0, 64, busy);
    cudaStreamEndCapture(busy, &graph);
    cudaGraphInstantiate(&launchable, graph, 0);
    cudaGraphExecDestroy(launchable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(busy);

    // CASE events_in_a_vector
    std::vector<cudaEvent_t> events(4);
    for (cudaEvent_t& event : events) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    for (cudaEvent_t event : events) cudaEventDestroy(event);
    printf("done\n");
}
