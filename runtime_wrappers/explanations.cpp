#include "runtime_wrappers/explanations.h"

#include <algorithm>

namespace cudash {
namespace {

constexpr Explanation pages[] = {
    {"barrier-divergence", "threads of one block wait at different barriers",
     "__syncthreads() is one meeting point for all threads of a block. Here some wait at one call and the rest "
     "at\n"
     "another. It may seem to work, because hardware counts arrivals by the barrier's number, but CUDA leaves "
     "open "
     "what\n"
     "happens, and memory written before the one is not promised to be seen after the other.",
     "if (threadIdx.x < 32) {\n    s[threadIdx.x] = 1;\n    __syncthreads();\n} else {\n    __syncthreads();\n}",
     "Do the work in the branch and the waiting after it, where all threads pass."},
    {"barrier-exited", "threads ended before a barrier of their block",
     "Some threads returned, and the others came to __syncthreads(). The current Programming Guide says that the "
     "barrier\n"
     "waits for all threads that have not exited, so this is legal: it is a note, not an error. It is fragile all the "
     "same.\n"
     "Guides before compute capability 7.0 did not promise it, and what the exited threads should have loaded into "
     "shared\n"
     "memory is missing.",
     "if (i >= n) return;\ns[threadIdx.x] = in[i];\n__syncthreads();",
     "Keep all threads until the last barrier: s[threadIdx.x] = i < n ? in[i] : 0; and guard the stores instead."},
    {"bytes-not-elements", "a size in bytes is given as a number of elements",
     "cudaMalloc, cudaMemcpy and cudaMemset count bytes. n of them are a quarter of n floats: the rest is not "
     "copied,\n"
     "and keeps what was there before.",
     "cudaMalloc(&d, n * sizeof(float));\ncudaMemcpy(d, h, n, cudaMemcpyHostToDevice);",
     "cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);"},
    {"copy-not-waited-for", "memory is used while an asynchronous copy to it is under way",
     "cp.async (memcpy_async, __pipeline_memcpy_async) begins a copy and goes on. Its data is there only after "
     "the\n"
     "copying thread has waited for it; a barrier alone does not wait.",
     "__pipeline_memcpy_async(&s[t], &in[t], 4);\n__pipeline_commit();\n__syncthreads();\nout[t] = s[t];",
     "Wait first (__pipeline_wait_prior(0)), and then let __syncthreads() tell the other threads."},
    {"deadlock", "threads wait for each other and none can go on",
     "Every thread of the block is waiting: at a barrier that others never reach, for lanes that a mask names and "
     "that\n"
     "do not come, or in a loop for a value that nobody writes.",
     "if (threadIdx.x < 16) __syncwarp(0xffffffff);  // and the others wait somewhere else",
     "Let all threads come to the same barrier, name in a mask only lanes that make the call, and set flags by "
     "threads\n"
     "that can still run."},
    {"device-pointer-on-host", "host code uses a pointer to device memory",
     "What cudaMalloc gives is an address on the device. Host code may keep it, hand it to kernels and copies, "
     "and do\n"
     "arithmetic with it, but not read or write what it points to.",
     "int* d; cudaMalloc(&d, 400);\nd[0] = 1;",
     "Copy with cudaMemcpy, set with cudaMemset or in a kernel, or allocate with cudaMallocManaged."},
    {"device-printf-format", "hardware prints this printf format differently",
     "printf in device code doesn't know all of C's conversions. An H200 prints %zu, %td, %jd and %Lf as they stand, "
     "and\n"
     "so a precision of *; for %hhd it prints bytes of the format. The virtual GPU prints what an H200 does.",
     "printf(\"%zu bytes, %.*f\\n\", sizeof(int), 2, x);",
     "printf(\"%lu bytes, %.2f\\n\", (unsigned long)sizeof(int), x);"},
    {"freed-while-used", "host memory is freed while it is still registered with the device",
     "cudaHostRegister locks the program's own memory for the device. Freed before cudaHostUnregister, or while a "
     "copy\n"
     "or kernel that uses it is pending, it goes to the next malloc, and the device writes there. (cudaFree and\n"
     "cudaFreeHost wait for pending work by themselves.)",
     "cudaHostRegister(p, n, 0);\ncudaMemcpyAsync(p, d, n, cudaMemcpyDeviceToHost, stream);\nfree(p);",
     "cudaStreamSynchronize(stream); cudaHostUnregister(p); free(p);"},
    {"global-race", "threads use one place in global memory in no order",
     "Two threads access the same bytes, at least one of them writes, and nothing says who is first: no barrier, "
     "no\n"
     "fence with an atomic, no end of a kernel lies between. The result depends on luck. Blocks run in any order, "
     "and\n"
     "__syncthreads() orders the threads of one block only.",
     "__global__ void count(int* c) { c[0]++; }",
     "Use an atomic function (atomicAdd(c, 1)), give every thread a place of its own, or make two kernels of it: "
     "one\n"
     "begins when the other has ended. Where one block hands data to another: write the data, __threadfence(), "
     "then "
     "an\n"
     "atomic that announces it."},
    {"heap-corruption", "the host's heap is destroyed",
     "malloc and new keep their own notes beside the memory they give. What is written past the end of an array goes\n"
     "there, and the next malloc, free or printf finds it, often far from the line that did it. free and delete of\n"
     "what they did not give, or of the same twice, are found likewise. Mostly the process cannot go on.",
     "float* h = (float*)malloc(400 * 64);\ncudaMemcpy2D(h, pitch, d, pitch, 400, 64, cudaMemcpyDeviceToHost);",
     "Write only what was allocated: rows that lie close together have their width as pitch,\n"
     "cudaMemcpy2D(h, 400, d, pitch, 400, 64, kind). Free with free what malloc gave, and once."},
    {"host-pointer-in-kernel", "a kernel uses a pointer to the host's memory",
     "Arrays and variables of the program, and what malloc and new give, lie in the host's memory. A kernel "
     "cannot\n"
     "reach them through a pointer.",
     "float h[100];\nfill<<<1, 100>>>(h);",
     "Get device memory with cudaMalloc and copy with cudaMemcpy, or use cudaMallocManaged or cudaMallocHost.\n"
     "Memory of a pool of host memory is open to kernels once cudaMemPoolSetAccess has let their device in."},
    {"host-race", "host code uses memory that pending work reads or writes",
     "Kernels and asynchronous copies return at once and are done later. Until the program has waited for them, what\n"
     "they write is not there yet, and what they read must not change. That holds for all memory that both sides "
     "reach:\n"
     "managed, page-locked (cudaMallocHost) and mapped. What a copy is about to do is known when it is issued; a "
     "kernel\n"
     "is watched when it runs, so that this may be told after the line that it names.",
     "kernel<<<blocks, threads>>>(managed);\nprintf(\"%d\\n\", managed[0]);",
     "cudaDeviceSynchronize() before host code goes on, or cudaStreamSynchronize, or cudaEventSynchronize of an event\n"
     "that was recorded behind the work."},
    {"leak", "memory was allocated and not freed",
     "The program ended and had not given back what it allocated. The system takes it then; a program that allocates\n"
     "in a loop runs out of memory long before. At the prompt, :leaks lists what there is so far.",
     "for (int i = 0; i < 100; ++i) {\n    cudaMalloc(&d, n);\n    kernel<<<1, 32>>>(d);\n}",
     "One cudaFree for each cudaMalloc, cudaFreeHost for each cudaMallocHost, on every way out of the function: a "
     "class\n"
     "whose destructor frees does it by itself."},
    {"library-call-failed", "a call of cuBLAS or cuRAND failed",
     "The library's functions return a status of their own, which cudaGetLastError does not know. An argument may be\n"
     "wrong: a leading dimension that is less than the rows of its matrix, a handle that was destroyed. Or an array is "
     "not\n"
     "memory of the device: the functions take pointers of cudaMalloc, and the memory must be there until the stream "
     "has\n"
     "done the work.",
     "float h[16]; cublasSscal(handle, 16, &two, h, 1);  // h is host memory",
     "Compare each status with CUBLAS_STATUS_SUCCESS or CURAND_STATUS_SUCCESS; copy arrays to the device first. "
     "Matrices\n"
     "are in columns, as in Fortran: the leading dimension is the distance from one column to the next."},
    {"mask-without-caller", "a warp-level function is called by a lane that its mask does not name",
     "The mask of __syncwarp, __shfl_sync, __ballot_sync and the like says which lanes make the call. A lane that "
     "calls\n"
     "must be in it; otherwise the result is undefined.",
     "if (lane < 8) v = __any_sync(0x3, p);",
     "Give the lanes that make the call: mask = __ballot_sync(0xffffffff, lane < 8) before the branch."},
    {"mbarrier-not-initialised", "a barrier object is used before it is initialised",
     "An mbarrier (cuda::barrier) is memory that one thread must set up before anyone arrives or waits.",
     "__shared__ cuda::barrier<cuda::thread_scope_block> b;\nb.arrive_and_wait();",
     "if (threadIdx.x == 0) init(&b, blockDim.x); __syncthreads(); and then use it."},
    {"misaligned-access", "an address is not a multiple of the size of the access",
     "A thread reads or writes 2, 4, 8 or 16 bytes at once only at multiples of that number.",
     "float4 v = *(float4*)(p + 1);  // p is a float*",
     "Let wide accesses begin at multiples of their size, or read the elements one by one."},
    {"no-peer-access", "a kernel uses memory of another device",
     "cudaMalloc gives memory of the device that is current. Kernels of another device reach it only after that one "
     "was\n"
     "told to open it: peer access. Copies between devices need no peer access.",
     "cudaSetDevice(0);\ncudaMalloc(&p, bytes);\ncudaSetDevice(1);\nfill<<<blocks, threads>>>(p);",
     "cudaSetDevice(1);\ncudaDeviceEnablePeerAccess(0, 0);\nonce, if cudaDeviceCanAccessPeer says that it can be; or "
     "copy the "
     "data\nwith cudaMemcpy, or launch on the device that has it."},
    {"not-destroyed", "a stream, an event or another object was created and not destroyed",
     "The program ended and had not destroyed what it created. Each stream, event, graph, array or texture object "
     "holds\n"
     "memory of the driver until then; a program that creates them in a loop gets slower and runs out of them.",
     "for (int i = 0; i < 100; ++i) {\n    cudaStreamCreate(&s);\n    kernel<<<1, 32, 0, s>>>(d);\n}",
     "One cudaStreamDestroy for each cudaStreamCreate, one cudaEventDestroy for each cudaEventCreate, and so on: "
     "create\n"
     "them once, before the loop."},
    {"oob-read", "a read outside of all memory that was allocated",
     "The address does not belong to any allocation, or goes beyond the end of one. The note names the nearest.",
     "out[i] = in[i + 1];  // the last thread reads one element too far",
     "Guard the index (if (i + 1 < n)), and check the number of blocks and the size given to cudaMalloc."},
    {"oob-write", "a write outside of all memory that was allocated",
     "The address does not belong to any allocation, or goes beyond the end of one. The note names the nearest.",
     "d[blockIdx.x * blockDim.x + threadIdx.x] = 0;  // more threads than elements",
     "Guard the index: if (i < n). Grids are usually rounded up, so that some threads have nothing to do."},
    {"ptxas", "a kernel cannot be assembled for a real GPU",
     "The virtual GPU runs PTX, which knows no limits of a device. ptxas, which makes machine code of it, refuses "
     "this\n"
     "kernel, and so would nvcc; how many registers it takes is not known. Other kernels have theirs.",
     "__global__ void k() { __shared__ float s[20000]; ... }  // more than 48 KB",
     "Keep within the limit that it names; more than 48 KB of shared memory only as dynamic shared memory."},
    {"same-value-race", "several threads write the same value to one place",
     "As long as all write the same, hardware leaves that value there. The C++ memory model calls it a race all the\n"
     "same, and the compiler may count on there being none. Looked for with --check=all or --check=same-value only.",
     "if (in[i] == key) *found = 1;",
     "Let one thread write, use atomicExch or a relaxed cuda::atomic, or accept it and know that you do."},
    {"shared-aliasing", "two extern __shared__ arrays lie at the same place",
     "A launch gives one piece of dynamic shared memory. Every extern __shared__ array of a kernel, whatever its name\n"
     "and type, begins at the start of that piece: what is stored in one shows in the other.",
     "extern __shared__ float a[];\nextern __shared__ float b[];\na[t] = x[t];\nb[t] = y[t];  // overwrites a[t]",
     "Declare one array and cut it up: float* b = a + blockDim.x; and launch with the bytes of both. What needs the\n"
     "widest alignment comes first."},
    {"shared-race", "threads of a block use one place in shared memory in no order",
     "Two threads access the same bytes of shared memory, at least one of them writes, and no barrier lies between.\n"
     "Lanes of one warp are no exception: since Volta they need not run in lockstep.",
     "s[t] = in[t];\nout[t] = s[63 - t];",
     "__syncthreads() between the two, where all threads pass; within a warp __syncwarp() is enough. In a loop two "
     "are\n"
     "needed: after writing and before the next round writes again."},
    {"shuffle-source", "a lane reads from a lane that takes no part in the shuffle",
     "__shfl_sync and its relatives give the value that another lane passes to the same call. A lane that does not "
     "make\n"
     "the call, has ended or does not exist passes none: the value is undefined.",
     "if (lane < 16) v += __shfl_xor_sync(0xffff, v, 16);",
     "Let all lanes that are read from make the call, pad the block to whole warps, or give the last argument, width."},
    {"stack-overflow", "the calls of a thread need more stack than it has",
     "A thread of a kernel has as many bytes of stack as cudaLimitStackSize says: 1024 at first. On the virtual GPU, "
     "as\n"
     "on an H200, each call takes 16 bytes and those of its local arrays. Recursion that is too deep or has no end, "
     "and\n"
     "alloca, use the stack up; the error is cudaErrorIllegalAddress. Host code has the stack of its process.",
     "__device__ int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }  // sum(64) needs 65 calls of 16 bytes",
     "Check that every recursion ends, use a loop, or give threads more: cudaDeviceSetLimit(cudaLimitStackSize, "
     "4096);"},
    {"stream-race", "operations in different streams use the same memory in no order",
     "Kernels, copies and memsets in different streams may run at the same time, or in either order. Two of them\n"
     "use the same bytes, at least one writes, and nothing puts them in an order: not one stream, not an event, not\n"
     "a wait of the host, not a dependency of a graph. Which of them ran first here says nothing about another run.\n"
     "The default stream waits for the others, and they for it, but not those made with cudaStreamNonBlocking.\n"
     "Streams are numbered in the order in which they were created.",
     "fill<<<4, 256, 0, a>>>(d);\ncudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost, b);  // may come first",
     "Use one stream for what belongs together, or let the second stream wait: cudaEventRecord(e, a) after the\n"
     "first operation and cudaStreamWaitEvent(b, e) before the second. It waits for what was recorded before it is\n"
     "called: for nothing, if that is nothing. Or let the host wait in between: cudaStreamSynchronize(a)."},
    {"too-much-constant", "the __constant__ variables do not fit",
     "A device has 64 KB of constant memory for all __constant__ variables of a program together; nvcc refuses more.",
     "__constant__ float table[20000];",
     "Keep in __constant__ what all threads of a warp read at the same place, and big tables in __device__ memory."},
    {"trap", "the kernel stopped itself",
     "Device code executed a trap: __trap(), a failed check in a header, or grid.sync() in a kernel that was not "
     "launched\n"
     "as a cooperative one. A grid can wait for itself only if all of its blocks run at once, and only a cooperative\n"
     "launch promises that.",
     "kernel<<<64, 256>>>(p);  // kernel calls cg::this_grid().sync()",
     "cudaLaunchCooperativeKernel((void*)kernel, blocks, threads, arguments), with no more blocks than fit on the\n"
     "device at once."},
    {"unchecked-error", "a call of the runtime failed and the program did not look",
     "Calls of the CUDA runtime say by what they return whether they worked, and a launch leaves its error for\n"
     "cudaGetLastError. This program threw the result of a call away that failed, and did not ask later either: what\n"
     "comes after it works with memory that is not there, or with results that nothing computed.",
     "kernel<<<1, 2048>>>(d);  // too many threads: it never runs\ncudaDeviceSynchronize();",
     "Compare each result with cudaSuccess, and cudaGetLastError() after a launch: most programs have a macro for it.\n"
     "(void)cudaFree(p) says that the result does not matter."},
    {"uninitialised-copy", "bytes that nothing has written are copied to the host",
     "The copy takes device memory that no kernel, copy or memset has written since it was allocated. Often a kernel "
     "did\n"
     "not run, or its grid does not cover all elements.",
     "kernel<<<n / 256, 256>>>(d, n);  // rounds down\ncudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);",
     "(n + 255) / 256 blocks; look at the launch's error; copy only what was computed."},
    {"uninitialised-read", "memory is read that nothing has written",
     "cudaMalloc, __shared__ and local variables begin with arbitrary contents. (The virtual GPU has zeros there; a "
     "real\n"
     "one has what was there before.)",
     "int* c; cudaMalloc(&c, 4); count<<<1, 32>>>(c);  // atomicAdd(c, 1)",
     "cudaMemset, a copy, or a first loop that sets all elements; in shared memory followed by __syncthreads()."},
    {"use-after-free", "memory is used that was freed", "The address lies in memory that cudaFree has given back.",
     "cudaFree(d);\nkernel<<<1, 32>>>(d);",
     "Free memory after the last kernel that uses it; set the pointer to nullptr then."},
    {"wrong-direction", "the kind of a copy names the wrong side",
     "The last argument of cudaMemcpy says which side is the host's. Here it calls device memory the host's. With "
     "unified\n"
     "addressing the runtime sees where the memory is, and copies all the same; for ordinary host memory on a side "
     "that\n"
     "the kind calls the device's, the call fails.",
     "cudaMemcpy(b, a, n, cudaMemcpyHostToDevice);  // both from cudaMalloc",
     "cudaMemcpyDeviceToDevice here; dst comes first: cudaMemcpy(dst, src, count, kind). cudaMemcpyDefault always "
     "fits."},
    {"wrong-free", "free or delete of memory that CUDA gave",
     "Memory goes back to who gave it. What cudaMalloc, cudaMallocManaged, cudaMallocHost and cudaHostAlloc give is\n"
     "unknown to malloc: free and delete of it end a program, or destroy its heap. Here it stays allocated.",
     "float* h; cudaMallocHost(&h, bytes);\nfree(h);",
     "cudaFree for cudaMalloc and cudaMallocManaged, cudaFreeHost for cudaMallocHost and cudaHostAlloc."},
    {"wrong-pitch", "the pitch that was given is not the pitch of the memory",
     "cudaMallocPitch pads each row, and says by its pitch how far apart rows begin, in bytes. A copy or fill that "
     "takes\n"
     "rows at another distance, or all of them as one piece, puts elements into the padding and into the wrong rows.",
     "cudaMallocPitch(&d, &pitch, w, h);\ncudaMemcpy(d, p, w * h, cudaMemcpyHostToDevice);",
     "cudaMemcpy2D(d, pitch, p, w, w, h, cudaMemcpyHostToDevice): each side has its own pitch, all widths are in "
     "bytes."},
};
static_assert(std::is_sorted(std::begin(pages), std::end(pages),
                             [](const Explanation& a, const Explanation& b) { return a.code < b.code; }));

}  // namespace

std::span<const Explanation> explanations() {
    return pages;
}

const Explanation* find_explanation(std::string_view code) {
    const auto found =
        std::find_if(std::begin(pages), std::end(pages), [&](const Explanation& page) { return page.code == code; });
    return found == std::end(pages) ? nullptr : found;
}

}  // namespace cudash
