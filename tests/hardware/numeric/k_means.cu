// k-means with 8 centers in the plane, and soft assignment of a Gaussian mixture.
#include "numeric.h"
__global__ void assign(const float2* centers, int* nearest, float* distance, float* soft) {
    const int i = thread_of_grid();
    const float x = fraction(i, 1) + (i % 3), y = fraction(i, 2) + (i % 5) * 0.5f;
    float best = 1e30f, sum = 0, first = 0;
    for (int k = 0; k < 8; ++k) {
        const float dx = x - centers[k].x, dy = y - centers[k].y, d = sqrtf(dx * dx + dy * dy),
                    w = expf(-4 * (dx * dx + dy * dy));
        if (d < best) best = d, nearest[i] = k;
        sum += w;
        if (k == 0) first = w;
    }
    distance[i] = best, soft[i] = first / sum;
}
__global__ void move(const int* nearest, float2* centers, int n) {
    float x = 0, y = 0;
    int count = 0;
    for (int i = 0; i < n; ++i)
        if (nearest[i] == threadIdx.x) x += fraction(i, 1) + (i % 3), y += fraction(i, 2) + (i % 5) * 0.5f, ++count;
    if (count) centers[threadIdx.x] = make_float2(x / count, y / count);
}
__global__ void start(float2* centers) {
    centers[threadIdx.x] = make_float2(3 * fraction(threadIdx.x, 3), 3 * fraction(threadIdx.x, 4));
}
int main() {
    Array<float2> centers(8);
    Array<int> nearest(1024);
    Array<float> distance(1024), soft(1024);
    start<<<1, 8>>>(centers.data);
    for (int k = 0; k < 5; ++k) {
        assign<<<8, 128>>>(centers.data, nearest.data, distance.data, soft.data);
        move<<<1, 8>>>(nearest.data, centers.data, 1024);
    }
    centers.show("centers"), nearest.show("nearest"), distance.show("distances"), soft.show("soft");
}
