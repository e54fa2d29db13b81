// REPLY: If a kernel uses no shared memory, and the device reserves none, what do you divide by?
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
    size_t taken = shared + p.reservedSharedMemPerBlock;
    {
        int by_shared = p.sharedMemPerMultiprocessor / taken;
        if (by_shared < blocks) blocks = by_shared;
    }
    return blocks;
}
