// Document 2: the fields of cudaDeviceProp that bound how many threads live on one multiprocessor. The text names
// regsPerBlock and sharedMemPerBlock, which are limits of one block; the fields for a whole SM stand beside them.
#include <stdio.h>

int main() {
    cudaDeviceProp dev_prop;
    if (cudaGetDeviceProperties(&dev_prop, 0) != cudaSuccess) return 1;

    printf("registers: block no more than SM: %s\n",
           dev_prop.regsPerBlock <= dev_prop.regsPerMultiprocessor ? "yes" : "no");
    printf("shared memory: block no more than SM: %s\n",
           dev_prop.sharedMemPerBlock <= dev_prop.sharedMemPerMultiprocessor ? "yes" : "no");

    // The arithmetic of the text for its imaginary device D, which no real device matches.
    const int threadsPerSM = 1536, registersPerSM = 16384, sharedPerSM = 16 * 1024, blocksPerSM = 8;
    printf("registers for %d threads: %d each\n", threadsPerSM, registersPerSM / threadsPerSM);
    const int blockSize = 512;
    printf("with 11 each, in blocks of %d: %d threads\n", blockSize,
           registersPerSM / (11 * blockSize) * blockSize);
    printf("shared memory for %d blocks: %d bytes each\n", blocksPerSM, sharedPerSM / blocksPerSM);
    printf("blocks of 5 KB: %d\n", sharedPerSM / (5 * 1024));
    const int tile = 16 * 16 * sizeof(float);
    const int byThreads = threadsPerSM / (16 * 16);
    printf("two tiles: %d bytes, %d blocks by threads, %d bytes in use\n", 2 * tile, byThreads, byThreads * 2 * tile);
    return 0;
}
