// cuRAND's Poisson distribution, bit by bit, from every kind of generator.
#include "curand_cases.h"

void all_of(const char* name, curandRngType_t type, bool quasi) {
    constexpr std::size_t many = 100000;
    for (const double lambda : {0.1, 1.0, 10.0, 63.5, 64.0, 100.0, 500.0, 999.0, 1500.0, 2500.0, 5000.0, 1e6}) {
        char text[64];
        std::snprintf(text, sizeof text, "poisson %g", lambda);
        generate<unsigned>(name, text, many, [&](unsigned* to) {
            const Generator generator(type, quasi ? 0 : 1234);
            if (quasi) curandSetQuasiRandomGeneratorDimensions(generator.handle, 4);
            curandGeneratePoisson(generator.handle, to, many, lambda);
        });
    }
    generate<unsigned>(name, "poisson, mixed", 12000, [&](unsigned* to) {
        const Generator generator(type, quasi ? 0 : 1234);
        curandGeneratePoisson(generator.handle, to, 1000, 10.0);
        curandGenerateUniform(generator.handle, reinterpret_cast<float*>(to + 1000), 1000);
        curandGeneratePoisson(generator.handle, to + 2000, 5000, 100.0);
        curandGeneratePoisson(generator.handle, to + 7000, 5000, 7.5);
    });
}

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what a crash leaves is whole lines
    all_of("xorwow", CURAND_RNG_PSEUDO_XORWOW, false);
    all_of("mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A, false);
    all_of("philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, false);
    all_of("mtgp32", CURAND_RNG_PSEUDO_MTGP32, false);
    all_of("mt19937", CURAND_RNG_PSEUDO_MT19937, false);
    all_of("sobol32", CURAND_RNG_QUASI_SOBOL32, true);
    all_of("scrambled32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, true);
    all_of("sobol64", CURAND_RNG_QUASI_SOBOL64, true);
    all_of("scrambled64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, true);
}
