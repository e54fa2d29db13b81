// REPLY: A kernel writes past
#include <algorithm>

struct Lane {
    cudaStream_t stream = nullptr;
    float *upright = nullptr, *turned = nullptr;
    size_t upright_pitch = 0, turned_pitch = 0;
};

cudaError_t first_error(cudaError_t before, cudaError_t now) {
    return before != cudaSuccess ? before : now;
}

cudaError_t open(Lane& lane, int width, int height) {
    cudaError_t error = cudaStreamCreate(&lane.stream);
    error = first_error(error, cudaMallocPitch(&lane.upright, &lane.upright_pitch, width * sizeof(float), height));
    return first_error(error, cudaMallocPitch(&lane.turned, &lane.turned_pitch, height * sizeof(float), width));
}

void close(Lane& lane) {
    if (lane.stream) cudaStreamDestroy(lane.stream);
    cudaFree(lane.upright);
    cudaFree(lane.turned);
}

cudaError_t process(float* out, const float* in, int width, int height, int images) {
    Lane lanes[2];
    cudaError_t error = cudaSuccess;
    for (Lane& lane : lanes) error = first_error(error, open(lane, width, height));

    const size_t row = width * sizeof(float);
    const dim3 block(32, 32), grid((width + 31) / 32, (height + 31) / 32), turned_grid(grid.y, grid.x);
    for (int i = 0; i < images && error == cudaSuccess; ++i) {
        Lane& lane = lanes[i % 2];
        const size_t first = size_t(i) * width * height;
        error = first_error(error, cudaMemcpy2DAsync(lane.upright, lane.upright_pitch, in + first, row, row, height,
                                                     cudaMemcpyHostToDevice, lane.stream));
        blur_transpose<<<grid, block, 0, lane.stream>>>(lane.turned, lane.turned_pitch, lane.upright,
                                                        lane.upright_pitch, width, height);
        blur_transpose<<<turned_grid, block, 0, lane.stream>>>(lane.upright, lane.upright_pitch, lane.turned,
                                                               lane.turned_pitch, width, height);
        error = first_error(error, cudaGetLastError());
        error = first_error(error, cudaMemcpy2DAsync(out + first, row, lane.upright, lane.upright_pitch, row, height,
                                                     cudaMemcpyDeviceToHost, lane.stream));
    }
    for (Lane& lane : lanes)
        if (lane.stream) error = first_error(error, cudaStreamSynchronize(lane.stream));
    for (Lane& lane : lanes) close(lane);
    return error;
}
