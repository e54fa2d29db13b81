#include "cases.h"

#include <atomic>
#include <thread>

constexpr int N = 1024;

struct Streams {
    cudaStream_t a, b;
    explicit Streams(unsigned flags = cudaStreamDefault) {
        cudaStreamCreateWithFlags(&a, flags);
        cudaStreamCreateWithFlags(&b, flags);
    }
    ~Streams() {
        cudaDeviceSynchronize();
        cudaStreamDestroy(a);
        cudaStreamDestroy(b);
    }
};
int* pinned(int n) {
    int* p;
    cudaMallocHost(&p, n * sizeof(int));
    for (int i = 0; i < n; ++i) p[i] = i;
    return p;
}
cudaEvent_t event() {
    cudaEvent_t e;
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    return e;
}
__global__ void add(int* d, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d[i] += value;
}
__global__ void sum(const int* in, int* out) { atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]); }

// CASE event_between_streams
void event_between_streams() {
    Streams s(cudaStreamNonBlocking);
    int* d = zeroed<int>(N);
    cudaDeviceSynchronize();
    cudaEvent_t e = event();
    add<<<N / 256, 256, 0, s.a>>>(d, N, 1);
    cudaEventRecord(e, s.a);
    cudaStreamWaitEvent(s.b, e);
    add<<<N / 256, 256, 0, s.b>>>(d, N, 2);
}

// CASE order_over_a_third_stream
void order_over_a_third_stream() {
    Streams s(cudaStreamNonBlocking), t(cudaStreamNonBlocking);
    int* d = zeroed<int>(64);
    cudaDeviceSynchronize();
    cudaEvent_t e = event(), f = event();
    add<<<1, 64, 0, s.a>>>(d, 64, 1);
    cudaEventRecord(e, s.a);
    cudaStreamWaitEvent(t.a, e);
    cudaEventRecord(f, t.a);
    cudaStreamWaitEvent(s.b, f);
    add<<<1, 64, 0, s.b>>>(d, 64, 2);
}

// CASE double_buffering
void double_buffering() {
    Streams s(cudaStreamNonBlocking);
    int *buffer[2] = {raw<int>(N), raw<int>(N)}, *total = zeroed<int>(1), *h = pinned(8 * N);
    cudaDeviceSynchronize();
    cudaEvent_t filled[2] = {event(), event()}, used[2] = {event(), event()};
    for (int i = 0; i < 8; ++i) {
        const int k = i % 2;
        cudaStreamWaitEvent(s.a, used[k]);
        cudaMemcpyAsync(buffer[k], h + i * N, N * sizeof(int), cudaMemcpyHostToDevice, s.a);
        cudaEventRecord(filled[k], s.a);
        cudaStreamWaitEvent(s.b, filled[k]);
        sum<<<N / 256, 256, 0, s.b>>>(buffer[k], total);
        cudaEventRecord(used[k], s.b);
    }
}

// CASE chunks_of_one_buffer
void chunks_of_one_buffer() {
    constexpr int chunks = 4, part = N / chunks;
    cudaStream_t streams[chunks];
    int *d = raw<int>(N), *h = pinned(N);
    for (auto& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int c = 0; c < chunks; ++c) {
        cudaMemcpyAsync(d + c * part, h + c * part, part * sizeof(int), cudaMemcpyHostToDevice, streams[c]);
        add<<<1, part, 0, streams[c]>>>(d + c * part, part, 1);
        cudaMemcpyAsync(h + c * part, d + c * part, part * sizeof(int), cudaMemcpyDeviceToHost, streams[c]);
    }
    cudaDeviceSynchronize();
    for (auto& stream : streams) cudaStreamDestroy(stream);
}

// CASE every_other_element
__global__ void every_other(short* d, int first) { d[2 * threadIdx.x + first] += 1; }
void every_other_element() {
    Streams s;
    short* d = zeroed<short>(128);
    every_other<<<1, 64, 0, s.a>>>(d, 0);
    every_other<<<1, 64, 0, s.b>>>(d, 1);
}

// CASE default_stream_between
void default_stream_between() {
    Streams s;
    int* d = zeroed<int>(64);
    add<<<1, 64, 0, s.a>>>(d, 64, 1);
    add<<<1, 64>>>(d, 64, 2);
    add<<<1, 64, 0, s.b>>>(d, 64, 3);
}

