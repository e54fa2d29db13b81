// Streams: within one, work is done in order; between two, in no order but that of events.
//   chunks   an array in parts, each copied in, worked on and copied back in its stream: copies of one part overlap
//   with
//            the kernel of another
//   handover one stream produces, another consumes: an event between them
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

// Ends the program at the first call that fails.
void end_unless_success(cudaError_t status, const char* call, int line) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "line %d: %s gave %s\n", line, call, cudaGetErrorName(status));
    exit(1);
}
#define CHECK(call) end_unless_success(call, #call, __LINE__)

constexpr int block = 256, streams_n = 3;

__global__ void scale(float* data, int n, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}

__global__ void fill(int* data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = value;
}

__global__ void add(int* sum, const int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += data[i];
}

int blocks(int n) {
    return (n + block - 1) / block;
}

int scale_in_chunks(const cudaStream_t (&streams)[streams_n]) {
    const int n = 50000, chunk = 6000;  // the last chunk is shorter
    float *host, *device;
    CHECK(cudaMallocHost(&host, n * sizeof(float)));  // only pinned memory is copied while the host goes on
    CHECK(cudaMalloc(&device, n * sizeof(float)));
    for (int i = 0; i < n; ++i) host[i] = float(i);
    for (int first = 0, number = 0; first < n; first += chunk, ++number) {
        const int count = std::min(chunk, n - first);
        const cudaStream_t stream = streams[number % streams_n];
        CHECK(cudaMemcpyAsync(device + first, host + first, count * sizeof(float), cudaMemcpyHostToDevice, stream));
        scale<<<blocks(count), block, 0, stream>>>(device + first, count, 2);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(host + first, device + first, count * sizeof(float), cudaMemcpyDeviceToHost, stream));
    }
    for (cudaStream_t stream : streams) CHECK(cudaStreamSynchronize(stream));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += host[i] != 2 * float(i);
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    printf("scale_in_chunks: %d wrong\n", wrong);
    return wrong;
}

int hand_over(cudaStream_t producer, cudaStream_t consumer) {
    const int n = 5000, rounds = 4;
    int *data, *sum;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    CHECK(cudaMalloc(&sum, n * sizeof(int)));
    CHECK(cudaMemsetAsync(sum, 0, n * sizeof(int), consumer));
    // Events that only order, and take no time stamp, are cheaper.
    cudaEvent_t produced, consumed;
    CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&consumed, cudaEventDisableTiming));
    for (int round = 1; round <= rounds; ++round) {
        CHECK(cudaStreamWaitEvent(producer, consumed));  // never recorded, as in the first round: nothing to wait for
        fill<<<blocks(n), block, 0, producer>>>(data, n, round);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(produced, producer));
        CHECK(cudaStreamWaitEvent(consumer, produced));
        add<<<blocks(n), block, 0, consumer>>>(sum, data, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(consumed, consumer));
    }
    // The host waits for the last event alone: all that came before it is done, too.
    CHECK(cudaEventSynchronize(consumed));
    std::vector<int> host(n);
    CHECK(cudaMemcpy(host.data(), sum, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaEventDestroy(produced));
    CHECK(cudaEventDestroy(consumed));
    CHECK(cudaFree(data));
    CHECK(cudaFree(sum));
    int wrong = 0;
    for (int value : host) wrong += value != rounds * (rounds + 1) / 2;
    printf("hand_over: %d wrong\n", wrong);
    return wrong;
}

int main() {
    // Non-blocking: work in the default stream does not stand between theirs.
    cudaStream_t streams[streams_n];
    for (cudaStream_t& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const int wrong = scale_in_chunks(streams) + hand_over(streams[0], streams[1]);
    for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
    return wrong != 0;
}
