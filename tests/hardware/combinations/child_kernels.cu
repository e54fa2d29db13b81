// Kernels that launch kernels. nvcc: -rdc=true
#define FORK_CASES
#include "cases.h"

#define SAY(call) printf("%s %s: %s\n", current_case, #call, cudaGetErrorName(call))

__device__ int events[4096];
__device__ int event_count;

__device__ void note(int what) {
    const int at = atomicAdd(&event_count, 1);
    if (at < 4096) events[at] = what;
}
void show_events(const char* what = "events") {
    SAY(cudaDeviceSynchronize());
    int count = 0;
    std::vector<int> all(4096);
    if (!succeeded(cudaMemcpyFromSymbol(&count, event_count, sizeof count))) return;
    cudaMemcpyFromSymbol(all.data(), events, sizeof(int) * 4096);
    printf("%s %s:", current_case, what);
    for (int i = 0; i < count && i < 64; ++i) printf(" %d", all[i]);
    printf(" (%d)\n", count);
}
__global__ void child(int what) {
    if (threadIdx.x == 0 && blockIdx.x == 0) note(what);
}

__global__ void launches_two() {
    child<<<1, 1>>>(1);
    child<<<1, 1>>>(2);
    child<<<2, 64>>>(3);
}
CASE(one_after_the_other) {
    launches_two<<<1, 1>>>();
    show_events();
}

__global__ void launches_tail() {
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(10);
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(11);
    child<<<1, 1>>>(1);
    child<<<1, 1>>>(2);
    note(0);
}
CASE(tail) {
    launches_tail<<<1, 1>>>();
    show_events();
}
__global__ void tail_of_tail(int depth) {
    note(depth);
    if (depth < 5) tail_of_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(depth + 1);
    child<<<1, 1>>>(10 + depth);
}
CASE(tails_in_a_row) {
    tail_of_tail<<<1, 1>>>(0);
    show_events();
}
__global__ void forgets() {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(1);
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(2);
}
CASE(fire_and_forget) {
    forgets<<<1, 1>>>();
    show_events();
}

__global__ void each_thread_launches() { child<<<1, 1>>>(threadIdx.x); }
CASE(threads_of_a_warp) {
    each_thread_launches<<<1, 8>>>();
    show_events();
}
__global__ void each_block_launches(int* sums) {
    if (threadIdx.x == 0) child<<<1, 1>>>(1);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
CASE(blocks) {
    Shared<int> sums(64 * 64);
    each_block_launches<<<64, 64>>>(sums.device);
    SAY(cudaDeviceSynchronize());
    int count = 0;
    cudaMemcpyFromSymbol(&count, event_count, sizeof count);
    show("children", count);
}

__global__ void deeper(int depth, int* deepest, int* error) {
    atomicMax(deepest, depth);
    if (depth < 40) {
        deeper<<<1, 1>>>(depth + 1, deepest, error);
        const cudaError_t status = cudaGetLastError();
        if (status != cudaSuccess) atomicCAS(error, 0, status);
    }
}
CASE(depth) {
    Shared<int> out(2);
    deeper<<<1, 1>>>(0, out.device, out.device + 1);
    SAY(cudaDeviceSynchronize());
    out.tell("deepest and error");
}
__global__ void deeper_tail(int depth, int* deepest) {
    atomicMax(deepest, depth);
    if (depth < 100) deeper_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(depth + 1, deepest);
}
CASE(depth_of_tails) {
    Shared<int> out(1);
    deeper_tail<<<1, 1>>>(0, out.device);
    SAY(cudaDeviceSynchronize());
    out.tell("deepest");
}

__global__ void bad_launches(int* codes) {
    child<<<1, 2048>>>(1);
    codes[0] = cudaPeekAtLastError();
    codes[1] = cudaGetLastError();
    codes[2] = cudaGetLastError();
    child<<<0, 32>>>(2);
    codes[3] = cudaGetLastError();
    child<<<1, 0>>>(3);
    codes[4] = cudaGetLastError();
    child<<<1, 32, 1 << 20>>>(4);
    codes[5] = cudaGetLastError();
    child<<<dim3(1, 70000), 32>>>(5);
    codes[6] = cudaGetLastError();
    child<<<1, dim3(1, 1, 65)>>>(6);
    codes[7] = cudaGetLastError();
    child<<<1, 32, 49152>>>(7);
    codes[8] = cudaGetLastError();
    child<<<1, 32, 49153>>>(8);
    codes[9] = cudaGetLastError();
    child<<<1, 32>>>(9);
    codes[10] = cudaGetLastError();
}
CASE(configurations) {
    Shared<int> codes(11);
    bad_launches<<<1, 1>>>(codes.device);
    show_events();
    SAY(cudaGetLastError());
    codes.tell("codes");
}
__global__ void last_error_of_each(int* codes) {
    if (threadIdx.x == 1) child<<<1, 4096>>>(1);
    codes[threadIdx.x] = cudaGetLastError();
}
CASE(last_error_is_a_threads) {
    Shared<int> codes(4);
    last_error_of_each<<<1, 4>>>(codes.device);
    SAY(cudaDeviceSynchronize());
    codes.tell("codes");
}

__global__ void launches_many(int count, int* errors) {
    for (int i = 0; i < count; ++i) {
        child<<<1, 1>>>(i);
        if (const cudaError_t status = cudaGetLastError()) {
            atomicAdd(&errors[0], 1);
            errors[1] = status;
        }
    }
}
void many(int grid, int block, int each, const char* what) {
    Shared<int> errors(2);
    int count = 0;
    cudaMemcpyToSymbol(event_count, &count, sizeof count);
    launches_many<<<grid, block>>>(each, errors.device);
    SAY(cudaDeviceSynchronize());
    cudaMemcpyFromSymbol(&count, event_count, sizeof count);
    show(what, count);
    errors.tell("errors");
}
CASE(two_thousand) { many(1, 1, 2000, "ran"); }
CASE(three_thousand) { many(1, 1, 3000, "ran"); }
CASE(eight_thousand) { many(1, 1, 8000, "ran"); }
// In eight runs of an H200 2,048 to 2,056 of them ran: as many as could wait, and those that began meanwhile.
CASE(of_many_threads) { many(16, 256, 1, "ran"); }
CASE(pending_limit) {
    size_t limit = 0;
    SAY(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    show("limit", limit);
    SAY(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100));
    SAY(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    show("limit", limit);
    many(1, 1, 1000, "ran");
}
CASE(sync_depth) {
    size_t limit = 0;
    SAY(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth));
    SAY(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4));
}

