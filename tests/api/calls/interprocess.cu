// Memory and events that two processes share: what the calls are refused for, and what each process sees.
#include <sys/wait.h>

#include "calls.h"

__global__ void fill(int* p, int n, int v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v + i;
}

struct Message {
    cudaIpcMemHandle_t first, second;
    cudaIpcEventHandle_t event;
};

static void tell(int to) {
    char c = 'x';
    (void)!write(to, &c, 1);
}
static void await(int from) {
    char c;
    (void)!read(from, &c, 1);
}

static void other_process(int from, int to) {
    Message m;
    if (read(from, &m, sizeof m) != (ssize_t)sizeof m) _exit(1);
    int *p = nullptr, *q = nullptr, *twice = nullptr, four[4] = {};
    cudaEvent_t event = nullptr;
    P(cudaIpcOpenMemHandle((void**)&p, m.first, 0));
    P(cudaIpcOpenMemHandle((void**)&p, m.first, 9));
    P(cudaIpcOpenMemHandle(nullptr, m.first, cudaIpcMemLazyEnablePeerAccess));
    P(cudaIpcOpenMemHandle((void**)&p, m.first, cudaIpcMemLazyEnablePeerAccess));
    P(cudaIpcOpenMemHandle((void**)&twice, m.first, cudaIpcMemLazyEnablePeerAccess));
    V("%d", (int)(p == twice));
    P(cudaIpcOpenMemHandle((void**)&q, m.second, cudaIpcMemLazyEnablePeerAccess));
    P(cudaIpcOpenEventHandle(&event, m.event));
    P(cudaEventQuery(event));
    P(cudaStreamWaitEvent(0, event, 0));
    P(cudaEventElapsedTime(nullptr, event, event));
    P(cudaMemcpy(four, p, sizeof four, cudaMemcpyDefault));
    V("%d %d", four[0], four[3]);
    P(cudaMemcpy(four, q, sizeof four, cudaMemcpyDefault));
    V("%d %d", four[0], four[3]);
    cudaIpcMemHandle_t of_opened;
    P(cudaIpcGetMemHandle(&of_opened, p));
    fill<<<1, 4>>>(q, 4, 700);
    P(cudaEventRecord(event, 0));
    P(cudaFree(p));
    P(cudaDeviceSynchronize());
    tell(to);
    await(from);
    P(cudaMemcpy(four, p, sizeof four, cudaMemcpyDefault));
    V("%d %d", four[0], four[3]);
    P(cudaIpcCloseMemHandle(nullptr));
    P(cudaIpcCloseMemHandle(p + 1));
    P(cudaIpcCloseMemHandle(p));
    P(cudaIpcCloseMemHandle(p));
    P(cudaIpcCloseMemHandle(p));
    P(cudaIpcCloseMemHandle(q));
    P(cudaEventDestroy(event));
    tell(to);
    _exit(0);
}

int main() {
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) other_process(there[0], back[1]);
    int *p, *q, *freed, *managed, *pinned, host = 0;
    cudaMalloc(&p, 4096);
    cudaMalloc(&q, 64);
    cudaMalloc(&freed, 64);
    cudaFree(freed);
    cudaMallocManaged(&managed, 64);
    cudaMallocHost(&pinned, 64);
    cudaEvent_t shared, plain, timed;
    P(cudaEventCreateWithFlags(&timed, cudaEventInterprocess));
    P(cudaEventCreateWithFlags(&shared, cudaEventInterprocess | cudaEventDisableTiming));
    P(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    Message m = {};
    cudaIpcMemHandle_t scratch, again;
    cudaIpcEventHandle_t unused;
    P(cudaIpcGetMemHandle(&scratch, nullptr));
    P(cudaIpcGetMemHandle(&scratch, &host));
    P(cudaIpcGetMemHandle(&scratch, freed));
    P(cudaIpcGetMemHandle(&scratch, managed));
    P(cudaIpcGetMemHandle(&scratch, pinned));
    P(cudaIpcGetMemHandle(&m.first, p));
    P(cudaIpcGetMemHandle(&again, p));
    V("%d", memcmp(&again, &m.first, sizeof again) != 0);
    P(cudaIpcGetMemHandle(&m.second, q));
    P(cudaIpcGetEventHandle(&unused, plain));
    P(cudaIpcGetEventHandle(&m.event, shared));
    void* own = nullptr;
    P(cudaIpcOpenMemHandle(&own, m.first, cudaIpcMemLazyEnablePeerAccess));
    cudaIpcMemHandle_t wild = {};
    P(cudaIpcOpenMemHandle(&own, wild, cudaIpcMemLazyEnablePeerAccess));
    cudaEvent_t opened = nullptr;
    P(cudaIpcOpenEventHandle(&opened, m.event));
    P(cudaIpcCloseMemHandle(p));
    fill<<<1, 1024>>>(p, 1024, 100);
    fill<<<1, 16>>>(q, 16, 200);
    P(cudaEventRecord(shared, 0));
    (void)!write(there[1], &m, sizeof m);
    await(back[0]);
    P(cudaEventSynchronize(shared));
    int four[4] = {};
    P(cudaMemcpy(four, q, sizeof four, cudaMemcpyDefault));
    V("%d %d", four[0], four[3]);
    fill<<<1, 4>>>(p, 4, 300);
    P(cudaDeviceSynchronize());
    tell(there[1]);
    await(back[0]);
    int status = -1;
    waitpid(child, &status, 0);
    V("%d", status);
    P(cudaFree(p));
    P(cudaFree(q));
    return 0;
}