// CASE stream_destroyed_before_the_default_stream_goes_on
void stream_destroyed_before_the_default_stream_goes_on() {
    Streams s;
    int* d = zeroed<int>(64);
    for (bool wait : {false, true}) {
        cudaStream_t third;
        cudaStreamCreate(&third);
        add<<<1, 64, 0, third>>>(d, 64, 1);
        if (wait) cudaStreamQuery(third);
        cudaStreamDestroy(third);
        add<<<1, 64>>>(d, 64, 2);
        add<<<1, 64, 0, s.a>>>(d, 64, 3);
        add<<<1, 64>>>(d, 64, 4);
    }
}

// CASE host_function_tells_a_thread
void host_function_tells_a_thread() {
    Streams s(cudaStreamNonBlocking);
    int* d = zeroed<int>(64);
    cudaDeviceSynchronize();
    static std::atomic<bool> ready{false};
    add<<<1, 64, 0, s.a>>>(d, 64, 1);
    cudaLaunchHostFunc(s.a, [](void*) { ready = true; }, nullptr);
    while (!ready) std::this_thread::yield();
    add<<<1, 64, 0, s.b>>>(d, 64, 2);
}

// CASE host_waits
void host_waits() {
    Streams s(cudaStreamNonBlocking);
    int *d = zeroed<int>(64), h[64];
    cudaEvent_t e = event();
    cudaDeviceSynchronize();
    add<<<1, 64, 0, s.a>>>(d, 64, 1);
    cudaStreamSynchronize(s.a);
    add<<<1, 64, 0, s.b>>>(d, 64, 2);
    cudaEventRecord(e, s.b);
    cudaEventSynchronize(e);
    add<<<1, 64, 0, s.a>>>(d, 64, 3);
    while (cudaStreamQuery(s.a) == cudaErrorNotReady) {
    }
    add<<<1, 64, 0, s.b>>>(d, 64, 4);
    cudaEventRecord(e, s.b);
    while (cudaEventQuery(e) == cudaErrorNotReady) {
    }
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    add<<<1, 64, 0, s.a>>>(d, 64, 5);
    cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, s.a);  // to pageable memory: the host waits
    add<<<1, 64, 0, s.b>>>(d, 64, 6);
}

// CASE one_input_for_all
void one_input_for_all() {
    Streams s;
    int *in = counted(N), *out = zeroed<int>(2);
    sum<<<N / 256, 256, 0, s.a>>>(in, out);
    sum<<<N / 256, 256, 0, s.b>>>(in, out + 1);
    cudaMemcpyAsync(pinned(N), in, N * sizeof(int), cudaMemcpyDeviceToHost, s.b);
}

// CASE atomics_of_two_streams
void atomics_of_two_streams() {
    Streams s;
    int *in = counted(N), *out = zeroed<int>(1);
    sum<<<N / 256, 256, 0, s.a>>>(in, out);
    sum<<<N / 256, 256, 0, s.b>>>(in, out);
}

// CASE lock_between_kernels
__global__ void locked_add(int* lock, int* d) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *d += 1;
    __threadfence();
    atomicExch(lock, 0);
}
void lock_between_kernels() {
    Streams s;
    int* d = zeroed<int>(2);
    locked_add<<<4, 32, 0, s.a>>>(d, d + 1);
    locked_add<<<4, 32, 0, s.b>>>(d, d + 1);
}