__global__ void streams(int* codes) {
    cudaStream_t a = nullptr, b = nullptr;
    codes[0] = cudaStreamCreateWithFlags(&a, cudaStreamDefault);
    codes[1] = cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    child<<<1, 1, 0, b>>>(1);
    codes[2] = cudaGetLastError();
    cudaEvent_t event = nullptr, timed = nullptr;
    codes[3] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    codes[4] = cudaEventCreateWithFlags(&timed, cudaEventDefault);
    codes[5] = cudaEventRecord(event, b);
    codes[6] = cudaStreamWaitEvent(nullptr, event, 0);
    child<<<1, 1>>>(2);
    codes[7] = cudaEventDestroy(event);
    codes[8] = cudaStreamDestroy(b);
    codes[9] = cudaGetLastError();
}
CASE(streams_and_events) {
    Shared<int> codes(10);
    streams<<<1, 1>>>(codes.device);
    show_events();
    codes.tell("codes");
}

__global__ void adds(int* values, int count, int by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] += by;
}
__global__ void copies(int* values, int* others, int* codes) {
    codes[0] = cudaMemsetAsync(values, 1, 32 * sizeof(int), 0);
    adds<<<1, 32>>>(values, 32, 5);
    codes[1] = cudaMemcpyAsync(others, values, 32 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    adds<<<1, 32>>>(values, 32, 5);
    codes[2] = cudaGetLastError();
}
CASE(copies_between) {
    Shared<int> values(32), others(32), codes(3);
    copies<<<1, 1>>>(values.device, others.device, codes.device);
    SAY(cudaDeviceSynchronize());
    values.tell("values");
    others.tell("others");
    codes.tell("codes");
}

__global__ void asks(int* answers) {
    int i = 0, value = 0;
    answers[i++] = cudaGetDevice(&value);
    answers[i++] = value;
    answers[i++] = cudaGetDeviceCount(&value);
    answers[i++] = value;
    for (int attribute : {1, 2, 8, 10, 12, 13, 16, 39, 75, 76, 81, 97}) {
        value = -1;
        answers[i++] = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(attribute), 0);
        answers[i++] = value;
    }
    answers[i++] = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0);
    answers[i++] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99);
    answers[i++] = cudaRuntimeGetVersion(&value);
    answers[i++] = value;
    void* p = nullptr;
    answers[i++] = cudaMalloc(&p, 1000);
    answers[i++] = p != nullptr;
    answers[i++] = cudaFree(p);
    answers[i++] = cudaFree(nullptr);
    answers[i++] = cudaGetLastError();
}
CASE(questions) {
    Shared<int> answers(40);
    asks<<<1, 1>>>(answers.device);
    SAY(cudaDeviceSynchronize());
    answers.tell("answers");
}
__global__ void tells() {
    printf("%s %s\n", cudaGetErrorName(cudaErrorInvalidValue), cudaGetErrorString(cudaErrorInvalidValue));
    printf("%s %s\n", cudaGetErrorName(cudaSuccess), cudaGetErrorString(cudaErrorLaunchFailure));
}
CASE(names_of_errors) {
    tells<<<1, 1>>>();
    SAY(cudaDeviceSynchronize());
}

