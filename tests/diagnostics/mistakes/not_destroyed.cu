// Streams, events, graphs and other objects that are created and never destroyed.
#include <stdio.h>

__global__ void fill(int* d) {
    d[threadIdx.x] = threadIdx.x;
}

// CASE stream_in_a_loop
void stream_in_a_loop(int* d) {
    for (int i = 0; i < 3; ++i) {
        cudaStream_t s;
        cudaStreamCreate(&s);  // FIND not-destroyed
        fill<<<1, 32, 0, s>>>(d);
        cudaStreamSynchronize(s);
    }
}

// CASE second_event_forgotten
void second_event_forgotten(int* d) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);  // FIND not-destroyed
    cudaEventRecord(begin);
    fill<<<1, 32>>>(d);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventDestroy(begin);
}

// CASE executable_graph_kept
void executable_graph_kept(int* d) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaGraph_t graph;
    cudaGraphExec_t launchable;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(d);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&launchable, graph, 0);  // FIND not-destroyed
    cudaGraphLaunch(launchable, s);
    cudaStreamSynchronize(s);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
}

// CASE array_behind_a_texture
void array_behind_a_texture() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 8, 8);  // FIND not-destroyed
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how{};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    cudaDestroyTextureObject(texture);
}

int main() {
    int* d;
    cudaMalloc(&d, 32 * sizeof(int));
    stream_in_a_loop(d);
    second_event_forgotten(d);
    executable_graph_kept(d);
    array_behind_a_texture();
    cudaFree(d);
}
