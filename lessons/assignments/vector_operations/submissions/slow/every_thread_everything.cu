// POINTS: 6
// FAILS: no accesses outside the arrays, and one thread for each element
// FAILS: loads need no more sectors than the data
// FAILS: stores need no more sectors than the data
// FAILS: nothing else goes to memory
// REPLY: Several threads write the same element. By how many elements must a
__global__ void axpby(float* z, const float* x, const float* y, float a, float b, int n) {
    for (int i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}
