// Host code that works beside the device, and waits where it must.
#include <stdio.h>
#include <string.h>

#include <thread>
#include <vector>

constexpr int n = 4096;
constexpr size_t bytes = n * sizeof(int);

__global__ void fill(int* p, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value + i;
}
__global__ void add(int* out, const int* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
__global__ void half(int* p) {
    p[threadIdx.x] = 1;
}
__global__ void wait_for(volatile int* flag, int* out) {
    while (*flag == 0) {
    }
    *out = 5;
}
__global__ void raise_flag(volatile int* flag) {
    *flag = 1;
}

int use(int value) {
    static volatile int sum = 0;
    return sum = sum + value;
}

struct Buffers {
    int *d, *h, *m;
    cudaStream_t stream;
    Buffers() {
        cudaMalloc(&d, bytes);
        cudaMallocHost(&h, bytes);
        cudaMallocManaged(&m, bytes);
        memset(h, 0, bytes);
        memset(m, 0, bytes);
        cudaMemset(d, 0, bytes);
        cudaStreamCreate(&stream);
    }
    ~Buffers() {
        cudaFree(d);
        cudaFreeHost(h);
        cudaFree(m);
        cudaStreamDestroy(stream);
    }
};

// CASE waits_for_the_kernel
void waits_for_the_kernel() {
    Buffers b;
    fill<<<n / 256, 256>>>(b.m, 1);
    cudaDeviceSynchronize();
    use(b.m[0]);
    b.m[1] = 2;
}

// CASE source_is_read_while_it_is_copied
void source_is_read_while_it_is_copied() {
    Buffers b;
    cudaMemcpyAsync(b.d, b.h, bytes, cudaMemcpyHostToDevice, b.stream);
    use(b.h[0]);
    cudaStreamSynchronize(b.stream);
    b.h[0] = 1;
}

// CASE host_and_kernel_read_the_same
void host_and_kernel_read_the_same() {
    Buffers b;
    add<<<n / 256, 256>>>(b.d, b.m);
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += b.m[i];
    use(sum);
    cudaDeviceSynchronize();
}

// CASE host_works_on_the_other_half
void host_works_on_the_other_half() {
    Buffers b;
    half<<<1, 64>>>(b.m);
    for (int i = 1024; i < n; ++i) b.m[i] = i;
    for (int i = 64; i < 128; ++i) b.m[i] = i;
    cudaDeviceSynchronize();
    use(b.m[0]);
}

// CASE other_part_of_a_page
void other_part_of_a_page() {
    Buffers b;
    cudaMemcpyAsync(b.h, b.d, 100, cudaMemcpyDeviceToHost, b.stream);
    b.h[25] = 1;
    b.h[1000] = 1;
    cudaStreamSynchronize(b.stream);
    use(b.h[0]);
}

// CASE two_buffers_take_turns
void two_buffers_take_turns() {
    Buffers a, b;
    cudaEvent_t done[2];
    for (cudaEvent_t& event : done) cudaEventCreate(&event);
    Buffers* both[2] = {&a, &b};
    for (int chunk = 0; chunk < 6; ++chunk) {
        Buffers& now = *both[chunk % 2];
        if (chunk >= 2) cudaEventSynchronize(done[chunk % 2]);
        for (int i = 0; i < n; ++i) now.h[i] = chunk + i;
        cudaMemcpyAsync(now.d, now.h, bytes, cudaMemcpyHostToDevice, now.stream);
        cudaEventRecord(done[chunk % 2], now.stream);
    }
    cudaDeviceSynchronize();
    for (cudaEvent_t event : done) cudaEventDestroy(event);
}

// CASE asks_until_it_is_done
void asks_until_it_is_done() {
    Buffers b;
    cudaMemcpyAsync(b.h, b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    while (cudaStreamQuery(b.stream) == cudaErrorNotReady) {
    }
    use(b.h[5]);
}

// CASE a_blocking_call_in_the_same_stream_waits_for_all_before_it
void a_blocking_call_waits() {
    Buffers b;
    int first = 0;
    fill<<<n / 256, 256>>>(b.d, 1);
    fill<<<n / 256, 256>>>(b.m, 1);
    cudaMemcpy(&first, b.d, sizeof first, cudaMemcpyDeviceToHost);
    use(b.m[1] + first);
}

// CASE host_function_in_the_stream_reads
void host_function_in_the_stream_reads() {
    Buffers b;
    fill<<<n / 256, 256, 0, b.stream>>>(b.m, 4);
    cudaLaunchHostFunc(b.stream, [](void* m) { use(((int*)m)[2]); }, b.m);
    cudaStreamSynchronize(b.stream);
}

// CASE another_thread_waits_and_reads
void another_thread_waits_and_reads() {
    Buffers b;
    fill<<<n / 256, 256, 0, b.stream>>>(b.m, 4);
    std::thread reader([&] {
        cudaStreamSynchronize(b.stream);
        use(b.m[9]);
    });
    reader.join();
}

// CASE other_thread_uses_other_memory
void other_thread_uses_other_memory() {
    Buffers a, b;
    cudaMemcpyAsync(a.h, a.d, bytes, cudaMemcpyDeviceToHost, a.stream);
    std::thread writer([&] {
        for (int i = 0; i < n; ++i) b.h[i] = i;
    });
    writer.join();
    cudaStreamSynchronize(a.stream);
    use(a.h[0]);
}

// CASE kernel_waits_for_a_flag_of_the_host
void kernel_waits_for_a_flag_of_the_host() {
    volatile int* flag;
    int* out;
    cudaMallocHost((void**)&flag, sizeof *flag);
    cudaMallocHost(&out, sizeof *out);
    *flag = 0;
    wait_for<<<1, 1>>>(flag, out);
    *flag = 1;
    cudaDeviceSynchronize();
    use(*out);
    cudaFreeHost((void*)flag);
    cudaFreeHost(out);
}

// CASE host_waits_for_a_flag_of_the_kernel
void host_waits_for_a_flag_of_the_kernel() {
    volatile int* flag;
    cudaMallocHost((void**)&flag, sizeof *flag);
    *flag = 0;
    raise_flag<<<1, 1>>>(flag);
    while (*flag == 0) {
    }
    cudaDeviceSynchronize();
    cudaFreeHost((void*)flag);
}

// CASE freed_while_work_is_pending
void freed_while_work_is_pending() {
    Buffers b;
    cudaMemcpyAsync(b.h, b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    fill<<<n / 256, 256>>>(b.d, 1);
}

// CASE pageable_memory_is_staged
void pageable_memory_is_staged() {
    Buffers b;
    std::vector<int> mine(n, 3);
    cudaMemcpyAsync(b.d, mine.data(), bytes, cudaMemcpyHostToDevice, b.stream);
    mine[0] = 4;
    mine.clear();
    cudaStreamSynchronize(b.stream);
}

// CASE registered_memory_shares_its_pages
void registered_memory_shares_its_pages() {
    Buffers b;
    std::vector<int> mine(3 * n, 1);
    cudaHostRegister(&mine[n / 2], bytes, cudaHostRegisterDefault);
    cudaMemcpyAsync(&mine[n / 2], b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    mine[0] = 2;
    mine[n / 2 - 1] = 2;
    mine[n / 2 + n] = 2;
    cudaStreamSynchronize(b.stream);
    cudaHostUnregister(&mine[n / 2]);
    use(mine[n]);
}

// CASE source_is_written_to_a_file
void source_is_written_to_a_file() {
    Buffers b;
    add<<<n / 256, 256>>>(b.d, b.h);
    FILE* file = fopen("/dev/null", "w");
    if (fwrite(b.h, 1, bytes, file) != bytes) printf("short\n");
    fclose(file);
    cudaDeviceSynchronize();
}

int main() {
    waits_for_the_kernel();
    source_is_read_while_it_is_copied();
    host_and_kernel_read_the_same();
    host_works_on_the_other_half();
    other_part_of_a_page();
    two_buffers_take_turns();
    asks_until_it_is_done();
    a_blocking_call_waits();
    host_function_in_the_stream_reads();
    another_thread_waits_and_reads();
    other_thread_uses_other_memory();
    kernel_waits_for_a_flag_of_the_host();
    host_waits_for_a_flag_of_the_kernel();
    freed_while_work_is_pending();
    pageable_memory_is_staged();
    registered_memory_shares_its_pages();
    source_is_written_to_a_file();
}
