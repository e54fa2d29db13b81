// printf and assert in device code, stacks and the heap: each case in a process of its own.
#define FORK_CASES
#include "cases.h"

#include <fcntl.h>

#include <algorithm>
#include <cassert>
#include <string>

/// Lines that device code prints while it lives.
class Captured {
public:
    explicit Captured(int descriptor) : descriptor_(descriptor), kept_(dup(descriptor)), file_(tmpfile()) {
        fflush(nullptr);
        dup2(fileno(file_), descriptor);
    }
    std::vector<std::string> lines() {
        fflush(nullptr);
        dup2(kept_, descriptor_);
        std::vector<std::string> found(1);
        rewind(file_);
        for (int c = fgetc(file_); c != EOF; c = fgetc(file_)) {
            if (c == '\n')
                found.emplace_back();
            else
                found.back() += static_cast<char>(c);
        }
        if (found.back().empty()) found.pop_back();
        return found;
    }

private:
    int descriptor_, kept_;
    FILE* file_;
};
void show_error(const char* what, cudaError_t error) { show_text(what, cudaGetErrorName(error)); }

__global__ void print_integers() {
    printf("[%d] [%i] [%u] [%x] [%X] [%o]\n", -5, 17, 4000000000u, 48879, 48879, 511);
    printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%#x] [%#o]\n", 42, 42, 42, 42, 42, 42, 42);
    printf("[%ld] [%lld] [%lu] [%llx]\n", -5L, 1LL << 60, 18446744073709551615UL, 0xfeedfacecafebeefULL);
    printf("[%.3d] [%8.3d] [%-8.3d] [%.0d]\n", 7, 7, 7, 0);
}
__global__ void print_reals() {
    printf("[%f] [%e] [%g] [%a]\n", 3.25, 31250.0, 0.0001, 1.0);
    printf("[%10.3f] [%-10.2e] [%+.1f] [%G] [%E] [%A]\n", 3.14159, 2.5, 2.25, 1e-10, 12.5, 0.5);
    printf("[%f] [%f] [%f] [%g] [%F]\n", INFINITY, -INFINITY, NAN, 1e300, 1.5);
    printf("[%.0f] [%#.0f] [%.20f] [%g] [%#g]\n", 2.5, 2.0, 0.1, 100000.0, 1.0);
    printf("[%f] [%f]\n", 1.5f, 2);
}
__global__ void print_texts() {
    printf("[%s] [%10s] [%-10s] [%.2s] [%c%c] [%%]\n", "text", "right", "left", "cut off", 'a', 'b');
    printf("[%p] [%p]\n", (void*)0, (void*)0x1234);
    printf("[%s]\n", (const char*)0);
    printf("no newline");
    printf("; now\n");
    printf("");
    printf("%5c|%-5c|\n", 'x', 'y');
    printf("tab\there \\ \"quoted\"\n");
}
__global__ void print_sizes() {
    printf("[%zu]\n", size_t{123});
    printf("[%hhd]\n", 300);
    printf("[%hd]\n", 70000);
    printf("[%zd] [%td] [%jd]\n", size_t{7}, ptrdiff_t{8}, 9L);
    printf("[%hhu] [%hu] [%hhx]\n", 511, 70000, 511);
    printf("[%Lf]\n", 1.5);
}
__global__ void print_stars() {
    printf("[%.*f]\n", 2, 3.14159);
    printf("[%*d]\n", 6, 42);
    printf("[%-*d]\n", 6, 42);
    printf("[%*.*f]\n", 8, 3, 2.71828);
    printf("[%*s]\n", 5, "ab");
}
__global__ void print_odd() {
    printf("100%\n");
    printf("%d %d\n", 1);
    printf("%d\n", 1, 2, 3);
    printf("%q %d\n", 5);
    printf("%");
    printf("|\n");
    printf("%5");
    printf("|\n");
    printf("%n|\n", (int*)0);
    printf("%ls|\n", L"wide");
    printf("%lc|\n", L'w');
    printf("%m|\n");
    printf("%'d|\n", 1234567);
    printf("%1$d|\n", 3);
    printf("%b|\n", 5);
}
__global__ void print_null(const char* format) {
    printf("before\n");
    printf(format, 1);
    printf("after\n");
}
__global__ void print_results(int* out) {
    out[0] = printf("nothing\n");
    out[1] = printf("%d\n", 1);
    out[2] = printf("%d %s %f\n", 1, "two", 3.0);
    out[3] = printf("%%\n");
    out[4] = printf("");
    out[5] = printf("%*d\n", 4, 1);
    const char* null = nullptr;
    out[6] = printf(null);
    out[7] = printf("%d %d\n", 1);
}
__global__ void print_by_all() { printf("block %d thread %d\n", blockIdx.x, threadIdx.x); }
__global__ void print_diverged() {
    if (threadIdx.x & 1)
        printf("odd %d\n", threadIdx.x);
    else
        printf("even %d\n", threadIdx.x);
}
__global__ void print_flood(int lines) {
    for (int i = 0; i < lines; ++i) printf("line %d\n", i);
}
__global__ void print_flood_strings(int lines) {
    for (int i = 0; i < lines; ++i) printf("%s %d %d %f\n", "some text", i, i, 1.0);
}
#define PRINTS(name, launch)                                                              \
    CASE(name) {                                                                          \
        Captured output(1);                                                               \
        launch;                                                                           \
        const cudaError_t error = cudaDeviceSynchronize();                                \
        const auto lines = output.lines();                                                \
        for (const std::string& line : lines) show_text("prints", line.c_str());          \
        show_error("gives", error);                                                       \
    }
