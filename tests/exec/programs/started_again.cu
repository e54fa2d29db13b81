// A program that starts its own file again: the other process has a device, too, and opens memory of the first one.
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>
__global__ void add(int* p, int value) {
    *p += value;
}
static int other_process(int from) {
    cudaIpcMemHandle_t handle;
    int* p = nullptr;
    if (read(from, &handle, sizeof handle) != sizeof handle) return 1;
    printf("other: %s\n", cudaGetErrorName(cudaIpcOpenMemHandle((void**)&p, handle, cudaIpcMemLazyEnablePeerAccess)));
    add<<<1, 1>>>(p, 20);
    printf("other: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("other: %s\n", cudaGetErrorName(cudaIpcCloseMemHandle(p)));
    return 0;
}
int main(int, char** arguments) {
    if (arguments[1] && strcmp(arguments[1], "other") == 0) return other_process(0);
    int *p, sum = 0, status = 0, channel[2];
    cudaMalloc(&p, sizeof *p);
    cudaMemset(p, 0, sizeof *p);
    add<<<1, 1>>>(p, 3);
    cudaIpcMemHandle_t handle;
    printf("first: %s\n", cudaGetErrorName(cudaIpcGetMemHandle(&handle, p)));
    fflush(stdout);
    if (pipe(channel) != 0) return 1;
    if (fork() == 0) {
        dup2(channel[0], 0);
        execl("/proc/self/exe", arguments[0], "other", nullptr);
        return 1;
    }
    if (write(channel[1], &handle, sizeof handle) != sizeof handle) return 1;
    wait(&status);
    cudaMemcpy(&sum, p, sizeof sum, cudaMemcpyDeviceToHost);
    printf("first: %d, exit code %d\n", sum, WEXITSTATUS(status));
    cudaFree(p);
}
