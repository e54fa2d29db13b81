// Libraries made from PTX.
#include "calls.h"

int main() {
    cudaLibrary_t l;
    cudaKernel_t k, ks[4];
    const char* ptx =
        ".version 8.0\n.target sm_50\n.address_size 64\n.global .align 4 .u32 counter = 5;\n.visible .global .align 4 "
        ".b8 table[16];\n.visible .entry go(.param .u64 p){.reg .u64 %rd<3>; .reg .u32 %r<2>; ld.param.u64 %rd1,[p]; "
        "cvta.to.global.u64 %rd2,%rd1; mov.u32 %r1,42; st.global.u32 [%rd2],%r1; ret;}\n.visible .entry "
        "other(){ret;}\n";
    P(cudaLibraryLoadData(&l, nullptr, 0, 0, 0, 0, 0, 0));
    P(cudaLibraryLoadData(nullptr, ptx, 0, 0, 0, 0, 0, 0));
    P(cudaLibraryLoadData(&l, "not ptx", 0, 0, 0, 0, 0, 0));
    P(cudaLibraryLoadData(&l, ".version 8.0\n.target sm_50\n.address_size 64\nnonsense", 0, 0, 0, 0, 0, 0));
    P(cudaLibraryLoadFromFile(&l, "/no/such/file", 0, 0, 0, 0, 0, 0));
    P(cudaLibraryLoadFromFile(&l, nullptr, 0, 0, 0, 0, 0, 0));
    LAST();
    P(cudaLibraryLoadData(&l, ptx, 0, 0, 0, 0, 0, 0));
    P(cudaLibraryGetKernel(&k, l, "nope"));
    P(cudaLibraryGetKernel(&k, l, nullptr));
    P(cudaLibraryGetKernel(nullptr, l, "go"));
    unsigned n = 0;
    P(cudaLibraryGetKernelCount(&n, l));
    V("%u", n);
    P(cudaLibraryEnumerateKernels(ks, 4, l));
    P(cudaLibraryEnumerateKernels(ks, 1, l));
    P(cudaLibraryEnumerateKernels(ks, 0, l));
    P(cudaLibraryEnumerateKernels(nullptr, 1, l));
    void* p;
    size_t s = 0;
    P(cudaLibraryGetGlobal(&p, &s, l, "table"));
    V("%zu", s);
    P(cudaLibraryGetGlobal(&p, &s, l, "counter"));
    P(cudaLibraryGetGlobal(&p, &s, l, "nope"));
    P(cudaLibraryGetGlobal(&p, nullptr, l, "table"));
    P(cudaLibraryGetGlobal(nullptr, &s, l, "table"));
    P(cudaLibraryGetManaged(&p, &s, l, "table"));
    P(cudaLibraryGetUnifiedFunction(&p, l, "table"));
    LAST();
    P(cudaLibraryGetKernel(&k, l, "go"));
    int *d, h = 0;
    cudaMalloc(&d, 4);
    void* args[] = {&d};
    P(cudaLaunchKernel((void*)k, dim3(1), dim3(1), args, 0, 0));
    P(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    V("%d", h);
    cudaFuncAttributes a;
    P(cudaFuncGetAttributes(&a, (void*)k));
    V("%d", a.maxThreadsPerBlock);
    P(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0));
    P(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20, 0));
    P(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 9));
    P(cudaFuncGetAttributes(&a, (void*)k));
    V("%d", a.maxDynamicSharedSizeBytes);
    const char* nm = nullptr;
    P(cudaFuncGetName(&nm, (void*)k));
    if (nm) V("%s", nm);
    cudaLibraryOption o = cudaLibraryBinaryIsPreserved;
    void* ov = (void*)1;
    cudaLibrary_t l2;
    P(cudaLibraryLoadData(&l2, ptx, 0, 0, 0, &o, &ov, 1));
    cudaJitOption jo = cudaJitMaxRegisters;
    void* jv = (void*)32;
    P(cudaLibraryLoadData(&l2, ptx, &jo, &jv, 1, 0, 0, 0));
    P(cudaLibraryUnload(l));
    P(cudaLibraryUnload(nullptr));
    LAST();
    P(cudaDeviceSynchronize());
}