PRINTS(print_integers, (print_integers<<<1, 1>>>()))
PRINTS(print_reals, (print_reals<<<1, 1>>>()))
PRINTS(print_texts, (print_texts<<<1, 1>>>()))
PRINTS(print_sizes, (print_sizes<<<1, 1>>>()))
PRINTS(print_stars, (print_stars<<<1, 1>>>()))
PRINTS(print_odd, (print_odd<<<1, 1>>>()))
PRINTS(print_null, (print_null<<<1, 1>>>(nullptr)))
PRINTS(print_by_all, (print_by_all<<<1, 40>>>()))
PRINTS(print_diverged, (print_diverged<<<1, 8>>>()))
CASE(print_results) {
    Shared<int> out(8);
    Captured output(1);
    print_results<<<1, 1>>>(out.device);
    cudaDeviceSynchronize();
    for (const std::string& line : output.lines()) show_text("prints", line.c_str());
    out.tell("results");
}
void flood(void (*kernel)(int), int count, size_t fifo) {
    Captured output(1);
    if (fifo) cudaDeviceSetLimit(cudaLimitPrintfFifoSize, fifo);
    kernel<<<1, 1>>>(count);
    const cudaError_t error = cudaDeviceSynchronize();
    const auto lines = output.lines();
    show("lines", static_cast<long long>(lines.size()));
    show_text("first", lines.empty() ? "" : lines.front().c_str());
    show_text("last", lines.empty() ? "" : lines.back().c_str());
    size_t size = 0;
    cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize);
    show("fifo", static_cast<long long>(size));
    show_error("gives", error);
}
CASE(flood_100000) { flood(print_flood, 100000, 0); }
CASE(flood_1000000) { flood(print_flood, 1000000, 0); }
CASE(flood_strings) { flood(print_flood_strings, 100000, 0); }
CASE(flood_strings_bare) { flood(print_flood_strings, 300000, 0); }
CASE(flood_in_600000_bytes) { flood(print_flood, 100000, 600000); }
CASE(flood_in_1_byte) { flood(print_flood, 100000, 1); }
CASE(flood_in_4_mib) { flood(print_flood, 300000, 4 << 20); }
CASE(printed_when) {
    Captured output(1);
    print_flood<<<1, 1>>>(2);
    cudaStreamQuery(0);
    print_flood<<<1, 1>>>(3);
    int* p = nullptr;
    cudaMalloc(&p, 4);
    cudaFree(p);
    show("lines", static_cast<long long>(output.lines().size()));
}

// assert: its text, its stream, its code.
__global__ void assert_one(int limit) { assert(threadIdx.x < limit); }
__global__ void assert_text(int x) { assert(x == 1 && "one is expected"); }
__device__ __noinline__ void inner(int x) { assert(x > 5); }
__global__ void assert_inside(int x) { inner(x); }
void fails(void (*kernel)(int), int blocks, int threads, int argument) {
    Captured output(1), errors(2);
    kernel<<<blocks, threads>>>(argument);
    const cudaError_t launch = cudaGetLastError(), sync = cudaDeviceSynchronize(), after = cudaGetLastError(),
                      next = cudaFree(nullptr);
    auto told = errors.lines();
    const auto printed = output.lines();
    // Other lines of the standard error are cudash's findings.
    told.erase(std::remove_if(told.begin(), told.end(), [](const std::string& line) { return line.find("Assertion `") == std::string::npos; }), told.end());
    std::sort(told.begin(), told.end());
    show("output", static_cast<long long>(printed.size()));
    show("errors", static_cast<long long>(told.size()));
    for (size_t i = 0; i < told.size() && i < 4; ++i) show_text("tells", told[i].c_str());
    show_error("launch", launch), show_error("sync", sync), show_error("last", after), show_error("next", next);
}
CASE(assert_one) { fails(assert_one, 1, 2, 1); }
CASE(assert_half) { fails(assert_one, 1, 32, 16); }
CASE(assert_all) { fails(assert_one, 2, 64, 0); }
CASE(assert_blocks) { fails(assert_one, 5, 1, 0); }
CASE(assert_many_blocks) { fails(assert_one, 300, 1, 0); }
CASE(assert_holds) { fails(assert_one, 2, 64, 64); }
CASE(assert_text) { fails(assert_text, 1, 1, 0); }
CASE(assert_inside) { fails(assert_inside, 1, 1, 3); }

