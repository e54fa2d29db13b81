// The driver API: a module from PTX, its kernel and its variable.
#include <cuda.h>
#include <cstdio>
const char* const ptx = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 p, .param .u32 n) {
    .reg .pred %q;
    .reg .b32 %r<5>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %q, %r2, %r1;
    @%q ret;
    mul.wide.u32 %d2, %r2, 4;
    cvta.to.global.u64 %d1, %d1;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r3, [factor];
    mul.lo.u32 %r4, %r2, %r3;
    st.global.u32 [%d3], %r4;
    ret;
}
)";
#define CHECK(call)                              \
    if (CUresult status = call; status) {        \
        const char* name = "?";                  \
        cuGetErrorName(status, &name);           \
        printf("line %d: %s\n", __LINE__, name); \
    }
int main() {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction scale;
    CUdeviceptr p, factor;
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuMemAlloc(&p, 4));
    char name[100];
    int major, minor;
    CHECK(cuDeviceGetName(name, sizeof name, device));
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    printf("%s %d.%d\n", name, major, minor);
    CHECK(cuCtxCreate(&context, nullptr, 0, device));
    CHECK(cuModuleLoadData(&module, "no PTX"));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&scale, module, "missing"));
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    size_t bytes;
    CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    const int five = 5;
    CHECK(cuMemcpyHtoD(factor, &five, bytes));
    CHECK(cuMemAlloc(&p, 32 * sizeof(int)));
    CUstream stream;
    CUevent begin, end;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&begin, 0));
    CHECK(cuEventCreate(&end, 0));
    CHECK(cuEventRecord(begin, stream));
    int n = 32, h[32];
    void* arguments[] = {&p, &n};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
    struct {
        CUdeviceptr p;
        int n;
    } packed{p, n};
    size_t size = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, stream, nullptr, extra));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuStreamSynchronize(stream));
    float ms = -1;
    CHECK(cuEventElapsedTime(&ms, begin, end));
    CHECK(cuMemcpyDtoH(h, p, sizeof h));
    printf("%d %d\n", h[31], ms > 0);
    CHECK(cuMemFree(p));
    CHECK(cuMemFree(p));
    CHECK(cuEventDestroy(begin));
    CHECK(cuEventDestroy(end));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuModuleUnload(module));
    CUlinkState link;
    void* image;
    CHECK(cuLinkCreate(0, nullptr, nullptr, &link));
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void*)ptx, __builtin_strlen(ptx), "scale", 0, nullptr, nullptr));
    CHECK(cuLinkComplete(link, &image, &bytes));
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuLinkDestroy(link));
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    printf("linked\n");
    CHECK(cuModuleUnload(module));
    CHECK(cuCtxDestroy(context));
    CHECK(cuCtxSynchronize());
}
