// Code that cannot be loaded: which call says so, and with which code.
#include "calls.h"

static void ask(const char* what, const char* text) {
    printf("%s\n", what);
    cudaLibrary_t l = nullptr;
    cudaKernel_t k, all[4];
    unsigned n = 99;
    void* p;
    size_t size;
    P(cudaLibraryLoadData(&l, text, 0, 0, 0, 0, 0, 0));
    if (!l) return;
    P(cudaLibraryGetKernelCount(&n, l));
    V("%u", n);
    P(cudaLibraryGetKernel(&k, l, "go"));
    P(cudaLibraryGetKernel(&k, l, "go"));
    P(cudaLibraryEnumerateKernels(all, 4, l));
    P(cudaLibraryGetGlobal(&p, &size, l, "table"));
    P(cudaLibraryGetManaged(&p, &size, l, "table"));
    P(cudaLibraryGetUnifiedFunction(&p, l, "go"));
    LAST();
    P(cudaLibraryUnload(l));
}

int main() {
    ask("words", "not ptx");
    ask("nothing", "");
    ask("no instruction", ".version 8.0\n.target sm_50\n.address_size 64\nnonsense");
    ask("unknown register",
        ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry go() { mov.u32 %r1, 1; ret; }\n");
    ask("too new a version", ".version 99.0\n.target sm_50\n.address_size 64\n.visible .entry go() { ret; }\n");
    ask("too new a device", ".version 9.0\n.target sm_120\n.address_size 64\n.visible .entry go() { ret; }\n");
    ask("32 bits", ".version 8.0\n.target sm_50\n.address_size 32\n.visible .entry go() { ret; }\n");
    ask("an undefined function",
        ".version 8.0\n.target sm_50\n.address_size 64\n.extern .func other();\n.visible .entry go() { call other; "
        "ret; }\n");
    cudaLibraryOption option = cudaLibraryHostUniversalFunctionAndDataTable;
    cudaLibrary_t l;
    const char* good = ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry go() { ret; }\n";
    P(cudaLibraryLoadData(&l, good, 0, 0, 1, 0, 0, 0));
    P(cudaLibraryLoadData(&l, good, 0, 0, 0, 0, 0, 1));
    P(cudaLibraryLoadData(&l, good, 0, 0, 0, &option, 0, 1));
    cudaKernel_t k;
    P(cudaLibraryLoadData(&l, good, 0, 0, 0, 0, 0, 0));
    P(cudaLibraryGetKernel(&k, l, "go"));
    P(cudaLibraryUnload(l));
    LAST();
    P(cudaDeviceSynchronize());
}
