// Doubles: quotients, roots, and the functions of the library.
#include "numeric.h"
__global__ void all(double* out, int n) {
    const int i = thread_of_grid();
    const double x = (mixed(i) + mixed(i, 1) / 4294967296.0) / 4294967296.0, y = mixed(i, 2) / 4294967296.0;
    const double values[] = {exp(20 * x - 10),
                             log(x + 1e-9),
                             pow(10 * x, y),
                             sin(100 * x),
                             cos(100 * x),
                             tan(3 * x),
                             sqrt(x),
                             rsqrt(x),
                             cbrt(x),
                             x / (y + 0.1),
                             1 / (x + 0.1),
                             atan2(x, y),
                             tanh(4 * x - 2),
                             erf(3 * x),
                             erfc(3 * x),
                             normcdf(4 * x - 2),
                             normcdfinv(x * 0.98 + 0.01),
                             tgamma(5 * x + 0.1),
                             lgamma(5 * x + 0.1),
                             j0(10 * x),
                             y1(10 * x + 0.1),
                             asin(x),
                             acos(x),
                             sinh(x),
                             exp2(x),
                             log1p(x),
                             expm1(x),
                             hypot(x, y),
                             rcbrt(x + 0.1),
                             erfinv(x)};
    for (int k = 0; k < 30; ++k) out[k * n + i] = values[k];
}
int main() {
    Array<double> out(30 * 512);
    all<<<4, 128>>>(out.data, 512);
    for (int k = 0; k < 30; ++k) {
        Array<double> part(512);
        cudaMemcpy(part.data, out.data + k * 512, 512 * sizeof(double), cudaMemcpyDeviceToDevice);
        char name[16];
        snprintf(name, sizeof name, "function %d", k);
        part.show(name);
    }
}
