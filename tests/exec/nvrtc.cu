// NVRTC, asked for machine code, and the driver API.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <vector>

int main() {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, "extern \"C\" __global__ void triple(int* p) { p[threadIdx.x] *= 3; }", "triple.cu", 0,
                       nullptr, nullptr);
    const char* const options[] = {"--gpu-architecture=sm_90", "-lineinfo"};
    printf("%d\n", nvrtcCompileProgram(program, 2, options));
    size_t bytes;
    nvrtcGetCUBINSize(program, &bytes);
    std::vector<char> code(bytes);
    nvrtcGetCUBIN(program, code.data());
    nvrtcDestroyProgram(&program);
    cuInit(0);
    int* p;
    cudaMallocManaged(&p, 32 * sizeof(int));
    for (int i = 0; i < 32; ++i) p[i] = i;
    CUcontext context;
    CUmodule module;
    CUfunction triple;
    cuCtxCreate(&context, nullptr, 0, 0);
    printf("%d\n", cuModuleLoadData(&module, code.data()));
    printf("%d\n", cuModuleGetFunction(&triple, module, "triple"));
    void* arguments[] = {&p};
    cuLaunchKernel(triple, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
    cudaDeviceSynchronize();
    printf("%d\n", p[31]);
    cudaFree(p);
    cuModuleUnload(module);
    cuCtxDestroy(context);
}
