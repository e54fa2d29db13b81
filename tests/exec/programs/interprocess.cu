// Two processes share memory and an event: the child is there before the first CUDA call.
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
__global__ void add(int* p, int value) {
    p[threadIdx.x] += value;
}
struct Message {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};
static int child(int from, int to) {
    Message m;
    if (read(from, &m, sizeof m) != sizeof m) return 1;
    int* p;
    cudaEvent_t event;
    if (cudaIpcOpenMemHandle((void**)&p, m.memory, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) return 2;
    if (cudaIpcOpenEventHandle(&event, m.event) != cudaSuccess) return 3;
    cudaStreamWaitEvent(0, event, 0);
    add<<<1, 32>>>(p, 20);
    cudaEventRecord(event, 0);
    if (write(to, "x", 1) != 1) return 4;
    int last;
    cudaMemcpy(&last, p + 31, sizeof last, cudaMemcpyDefault);
    cudaIpcCloseMemHandle(p);
    cudaEventDestroy(event);
    return last == 22 ? 0 : 5;
}
int main() {
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0) return 1;
    const pid_t other = fork();
    if (other == 0) return child(there[0], back[1]);
    int *before, *p;
    cudaMalloc(&before, 64);  // on the same page
    cudaMalloc(&p, 32 * sizeof(int));
    cudaMemset(p, 0, 32 * sizeof(int));
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess);
    add<<<1, 32>>>(p, 2);
    Message m;
    printf("%s\n", cudaGetErrorName(cudaIpcGetMemHandle(&m.memory, p)));
    printf("%s\n", cudaGetErrorName(cudaIpcGetEventHandle(&m.event, event)));
    cudaEventRecord(event, 0);
    char c;
    if (write(there[1], &m, sizeof m) != sizeof m || read(back[0], &c, 1) != 1) return 1;
    cudaEventSynchronize(event);
    int last = 0, status = 0;
    cudaMemcpy(&last, p + 31, sizeof last, cudaMemcpyDefault);
    wait(&status);
    printf("%d, exit code %d\n", last, WEXITSTATUS(status));
    cudaEventDestroy(event);
    cudaFree(p);
    cudaFree(before);
    cudaMalloc(&p, 64);  // where the shared one was
    cudaMemset(p, 0, 64);
    add<<<1, 16>>>(p, 1);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(p);
}
