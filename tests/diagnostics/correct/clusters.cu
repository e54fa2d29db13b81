// Blocks of a cluster that share memory in the order of its barrier.
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

// CASE halos_from_the_neighbours
__global__ void __cluster_dims__(4, 1, 1) halos(const int* in, int* out) {
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    const int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = in[i];
    cluster.sync();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    out[i] = threadIdx.x == 63 ? *cluster.map_shared_rank(&s[0], next) : s[threadIdx.x + 1];
    cluster.sync();
}

// CASE written_from_elsewhere
__global__ void __cluster_dims__(2, 1, 1) pushed(int* out) {
    __shared__ int inbox[32];
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    cluster.map_shared_rank(inbox, 1 - cluster.block_rank())[threadIdx.x] = blockIdx.x * 32 + threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = inbox[threadIdx.x];
}

// CASE global_memory_in_the_order_of_the_cluster
__global__ void __cluster_dims__(2, 1, 1) handed_over(int* data) {
    cg::cluster_group cluster = cg::this_cluster();
    if (cluster.block_rank() == 0) data[threadIdx.x] = threadIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 1) data[32 + threadIdx.x] = data[31 - threadIdx.x];
}

// CASE arrive_and_wait
__global__ void __cluster_dims__(2, 1, 1) split(int* out) {
    __shared__ int value;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) value = blockIdx.x + 1;
    cluster.barrier_arrive();
    int own = threadIdx.x * 3;
    cluster.barrier_wait();
    out[blockIdx.x * 32 + threadIdx.x] = own + *cluster.map_shared_rank(&value, 1 - cluster.block_rank());
    cluster.sync();
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 256 * sizeof(int));
    cudaMalloc(&out, 256 * sizeof(int));
    cudaMemset(in, 1, 256 * sizeof(int));
    halos<<<4, 64>>>(in, out);
    pushed<<<2, 32>>>(out);
    int h[64];
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    handed_over<<<2, 32>>>(out);
    split<<<2, 32>>>(out);
    int t[64];
    cudaMemcpy(t, out, sizeof t, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[0], h[63], t[1]);
    cudaFree(in);
    cudaFree(out);
}
