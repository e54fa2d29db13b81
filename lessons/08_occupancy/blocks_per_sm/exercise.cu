// How many blocks of `threads` threads, with `registers` registers each and `shared` bytes of shared memory for the
// block, are resident on a multiprocessor of device p. 0 if p does not allow such a block.
int resident_blocks(const cudaDeviceProp& p, int threads, int registers, size_t shared) {
    int by_threads = p.maxThreadsPerMultiProcessor / threads;
    return by_threads;
}
