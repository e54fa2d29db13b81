#include "cases.h"

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

// CASE consumer_in_another_stream
__global__ void produce_k(int* d) { d[blockIdx.x * 256 + threadIdx.x] = threadIdx.x; }
__global__ void consume_k(const int* d, int* out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = d[i] + 1;  // FIND stream-race
}
void consumer_in_another_stream() {
    Streams s;
    int *d = zeroed<int>(N), *out = zeroed<int>(N);
    produce_k<<<N / 256, 256, 0, s.a>>>(d);
    consume_k<<<N / 256, 256, 0, s.b>>>(d, out);
}

// CASE result_copied_in_another_stream
__global__ void square_k(int* d) {
    int i = blockIdx.x * 256 + threadIdx.x;
    d[i] = i * i;  // FIND stream-race
}
void result_copied_in_another_stream() {
    Streams s;
    int *d = zeroed<int>(N), *h = pinned(N);
    square_k<<<N / 256, 256, 0, s.a>>>(d);
    cudaMemcpyAsync(h, d, N * sizeof(int), cudaMemcpyDeviceToHost, s.b);
}

// CASE input_copied_in_another_stream
__global__ void scale_k(const int* in, int* out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = 2 * in[i];  // FIND stream-race
}
void input_copied_in_another_stream() {
    Streams s;
    int *d = raw<int>(N), *out = zeroed<int>(N), *h = pinned(N);
    cudaMemcpyAsync(d, h, N * sizeof(int), cudaMemcpyHostToDevice, s.a);
    scale_k<<<N / 256, 256, 0, s.b>>>(d, out);
}

// CASE event_recorded_too_early
__global__ void early_k(int* d) { d[threadIdx.x] = 1; }
__global__ void early_reader_k(const int* d, int* out) { out[threadIdx.x] = d[threadIdx.x]; }  // FIND stream-race
void event_recorded_too_early() {
    Streams s;
    int *d = zeroed<int>(64), *out = zeroed<int>(64);
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaEventRecord(e, s.a);
    early_k<<<1, 64, 0, s.a>>>(d);
    cudaStreamWaitEvent(s.b, e);
    early_reader_k<<<1, 64, 0, s.b>>>(d, out);
}

// CASE wait_before_record
__global__ void late_k(int* d) { d[threadIdx.x] = 1; }
__global__ void late_reader_k(const int* d, int* out) { out[threadIdx.x] = d[threadIdx.x]; }  // FIND stream-race
void wait_before_record() {
    Streams s;
    int *d = zeroed<int>(64), *out = zeroed<int>(64);
    cudaEvent_t e;
    cudaEventCreate(&e);
    late_k<<<1, 64, 0, s.a>>>(d);
    cudaStreamWaitEvent(s.b, e);  // it was never recorded: there is nothing to wait for
    cudaEventRecord(e, s.a);
    late_reader_k<<<1, 64, 0, s.b>>>(d, out);
}

// CASE non_blocking_beside_the_default_stream
__global__ void default_k(int* d) { d[threadIdx.x] = 3; }
__global__ void beside_k(int* d) { d[threadIdx.x] += 4; }  // FIND stream-race
void non_blocking_beside_the_default_stream() {
    Streams s(cudaStreamNonBlocking);
    int* d = zeroed<int>(64);
    cudaDeviceSynchronize();
    default_k<<<1, 64>>>(d);
    beside_k<<<1, 64, 0, s.a>>>(d);
}

// CASE chunks_with_a_border
__global__ void smooth_k(int* d, int first, int n) {
    int i = threadIdx.x;
    if (i < n) d[first + i] = first == 0 || i < n - 1 ? 1 : 2;
    if (i == 0) d[first + n] = 0;  // FIND stream-race
}
void chunks_with_a_border() {
    Streams s;
    int* d = zeroed<int>(129);
    smooth_k<<<1, 64, 0, s.a>>>(d, 0, 64);
    smooth_k<<<1, 64, 0, s.b>>>(d, 64, 64);
}

// CASE buffer_filled_while_it_is_read
__global__ void sum_k(const int* in, int* sum) { atomicAdd(sum, in[threadIdx.x]); }  // FIND stream-race
void buffer_filled_while_it_is_read() {
    Streams s;
    int *buffer = zeroed<int>(64), *sum = zeroed<int>(1), *h = pinned(128);
    cudaEvent_t filled;
    cudaEventCreate(&filled);
    for (int round = 0; round < 2; ++round) {
        cudaMemcpyAsync(buffer, h + 64 * round, 256, cudaMemcpyHostToDevice, s.a);
        cudaEventRecord(filled, s.a);
        cudaStreamWaitEvent(s.b, filled);
        sum_k<<<1, 64, 0, s.b>>>(buffer, sum);
    }
}

