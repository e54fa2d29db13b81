// Thread block clusters: how many are active, special registers, distributed shared memory.
#include <cooperative_groups.h>

#include "calls.h"

namespace cg = cooperative_groups;

__global__ void touch() {
    extern __shared__ char bytes[];
    bytes[threadIdx.x] = 1;
}

struct Seen {
    unsigned rank, size, x, y, cluster_x, cluster_y, clusters_x, clusters_y, is_explicit, rank_of_own, rank_of_last;
    int got, own_is_shared, other_is_shared;
};
__global__ void __cluster_dims__(2, 2, 1) look(Seen* seen) {
    __shared__ int s[4];
    cg::cluster_group c = cg::this_cluster();
    Seen& mine = seen[blockIdx.y * gridDim.x + blockIdx.x];
    const unsigned own = (unsigned)__cvta_generic_to_shared(s);
    unsigned last;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(last) : "r"(own), "r"(3));
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(mine.x));
    asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(mine.y));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(mine.clusters_x));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(mine.clusters_y));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(mine.cluster_x));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(mine.cluster_y));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(mine.is_explicit));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(mine.rank_of_last) : "r"(last));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(mine.rank_of_own) : "r"(own));
    mine.rank = c.block_rank();
    mine.size = c.num_blocks();
    s[0] = c.block_rank() * 10;
    c.sync();
    int* other = c.map_shared_rank(s, (c.block_rank() + 1) % 4);
    mine.got = other[0];
    mine.own_is_shared = __isShared(s);
    mine.other_is_shared = __isShared(other);
    c.sync();
}
__global__ void exited(int* out, int early, int rank) {
    __shared__ int s[4];
    cg::cluster_group c = cg::this_cluster();
    s[0] = c.block_rank() + 5;
    c.sync();
    if (early && c.block_rank() == 1) return;
    if (early) __nanosleep(100000);
    if (c.block_rank() == 0) out[0] = c.map_shared_rank(s, rank)[0];
    if (!early) c.sync();
}

int main() {
    cudaFuncSetAttribute(touch, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    cudaLaunchConfig_t config{};
    config.attrs = &attribute;
    const auto shape = [&](unsigned x, unsigned y, unsigned z) {
        attribute.val.clusterDim.x = x;
        attribute.val.clusterDim.y = y;
        attribute.val.clusterDim.z = z;
        config.numAttrs = 1;
    };
    for (int threads : {32, 64, 128, 192, 256, 384, 512, 768, 1024})
        for (int shared : {0, 8, 16, 24, 32, 44, 56, 72, 100, 112, 200, 227}) {
            int blocks = 0, largest = -1;
            config.blockDim = dim3(threads);
            config.dynamicSmemBytes = shared << 10;
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, threads, shared << 10);
            printf("%d %d blocks %d:", threads, shared << 10, blocks);
            for (int size = 1; size <= 16; ++size) {
                int active = -1;
                shape(size, 1, 1);
                config.gridDim = dim3(size * 1000);
                const cudaError_t e = cudaOccupancyMaxActiveClusters(&active, touch, &config);
                printf(" %d", e == cudaSuccess ? active : -(int)e);
            }
            config.numAttrs = 0;
            config.gridDim = dim3(16);
            const cudaError_t e = cudaOccupancyMaxPotentialClusterSize(&largest, touch, &config);
            printf(" largest %d\n", e == cudaSuccess ? largest : -(int)e);
        }
    config.dynamicSmemBytes = 0;
    config.blockDim = dim3(256);
    for (int x : {1, 2, 4})
        for (int y : {1, 2, 3, 4})
            for (int z : {1, 2}) {
                int active = -1;
                shape(x, y, z);
                config.gridDim = dim3(8 * x, 8 * y, 8 * z);
                const cudaError_t e = cudaOccupancyMaxActiveClusters(&active, touch, &config);
                printf("shape %d %d %d: %d %d\n", x, y, z, (int)e, active);
            }

    Seen* seen;
    cudaMallocManaged(&seen, 8 * sizeof(Seen));
    look<<<dim3(4, 2), 1>>>(seen);
    printf("sync %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int b = 0; b < 8; ++b) {
        const Seen& s = seen[b];
        printf(
            "block %d,%d rank %u of %u ctaid %u,%u cluster %u,%u of %u,%u explicit %u got %d own-rank %u "
            "rank-of-3 %u isshared %d %d\n",
            b % 4, b / 4, s.rank, s.size, s.x, s.y, s.cluster_x, s.cluster_y, s.clusters_x, s.clusters_y, s.is_explicit,
            s.got, s.rank_of_own, s.rank_of_last, s.own_is_shared, s.other_is_shared);
    }
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, look);
    printf("must %d required %d %d %d\n", a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
           a.requiredClusterDepth);
    look<<<dim3(3, 2), 1>>>(seen);
    printf("grid 3x2: %s\n", cudaGetErrorName(cudaGetLastError()));
    shape(4, 1, 1);
    config.gridDim = dim3(4, 2);
    config.blockDim = dim3(1);
    printf("other dims: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, look, seen)));
    cudaDeviceSynchronize();
    cudaGetLastError();
    int active = -1;
    printf("clusters %s", cudaGetErrorName(cudaOccupancyMaxActiveClusters(&active, look, &config)));
    printf(" %d\n", active);
    config.numAttrs = 0;
    printf("clusters without attribute %s", cudaGetErrorName(cudaOccupancyMaxActiveClusters(&active, look, &config)));
    printf(" %d\n", active);
    printf("set required %s\n", cudaGetErrorName(cudaFuncSetAttribute(look, cudaFuncAttributeRequiredClusterWidth, 4)));
    cudaGetLastError();

    int *out, h = -1;
    cudaMalloc(&out, 4);
    shape(2, 1, 1);
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    cudaLaunchKernelEx(&config, exited, out, 0, 1);
    printf("not early: %s", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaMemcpy(&h, out, 4, cudaMemcpyDeviceToHost);
    printf(" %d\n", h);
    fflush(stdout);
    return 0;
}
