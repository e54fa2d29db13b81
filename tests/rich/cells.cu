#include <cudash/display.h>
float* d;
cudaMalloc(&d, 4096 * 4096 * sizeof(float));
__global__ void fill(float* d) { int i = blockIdx.x * blockDim.x + threadIdx.x; d[i] = (i * 2654435761u) * 1e-9f; }
:profile on
fill<<<65536, 256>>>(d);
cudaDeviceSynchronize();
:show d 4096x4096 heat
:show d 4096x4096
:show d 64x64 image
:show d 100 histogram
:show d 100 spark
:show d 100 hex
printf("before\n"); cudash::heat_map(d, 4096, 4096, "the program's own"); printf("after\n");
cudash::plot(d, 2, 50);
cudash::display(d + 16777215, 2);
:diff d, d + 1
:mem
:profile last
:profile source
:profile sectors 1
:profile occupancy
:profile timeline
:profile banks 1
:help
:kernels
fill<<<65537, 256>>>(d);
int x = y;
x + 1
"<script>alert(1)</script>"
