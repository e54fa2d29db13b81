// Host code that uses memory which pending work reads or writes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int use(int value) {
    static volatile int sum = 0;
    return sum = sum + value;
}

// CASE managed_result_read_before_waiting
void managed_result_read_before_waiting() {
    int* m;
    cudaMallocManaged(&m, bytes);
    fill<<<n / 256, 256>>>(m, 3);
    use(m[7]);  // FIND host-race
    cudaDeviceSynchronize();
    cudaFree(m);
}

// CASE managed_input_changed_too_early
void managed_input_changed_too_early() {
    int *in, *out;
    cudaMallocManaged(&in, bytes);
    cudaMallocManaged(&out, bytes);
    for (int i = 0; i < n; ++i) in[i] = i;
    add<<<n / 256, 256>>>(out, in);
    in[5] = 0;  // FIND host-race
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}

// CASE mapped_result_read_before_waiting
void mapped_result_read_before_waiting() {
    int *h, *d;
    cudaHostAlloc(&h, bytes, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&d, h, 0);
    fill<<<n / 256, 256>>>(d, 1);
    const int last = h[n - 1];  // FIND host-race
    use(last);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
}

struct Buffers {
    int *d, *h;
    cudaStream_t stream, other;
    Buffers() {
        cudaMalloc(&d, bytes);
        cudaMallocHost(&h, bytes);
        memset(h, 0, bytes);
        cudaMemset(d, 0, bytes);
        cudaStreamCreate(&stream);
        cudaStreamCreate(&other);
    }
    ~Buffers() {
        cudaDeviceSynchronize();
        cudaFree(d);
        cudaFreeHost(h);
        cudaStreamDestroy(stream);
        cudaStreamDestroy(other);
    }
};

// CASE result_of_a_copy_read_too_early
void result_of_a_copy_read_too_early() {
    Buffers b;
    cudaMemcpyAsync(b.h, b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    use(b.h[3]);  // FIND host-race
}

// CASE source_of_a_copy_overwritten
void source_of_a_copy_overwritten() {
    Buffers b;
    cudaMemcpyAsync(b.d, b.h, bytes, cudaMemcpyHostToDevice, b.stream);
    b.h[0] = 9;  // FIND host-race
}

// CASE destination_of_a_copy_written
void destination_of_a_copy_written() {
    Buffers b;
    cudaMemcpyAsync(b.h, b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    b.h[100] = 1;  // FIND host-race
}

// CASE the_wrong_stream_waited_for
void the_wrong_stream_waited_for() {
    Buffers b;
    cudaMemcpyAsync(b.h, b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    cudaStreamSynchronize(b.other);
    use(b.h[3]);  // FIND host-race
}

// CASE event_recorded_and_not_waited_for
void event_recorded_and_not_waited_for() {
    Buffers b;
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaMemcpyAsync(b.h, b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    cudaEventRecord(event, b.stream);
    use(b.h[1]);  // FIND host-race
    cudaEventDestroy(event);
}

// CASE event_recorded_before_the_copy
void event_recorded_before_the_copy() {
    Buffers b;
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaEventRecord(event, b.stream);
    cudaMemcpyAsync(b.h, b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    cudaEventSynchronize(event);
    use(b.h[1]);  // FIND host-race
    cudaEventDestroy(event);
}

// CASE one_staging_buffer_for_all_chunks
void one_staging_buffer_for_all_chunks() {
    Buffers b;
    for (int chunk = 0; chunk < 3; ++chunk) {
        for (int i = 0; i < n; ++i) b.h[i] = chunk;  // FIND host-race
        cudaMemcpyAsync(b.d, b.h, bytes, cudaMemcpyHostToDevice, b.stream);
    }
}

// CASE library_function_reads_too_early
void library_function_reads_too_early() {
    Buffers b;
    std::vector<int> mine(n);
    cudaMemcpyAsync(b.h, b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    memcpy(mine.data(), b.h, bytes);  // FIND host-race
}

// CASE fill_of_managed_memory
void fill_of_managed_memory() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int* m;
    cudaMallocManaged(&m, bytes);
    cudaMemsetAsync(m, 1, bytes, stream);
    use(m[0]);  // FIND host-race
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(m);
}

// CASE written_to_a_file_too_early
void written_to_a_file_too_early() {
    Buffers b;
    FILE* file = fopen("/dev/null", "w");
    cudaMemcpyAsync(b.h, b.d, bytes, cudaMemcpyDeviceToHost, b.stream);
    fwrite(b.h, 1, bytes, file);  // FIND host-race
    fclose(file);
}

// CASE registered_memory_freed
void registered_memory_freed() {
    int* d;
    cudaMalloc(&d, bytes);
    int* mine = (int*)malloc(bytes);
    memset(mine, 0, bytes);
    cudaHostRegister(mine, bytes, cudaHostRegisterDefault);
    cudaMemcpyAsync(d, mine, bytes, cudaMemcpyHostToDevice);
    free(mine);  // FIND freed-while-used
    cudaDeviceSynchronize();
    cudaFree(d);
}

// CASE registered_array_deleted
void registered_array_deleted() {
    int* d;
    cudaMalloc(&d, bytes);
    cudaMemset(d, 0, bytes);
    int* mine = new int[n];
    cudaHostRegister(mine, bytes, cudaHostRegisterDefault);
    cudaMemcpyAsync(mine, d, bytes, cudaMemcpyDeviceToHost);
    delete[] mine;  // FIND freed-while-used
    cudaFree(d);
}

int main() {
    managed_result_read_before_waiting();
    managed_input_changed_too_early();
    mapped_result_read_before_waiting();
    result_of_a_copy_read_too_early();
    source_of_a_copy_overwritten();
    destination_of_a_copy_written();
    the_wrong_stream_waited_for();
    event_recorded_and_not_waited_for();
    event_recorded_before_the_copy();
    one_staging_buffer_for_all_chunks();
    library_function_reads_too_early();
    fill_of_managed_memory();
    written_to_a_file_too_early();
    registered_memory_freed();
    registered_array_deleted();
}