// CASE graph_with_dependencies
void graph_with_dependencies() {
    Streams s;
    int *d = zeroed<int>(N), *other = zeroed<int>(N);
    cudaEvent_t fork = event(), join = event();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
    add<<<N / 256, 256, 0, s.a>>>(d, N, 1);
    cudaEventRecord(fork, s.a);
    cudaStreamWaitEvent(s.b, fork);
    add<<<N / 256, 256, 0, s.a>>>(d, N, 2);
    add<<<N / 256, 256, 0, s.b>>>(other, N, 3);
    cudaEventRecord(join, s.b);
    cudaStreamWaitEvent(s.a, join);
    add<<<N / 256, 256, 0, s.a>>>(other, N, 4);
    cudaStreamEndCapture(s.a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    // An executable graph does not overlap with itself, in whatever streams it is launched.
    cudaGraphLaunch(exec, s.a);
    cudaGraphLaunch(exec, s.b);
    cudaGraphLaunch(exec, s.a);
    add<<<N / 256, 256, 0, s.a>>>(d, N, 5);
}

// CASE stream_ordered_memory
void stream_ordered_memory() {
    Streams s(cudaStreamNonBlocking);
    for (cudaStream_t stream : {s.a, s.b, s.a, s.b}) {
        int* d;
        cudaMallocAsync(&d, N * sizeof(int), stream);
        cudaMemsetAsync(d, 0, N * sizeof(int), stream);
        add<<<N / 256, 256, 0, stream>>>(d, N, 1);
        cudaFreeAsync(d, stream);
    }
}

// CASE memory_used_again
void memory_used_again() {
    Streams s(cudaStreamNonBlocking);
    for (cudaStream_t stream : {s.a, s.b, s.a, s.b}) {
        int* d = zeroed<int>(N);
        cudaStreamSynchronize(0);
        add<<<N / 256, 256, 0, stream>>>(d, N, 1);
        cudaFree(d);
    }
}

// CASE two_threads_of_the_host
void two_threads_of_the_host() {
    Streams s(cudaStreamNonBlocking);
    int* d = zeroed<int>(64);
    cudaDeviceSynchronize();
    std::thread([&] {
        add<<<1, 64, 0, s.a>>>(d, 64, 1);
        cudaStreamSynchronize(s.a);
    }).join();
    add<<<1, 64, 0, s.b>>>(d, 64, 2);
}

// CASE constants_set_in_the_default_stream
__constant__ int step;
__global__ void add_step(int* d) { d[threadIdx.x] += step; }
void constants_set_in_the_default_stream() {
    Streams s;
    int *d = zeroed<int>(64), *e = zeroed<int>(64);
    for (int value = 1; value < 4; ++value) {
        cudaMemcpyToSymbol(step, &value, sizeof value);
        add_step<<<1, 64, 0, s.a>>>(d);
        add_step<<<1, 64, 0, s.b>>>(e);
    }
}

// CASE margins_are_read_only
__global__ void smooth(const int* in, int* out, int first) {
    const int i = first + threadIdx.x + 1;
    out[i] = in[i - 1] + in[i] + in[i + 1];
}
void margins_are_read_only() {
    Streams s;
    int *in = counted(130), *out = zeroed<int>(130);
    for (int round = 0; round < 2; ++round) {
        smooth<<<1, 64, 0, s.a>>>(in, out, 0);
        smooth<<<1, 64, 0, s.b>>>(in, out, 64);
        cudaDeviceSynchronize();
        std::swap(in, out);
    }
}

// CASE one_host_buffer_for_two_streams
void one_host_buffer_for_two_streams() {
    Streams s;
    int *first = counted(N), *second = counted(N), *h = pinned(2 * N);
    const size_t bytes = N * sizeof(int);
    cudaMemcpyAsync(h, first, bytes, cudaMemcpyDeviceToHost, s.a);
    cudaMemcpyAsync(h + N, second, bytes, cudaMemcpyDeviceToHost, s.b);
    cudaEvent_t copied = event();
    cudaEventRecord(copied, s.a);
    cudaStreamWaitEvent(s.b, copied, 0);
    cudaMemcpyAsync(h, second, bytes, cudaMemcpyDeviceToHost, s.b);
    cudaStreamSynchronize(s.b);
    cudaMemcpyAsync(first, h, bytes, cudaMemcpyHostToDevice, s.a);
    cudaMemcpyAsync(second, h, bytes, cudaMemcpyHostToDevice, s.b);
}

int main() {
    one_host_buffer_for_two_streams();
    event_between_streams();
    order_over_a_third_stream();
    double_buffering();
    chunks_of_one_buffer();
    every_other_element();
    default_stream_between();
    stream_destroyed_before_the_default_stream_goes_on();
    host_function_tells_a_thread();
    host_waits();
    one_input_for_all();
    atomics_of_two_streams();
    lock_between_kernels();
    graph_with_dependencies();
    stream_ordered_memory();
    memory_used_again();
    two_threads_of_the_host();
    constants_set_in_the_default_stream();
    margins_are_read_only();
    return cudaDeviceSynchronize();
}