// Recursion.
__device__ __noinline__ int count_down(int n, int* out) {
    if (n == 0) return 0;
    out[1] = n;
    return 1 + count_down(n - 1, out);
}
__global__ void count_kernel(int n, int* out) { out[0] = count_down(n, out); }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void fibonacci_kernel(int n, int* out) { out[0] = fibonacci(n); }
__device__ __noinline__ int with_array(int n, int* out) {
    int values[16];
    for (int i = 0; i < 16; ++i) values[i] = out[i] + n;
    if (n == 0) return values[out[0] & 15];
    return values[n & 15] + with_array(n - 1, out);
}
__global__ void array_kernel(int n, int* out) { out[20] = with_array(n, out); }
__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1) + 2; }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1) * 3; }
__global__ void mutual_kernel(int n, int* out) { out[0] = even(n); }
__device__ __noinline__ void sort(int* values, int low, int high) {
    if (low >= high) return;
    int at = low;
    for (int i = low; i < high; ++i)
        if (values[i] < values[high]) {
            const int kept = values[i];
            values[i] = values[at], values[at++] = kept;
        }
    const int kept = values[high];
    values[high] = values[at], values[at] = kept;
    sort(values, low, at - 1);
    sort(values, at + 1, high);
}
__global__ void sort_kernel(int n, int* out) {
    for (int i = 0; i < n; ++i) out[i] = i;
    sort(out, 0, n - 1);
}
__device__ __noinline__ int endless(int n, int* out) {
    if (out[0] == 77) return n;
    return endless(n + 1, out) + out[1] + n;
}
__global__ void endless_kernel(int n, int* out) { out[2] = endless(n, out); }
__device__ __noinline__ void endless_store(int n, int* out) {
    volatile int here[8];
    here[n & 7] = n;
    endless_store(n + here[3 & n], out);
    out[3] = here[n & 7];
}
__global__ void endless_store_kernel(int n, int* out) { endless_store(n, out); }
void recurse(void (*kernel)(int, int*), int n, size_t stack) {
    if (stack) show_error("limit", cudaDeviceSetLimit(cudaLimitStackSize, stack));
    int* out = nullptr;
    cudaMalloc(&out, 4096);
    cudaMemset(out, 0, 4096);
    kernel<<<1, 1>>>(n, out);
    const cudaError_t launch = cudaGetLastError(), sync = cudaDeviceSynchronize();
    show_error("launch", launch), show_error("sync", sync);
    int words[4] = {};
    if (cudaMemcpy(words, out, 16, cudaMemcpyDeviceToHost) == cudaSuccess) show("result", words[0]);
}
#define RECURSES(name, kernel, n, stack) CASE(name) { recurse(kernel, n, stack); }
RECURSES(count_10, count_kernel, 10, 0)
RECURSES(count_20, count_kernel, 20, 0)
RECURSES(count_30, count_kernel, 30, 0)
RECURSES(count_40, count_kernel, 40, 0)
RECURSES(count_50, count_kernel, 50, 0)
RECURSES(count_60, count_kernel, 60, 0)
RECURSES(count_80, count_kernel, 80, 0)
RECURSES(count_100, count_kernel, 100, 0)
RECURSES(count_200, count_kernel, 200, 0)
RECURSES(count_1000, count_kernel, 1000, 0)
RECURSES(count_1000_in_16k, count_kernel, 1000, 16384)
RECURSES(count_1000_in_64k, count_kernel, 1000, 65536)
RECURSES(count_100_in_4k, count_kernel, 100, 4096)
RECURSES(fibonacci_15, fibonacci_kernel, 15, 0)
RECURSES(fibonacci_25, fibonacci_kernel, 25, 0)
RECURSES(array_5, array_kernel, 5, 0)
RECURSES(array_10, array_kernel, 10, 0)
RECURSES(array_20, array_kernel, 20, 0)
RECURSES(array_100, array_kernel, 100, 0)
RECURSES(array_100_in_16k, array_kernel, 100, 16384)
RECURSES(mutual_10, mutual_kernel, 10, 0)
RECURSES(mutual_20, mutual_kernel, 20, 0)
RECURSES(mutual_50, mutual_kernel, 50, 0)
RECURSES(mutual_100, mutual_kernel, 100, 0)
RECURSES(sort_10, sort_kernel, 10, 0)
RECURSES(sort_20, sort_kernel, 20, 0)
RECURSES(sort_40, sort_kernel, 40, 0)
RECURSES(sort_100, sort_kernel, 100, 0)
RECURSES(endless, endless_kernel, 1, 0)
RECURSES(endless_store, endless_store_kernel, 1, 0)

