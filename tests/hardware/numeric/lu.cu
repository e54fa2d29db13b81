// LU factorization of 48 x 48 with pivots, a solution, and the determinant's logarithm; a Cholesky factor.
#include "numeric.h"
__global__ void factor(float* a, float* x, float* logarithm) {
    const int i = threadIdx.x, n = 48;
    __shared__ int pivot;
    for (int k = 0; k < n; ++k) a[i * n + k] = fraction(i * n + k) - 0.5f;
    x[i] = fraction(i, 1);
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        __syncthreads();
        if (i == 0) {
            pivot = k;
            for (int j = k + 1; j < n; ++j)
                if (fabsf(a[j * n + k]) > fabsf(a[pivot * n + k])) pivot = j;
        }
        __syncthreads();
        const float t = a[k * n + i];
        a[k * n + i] = a[pivot * n + i], a[pivot * n + i] = t;
        if (i == 0) {
            const float u = x[k];
            x[k] = x[pivot], x[pivot] = u;
        }
        __syncthreads();
        if (i > k) {
            const float factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
            x[i] -= factor * x[k];
        }
        sum += logf(fabsf(a[k * n + k]));
    }
    for (int k = n - 1; k >= 0; --k) {
        __syncthreads();
        if (i == k) x[k] /= a[k * n + k];
        __syncthreads();
        if (i < k) x[i] -= a[i * n + k] * x[k];
    }
    logarithm[i] = sum;
}
__global__ void cholesky(float* l) {
    const int n = 32;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            float sum = 0.1f * fraction(i * n + j) + (i == j ? 4 : 0);
            for (int k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = i == j ? sqrtf(sum) : sum / l[j * n + j];
        }
}
int main() {
    Array<float> a(48 * 48), x(48), logarithm(48), l(32 * 32);
    factor<<<1, 48>>>(a.data, x.data, logarithm.data);
    cholesky<<<1, 1>>>(l.data);
    a.show("factors"), x.show("solution"), logarithm.show("logarithm"), l.show("cholesky");
}