struct Many {
    char c;
    double d;
    int i[5];
    float* p;
};
template <class T>
__global__ void takes(Many m, T t, short s, char c, const T* more) {
    extern __shared__ double room[];
    T* shared = reinterpret_cast<T*>(room);
    shared[threadIdx.x] = t;
    __syncthreads();
    if (threadIdx.x == 0) {
        T sum = 0;
        for (unsigned i = 0; i < blockDim.x; ++i) sum += shared[i];
        m.p[blockIdx.x] = static_cast<float>(m.c + m.d + m.i[4] + sum + s + c + *more);
    }
}
__global__ void gives(float* out, double* more) {
    *more = 0.25;
    Many m = {1, 2.5, {1, 2, 3, 4, 5}, out};
    takes<double><<<4, 64, 64 * sizeof(double)>>>(m, 0.5, short(7), char(3), more);
    m.p = out + 4;
    takes<float><<<dim3(2, 1, 1), dim3(32), 32 * sizeof(float)>>>(m, 1.5f, short(-7), char(3), reinterpret_cast<float*>(more));
}
CASE(parameters) {
    Shared<float> out(8);
    Shared<double> more(1);
    gives<<<1, 1>>>(out.device, more.device);
    SAY(cudaDeviceSynchronize());
    out.tell("sums");
}

__global__ void doubles(int* value) { *value *= 2; }
__global__ void launches_doubles(int* value) { doubles<<<1, 1>>>(value); }
CASE(the_stream_waits_for_children) {
    Shared<int> value(std::vector<int>{3});
    launches_doubles<<<1, 1>>>(value.device);
    adds<<<1, 1>>>(value.device, 1, 1);
    launches_doubles<<<1, 1>>>(value.device);
    SAY(cudaDeviceSynchronize());
    value.tell("value");
}
__global__ void out_of_bounds(int* p) { p[1ull << 40] = 1; }
__global__ void launches_fault(int* p) {
    out_of_bounds<<<1, 1>>>(p);
    child<<<1, 1>>>(5);
}
CASE(child_fails) {
    Shared<int> value(1);
    launches_fault<<<1, 1>>>(value.device);
    SAY(cudaDeviceSynchronize());
    SAY(cudaGetLastError());
}
__global__ void traps() { __trap(); }
__global__ void launches_trap() { traps<<<1, 1, 0, cudaStreamTailLaunch>>>(); }
CASE(child_traps) {
    launches_trap<<<1, 1>>>();
    SAY(cudaDeviceSynchronize());
}
__global__ void launches_and_traps() {
    child<<<1, 1>>>(1);
    __trap();
}
CASE(parent_traps) {
    launches_and_traps<<<1, 1>>>();
    SAY(cudaDeviceSynchronize());
}

__device__ int partition(int* values, int left, int right) {
    const int pivot = values[right];
    int store = left;
    for (int i = left; i < right; ++i)
        if (values[i] < pivot) {
            const int kept = values[i];
            values[i] = values[store];
            values[store++] = kept;
        }
    values[right] = values[store];
    values[store] = pivot;
    return store;
}
__global__ void quicksort(int* values, int left, int right, int depth) {
    if (depth >= 16) {
        for (int i = left; i < right; ++i)
            for (int k = i + 1; k <= right; ++k)
                if (values[k] < values[i]) {
                    const int kept = values[i];
                    values[i] = values[k];
                    values[k] = kept;
                }
        return;
    }
    if (left >= right) return;
    const int middle = partition(values, left, right);
    if (left < middle - 1) quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(values, left, middle - 1, depth + 1);
    if (middle + 1 < right) quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(values, middle + 1, right, depth + 1);
}
CASE(sorting) {
    std::vector<int> numbers(256);
    unsigned state = 1;
    for (int& each : numbers) each = (state = state * 1664525u + 1013904223u) >> 16;
    Shared<int> values(numbers);
    quicksort<<<1, 1>>>(values.device, 0, 255, 0);
    SAY(cudaDeviceSynchronize());
    values.tell("values");
}
__global__ void fills(int* values, int depth) {
    values[threadIdx.x] += depth;
    __syncthreads();
    if (threadIdx.x == 0 && depth < 3) {
        fills<<<1, 8>>>(values, depth + 1);
        fills<<<1, 8>>>(values, depth + 1);
    }
}
CASE(tree) {
    Shared<int> values(8);
    fills<<<1, 8>>>(values.device, 1);
    SAY(cudaDeviceSynchronize());
    values.tell("values");
}
__global__ void asks_occupancy(int* answers) {
    int blocks = -1;
    answers[0] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, child, 256, 0);
    answers[1] = blocks;
    cudaFuncAttributes attributes;
    answers[2] = cudaFuncGetAttributes(&attributes, child);
    answers[3] = attributes.maxThreadsPerBlock;
    size_t limit = 0;
    answers[4] = cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    answers[5] = static_cast<int>(limit);
}
CASE(occupancy) {
    Shared<int> answers(6);
    asks_occupancy<<<1, 1>>>(answers.device);
    SAY(cudaDeviceSynchronize());
    answers.tell("answers");
}