// The heap.
__global__ void fill_heap(size_t size, int* out) {
    int count = 0;
    while (count < 2000000 && malloc(size)) ++count;
    out[0] = count;
}
void fill(size_t heap, size_t size) {
    if (heap) cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap);
    Shared<int> out(1);
    fill_heap<<<1, 1>>>(size, out.device);
    out.tell(("blocks of " + std::to_string(size)).c_str());
}
#define FILLS(name, heap, size) \
    CASE(name) { fill(heap, size); }
FILLS(heap_1000, 0, 1000)
FILLS(heap_1024, 0, 1024)
FILLS(heap_1500, 0, 1500)
FILLS(heap_2000, 0, 2000)
FILLS(heap_2048, 0, 2048)
FILLS(heap_3000, 0, 3000)
FILLS(heap_4096, 0, 4096)
FILLS(heap_5000, 0, 5000)
FILLS(heap_10000, 0, 10000)
FILLS(heap_20000, 0, 20000)
FILLS(heap_65536, 0, 65536)
FILLS(heap_100000, 0, 100000)
FILLS(heap_300000, 0, 300000)
FILLS(heap_500000, 0, 500000)
FILLS(heap_1048576, 0, 1048576)
FILLS(heap_1500000, 0, 1500000)
FILLS(heap_2097152, 0, 2097152)
FILLS(heap_3145728, 0, 3145728)
FILLS(heap_4194304, 0, 4194304)
FILLS(heap_7340032, 0, 7340032)
FILLS(heap_8000000, 0, 8000000)
FILLS(heap_8388608, 0, 8388608)
FILLS(heap_16_mib_4096, 16 << 20, 4096)
FILLS(heap_16_mib_1048576, 16 << 20, 1048576)
FILLS(heap_16_mib_8388608, 16 << 20, 8388608)
FILLS(heap_64_mib_1048576, 64 << 20, 1048576)
FILLS(heap_1_byte_4096, 1, 4096)
FILLS(heap_1_byte_1048576, 1, 1048576)
__global__ void allocate(char** out) { *out = static_cast<char*>(malloc(1000)); }
__global__ void release(char** out) { free(*out); }
CASE(heap_limit_after_use) {
    Shared<char*> out(1);
    show_error("before", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    allocate<<<1, 1>>>(out.device);
    cudaDeviceSynchronize();
    show_error("more", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    show_error("same", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    show_error("less", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    cudaGetLastError();
    size_t size = 0;
    cudaDeviceGetLimit(&size, cudaLimitMallocHeapSize);
    show("limit", static_cast<long long>(size));
    show_error("printf", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    show_error("stack", cudaDeviceSetLimit(cudaLimitStackSize, 2048));
}
CASE(heap_copy) {
    Shared<char*> out(1);
    allocate<<<1, 1>>>(out.device);
    cudaDeviceSynchronize();
    char* p = nullptr;
    cudaMemcpy(&p, out.device, sizeof p, cudaMemcpyDeviceToHost);
    char host[1000] = {};
    show_error("out", cudaMemcpy(host, p, 1000, cudaMemcpyDeviceToHost));
    show_error("in", cudaMemcpy(p, host, 1000, cudaMemcpyHostToDevice));
    show_error("set", cudaMemset(p, 0, 1000));
    show_error("free", cudaFree(p));
    cudaPointerAttributes attributes{};
    show_error("attributes", cudaPointerGetAttributes(&attributes, p));
    show("type", attributes.type);
    cudaGetLastError();
    release<<<1, 1>>>(out.device);
    show_error("sync", cudaDeviceSynchronize());
}
__global__ void release_twice(int* out) {
    void* p = malloc(100);
    free(p);
    free(p);
    out[0] = 1;
}
CASE(heap_free_twice) {
    Shared<int> out(1);
    release_twice<<<1, 1>>>(out.device);
    out.tell("done");
}
__global__ void release_other(int* out) {
    free(out);
    out[0] = 1;
}
CASE(heap_free_other) {
    Shared<int> out(1);
    release_other<<<1, 1>>>(out.device);
    out.tell("done");
}
