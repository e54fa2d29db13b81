// A memory pool of one process, and its memory in another: the child is there before the first CUDA call.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>
__global__ void add(int* p, int value) {
    p[threadIdx.x] += value;
}
// A file descriptor and what is exported of the pointer.
static bool send(int to, int descriptor, const cudaMemPoolPtrExportData& data) {
    char control[CMSG_SPACE(sizeof(int))] = {};
    iovec part = {(void*)&data, sizeof data};
    msghdr message = {};
    message.msg_iov = &part, message.msg_iovlen = 1, message.msg_control = control, message.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    return sendmsg(to, &message, 0) == sizeof data;
}
static int receive(int from, cudaMemPoolPtrExportData& data) {
    char control[CMSG_SPACE(sizeof(int))] = {};
    iovec part = {&data, sizeof data};
    msghdr message = {};
    message.msg_iov = &part, message.msg_iovlen = 1, message.msg_control = control, message.msg_controllen = sizeof control;
    int descriptor = -1;
    if (recvmsg(from, &message, 0) == sizeof data) memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}
static int child(int socket) {
    cudaMemPoolPtrExportData data;
    const int descriptor = receive(socket, data);
    cudaMemPool_t pool;
    int *p, *other, last = 0;
    if (cudaMemPoolImportFromShareableHandle(&pool, (void*)(long)descriptor, cudaMemHandleTypePosixFileDescriptor, 0) != cudaSuccess) return 1;
    if (cudaMemPoolImportPointer((void**)&p, pool, &data) != cudaSuccess) return 2;
    if (cudaMallocFromPoolAsync((void**)&other, 64, pool, 0) != cudaErrorInvalidValue) return 3;
    memset(&data, 0, sizeof data);
    if (cudaMemPoolImportPointer((void**)&other, pool, &data) != cudaErrorInvalidValue) return 4;
    cudaGetLastError();
    add<<<1, 32>>>(p, 5);
    cudaMemcpy(&last, p + 31, sizeof last, cudaMemcpyDefault);
    if (cudaFreeAsync(p, 0) != cudaSuccess || cudaStreamSynchronize(0) != cudaSuccess) return 5;
    if (cudaFreeAsync(p, 0) != cudaErrorInvalidValue) return 6;
    return cudaMemPoolDestroy(pool) == cudaSuccess ? last : 7;
}
int main() {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) != 0) return 1;
    const pid_t other = fork();
    if (other == 0) return child(sockets[1]);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t pool, alone;
    int descriptor = -1, *p, *mine, last = 0, status = 0;
    cudaMemPoolCreate(&alone, &properties);
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    cudaMemPoolCreate(&pool, &properties);
    cudaMallocFromPoolAsync((void**)&p, 32 * sizeof(int), pool, 0);
    cudaMallocFromPoolAsync((void**)&mine, 32 * sizeof(int), alone, 0);
    cudaMemsetAsync(p, 0, 32 * sizeof(int), 0);
    add<<<1, 32>>>(p, 2);
    cudaMemPoolPtrExportData data;
    printf("%s\n", cudaGetErrorName(cudaMemPoolExportToShareableHandle(&descriptor, alone, cudaMemHandleTypePosixFileDescriptor, 0)));
    printf("%s\n", cudaGetErrorName(cudaMemPoolExportPointer(&data, mine)));
    printf("%s\n", cudaGetErrorName(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0)));
    printf("%s\n", cudaGetErrorName(cudaMemPoolExportPointer(&data, p)));
    if (!send(sockets[0], descriptor, data)) return 1;
    close(descriptor);
    wait(&status);
    cudaMemcpy(&last, p + 31, sizeof last, cudaMemcpyDefault);
    printf("%d, exit code %d\n", last, WEXITSTATUS(status));
    cudaFreeAsync(p, 0);
    cudaFreeAsync(mine, 0);
    cudaStreamSynchronize(0);
    cudaMemPoolDestroy(pool);
    cudaMemPoolDestroy(alone);
}
