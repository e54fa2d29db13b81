// Batches of copies and prefetches, the calls that can hang last.
#include "calls.h"

int main() {
    char *d, *m, h[64] = {};
    cudaMalloc(&d, 4096);
    cudaMallocManaged(&m, 8192);
    cudaStream_t s;
    cudaStreamCreate(&s);
    const void* sources[2] = {h, h + 8};
    void* targets[2] = {d, d + 8};
    size_t sizes[2] = {8, 8}, first[2] = {0, 0}, zero[2] = {0, 0};
    cudaMemcpyAttributes at = {};
    at.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    // Refused before anything is copied.
    P(cudaMemcpyBatchAsync((void**)nullptr, sources, sizes, 2, &at, first, 1, s));
    P(cudaMemcpyBatchAsync(targets, (const void**)nullptr, sizes, 2, &at, first, 1, s));
    P(cudaMemcpyBatchAsync(targets, sources, nullptr, 2, &at, first, 1, s));
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 0, &at, first, 1, s));
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, nullptr, first, 1, s));
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, nullptr, 1, s));
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 0, s));
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 3, s));
    first[0] = 1;
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 1, s));
    first[0] = 0;
    at.srcAccessOrder = (cudaMemcpySrcAccessOrder)9;
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 1, s));
    at.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 1, s));
    at.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 1, nullptr));
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 1, cudaStreamLegacy));
    LAST();
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, nowhere = {cudaMemLocationTypeDevice, 9};
    void* ranges[2] = {m, m + 4096};
    size_t bytes[2] = {4096, 4096};
    P(cudaMemPrefetchBatchAsync((void**)nullptr, bytes, 2, &here, first, 1, 0, s));
    P(cudaMemPrefetchBatchAsync(ranges, nullptr, 2, &here, first, 1, 0, s));
    P(cudaMemPrefetchBatchAsync(ranges, bytes, 0, &here, first, 1, 0, s));
    P(cudaMemPrefetchBatchAsync(ranges, bytes, 2, nullptr, first, 1, 0, s));
    P(cudaMemPrefetchBatchAsync(ranges, bytes, 2, &nowhere, first, 1, 0, s));
    P(cudaMemPrefetchBatchAsync(ranges, bytes, 2, &here, first, 1, 1, s));
    P(cudaMemPrefetchBatchAsync(ranges, zero, 2, &here, first, 1, 0, s));
    P(cudaMemPrefetchBatchAsync(ranges, bytes, 2, &here, first, 1, 0, s));
    P(cudaStreamSynchronize(s));
    LAST();
    // Copies that are made, or that the driver finds fault with. One of these hung.
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 1, s));
    P(cudaStreamSynchronize(s));
    P(cudaMemcpyBatchAsync(targets, sources, zero, 2, &at, first, 1, s));
    P(cudaStreamSynchronize(s));
    targets[1] = nullptr;
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 1, s));
    P(cudaStreamSynchronize(s));
    targets[1] = h + 32;
    sources[1] = h;
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 1, s));
    P(cudaStreamSynchronize(s));
    sizes[1] = (size_t)1 << 40;
    targets[1] = d;
    P(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &at, first, 1, s));
    P(cudaStreamSynchronize(s));
    LAST();
}
