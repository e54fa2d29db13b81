// REPLY: D has 16 KB of shared memory, but you count eight blocks of 5 KB
// How many blocks of `threads` threads, with `registers` registers each and `shared` bytes of shared memory for the
// block, are resident on a multiprocessor of device p. 0 if p does not allow such a block.
int resident_blocks(const cudaDeviceProp& p, int threads, int registers, size_t shared) {
    if (threads > p.maxThreadsPerBlock || threads * registers > p.regsPerBlock || shared > p.sharedMemPerBlock)
        return 0;
    int blocks = p.maxBlocksPerMultiProcessor;
    int by_threads = p.maxThreadsPerMultiProcessor / threads;
    int by_registers = p.regsPerMultiprocessor / (threads * registers);
    if (by_threads < blocks) blocks = by_threads;
    if (by_registers < blocks) blocks = by_registers;
    return blocks;
}
