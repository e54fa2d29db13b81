// Host functions, and what they may call.
#include "calls.h"

int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    P(cudaLaunchHostFunc(s, nullptr, nullptr));
    P(cudaStreamAddCallback(s, nullptr, nullptr, 0));
    P(cudaStreamAddCallback(s, callback, (void*)"f", 1));
    LAST();
    auto inside = [](void*) {
        int* p;
        cudaStream_t q;
        float f;
        cudaEvent_t e = nullptr;
        int i;
        printf("  inside:");
        printf(" malloc %d", cudaMalloc(&p, 4));
        printf(" create %d", cudaStreamCreate(&q));
        printf(" getdevice %d", cudaGetDevice(&i));
        printf(" count %d", cudaGetDeviceCount(&i));
        printf(" last %d", cudaGetLastError());
        printf(" elapsed %d", cudaEventElapsedTime(&f, e, e));
        printf(" query %d", cudaStreamQuery(0));
        printf(" setdevice %d", cudaSetDevice(0));
        printf(" version %d", cudaRuntimeGetVersion(&i));
        printf("\n");
        fflush(stdout);
    };
    P(cudaLaunchHostFunc(s, inside, nullptr));
    P(cudaStreamSynchronize(s));
    LAST();
}
