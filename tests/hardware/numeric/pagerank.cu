// PageRank of a made-up graph of 512 pages, and the entropy of its ranks.
#include "numeric.h"
__global__ void iterate(const float* in, float* out) {
    const int i = thread_of_grid();
    float sum = 0;
    for (int k = 0; k < 12; ++k) {
        const int from = mixed(i * 12 + k) % 512, links = 3 + mixed(from, 1) % 20;
        sum += in[from] / links;
    }
    out[i] = 0.15f / 512 + 0.85f * sum;
}
__global__ void start(float* rank) {
    rank[thread_of_grid()] = 1.0f / 512;
}
__global__ void entropy(const float* rank, float* out) {
    const int i = thread_of_grid();
    out[i] = -rank[i] * log2f(rank[i]) + log10f(1 + rank[i]);
}
int main() {
    Array<float> a(512), b(512), h(512);
    start<<<4, 128>>>(a.data);
    for (int k = 0; k < 8; ++k) iterate<<<4, 128>>>(a.data, b.data), iterate<<<4, 128>>>(b.data, a.data);
    entropy<<<4, 128>>>(a.data, h.data);
    a.show("ranks"), h.show("entropy");
}