// CASE cleared_in_another_stream
__global__ void count_k(const int* in, int* bins) { atomicAdd(&bins[in[threadIdx.x] % 8], 1); }  // FIND stream-race
void cleared_in_another_stream() {
    Streams s;
    int *in = counted(64), *bins = zeroed<int>(8);
    cudaMemsetAsync(bins, 0, 32, s.a);
    count_k<<<1, 64, 0, s.b>>>(in, bins);
}

// CASE branches_of_a_graph
__global__ void left_k(int* d) { d[threadIdx.x] = 1; }
__global__ void right_k(int* d) { d[threadIdx.x] = 2; }  // FIND stream-race
void branches_of_a_graph() {
    Streams s;
    int* d = zeroed<int>(64);
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, s.a);
    cudaStreamWaitEvent(s.b, fork);
    left_k<<<1, 64, 0, s.a>>>(d);
    right_k<<<1, 64, 0, s.b>>>(d);
    cudaEventRecord(join, s.b);
    cudaStreamWaitEvent(s.a, join);
    cudaStreamEndCapture(s.a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s.a);
    cudaStreamSynchronize(s.a);
}

// CASE two_graphs_at_once
__global__ void graph_k(int* d) { d[threadIdx.x] += 1; }  // FIND stream-race
void two_graphs_at_once() {
    Streams s;
    int* d = zeroed<int>(64);
    for (cudaStream_t stream : {s.a, s.b}) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        graph_k<<<1, 64, 0, stream>>>(d);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, stream);
    }
}

// CASE two_copies_to_one_place
void two_copies_to_one_place() {
    Streams s;
    int *d = raw<int>(N), *h = pinned(2 * N);
    cudaMemcpyAsync(d, h, N * sizeof(int), cudaMemcpyHostToDevice, s.a);
    cudaMemcpyAsync(d, h + N, N * sizeof(int), cudaMemcpyHostToDevice, s.b);  // FIND stream-race
}

// CASE variable_set_in_another_stream
__constant__ int factor;
__global__ void factor_k(int* d) { d[threadIdx.x] *= factor; }  // FIND stream-race
void variable_set_in_another_stream() {
    Streams s;
    int *d = counted(64), *h = pinned(1);
    cudaMemcpyToSymbolAsync(factor, h, sizeof(int), 0, cudaMemcpyHostToDevice, s.a);
    factor_k<<<1, 64, 0, s.b>>>(d);
}

// CASE host_waits_for_the_wrong_stream
__global__ void wrong_k(int* d) { d[threadIdx.x] = 5; }
__global__ void wrong_reader_k(const int* d, int* out) { out[threadIdx.x] = d[63 - threadIdx.x]; }  // FIND stream-race
void host_waits_for_the_wrong_stream() {
    Streams s;
    int *d = zeroed<int>(64), *out = zeroed<int>(64);
    wrong_k<<<1, 64, 0, s.a>>>(d);
    cudaStreamSynchronize(s.b);
    wrong_reader_k<<<1, 64, 0, s.b>>>(d, out);
}

// CASE columns_of_one_matrix
__global__ void column_k(int* m, int column) { m[threadIdx.x * 8 + column] = column; }
__global__ void row_k(const int* m, int* out) { out[threadIdx.x] = m[threadIdx.x]; }  // FIND stream-race
void columns_of_one_matrix() {
    Streams s;
    int *m = zeroed<int>(64), *out = zeroed<int>(8);
    column_k<<<1, 8, 0, s.a>>>(m, 3);
    row_k<<<1, 8, 0, s.b>>>(m, out);
}

// CASE results_of_two_streams_in_one_host_buffer
void results_of_two_streams_in_one_host_buffer() {
    Streams s;
    int *first = zeroed<int>(N), *second = zeroed<int>(N), *h = pinned(N);
    cudaMemcpyAsync(h, first, N * sizeof(int), cudaMemcpyDeviceToHost, s.a);
    cudaMemcpyAsync(h, second, N * sizeof(int), cudaMemcpyDeviceToHost, s.b);  // FIND stream-race
}

// CASE kernels_of_two_streams_in_one_host_buffer
__global__ void into_host_k(int* h, int value) { h[threadIdx.x] = value; }  // FIND stream-race
void kernels_of_two_streams_in_one_host_buffer() {
    Streams s;
    int* h = pinned(64);
    into_host_k<<<1, 64, 0, s.a>>>(h, 1);
    into_host_k<<<1, 64, 0, s.b>>>(h, 2);
}

int main() {
    results_of_two_streams_in_one_host_buffer();
    kernels_of_two_streams_in_one_host_buffer();
    consumer_in_another_stream();
    result_copied_in_another_stream();
    input_copied_in_another_stream();
    event_recorded_too_early();
    wait_before_record();
    non_blocking_beside_the_default_stream();
    chunks_with_a_border();
    buffer_filled_while_it_is_read();
    cleared_in_another_stream();
    branches_of_a_graph();
    two_graphs_at_once();
    two_copies_to_one_place();
    variable_set_in_another_stream();
    host_waits_for_the_wrong_stream();
    columns_of_one_matrix();
    return cudaDeviceSynchronize();
}
