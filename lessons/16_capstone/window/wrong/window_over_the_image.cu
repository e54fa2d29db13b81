// REPLY: The windows are over
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

// A window over `bytes` at `base`, of which as much persists as is set aside.
cudaError_t keep(cudaStream_t stream, void* base, size_t bytes) {
    size_t set_aside;
    cudaError_t error = cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize);
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = base;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = std::min(1.0, double(set_aside) / bytes);
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    return first_error(error, cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
}

cudaError_t process(float* out, const float* in, const float* background, int width, int height, int images) {
    Lane lanes[2];
    cudaError_t error = cudaSuccess;
    for (Lane& lane : lanes) error = first_error(error, open(lane, width, height));

    const size_t row = width * sizeof(float);
    float* common = nullptr;
    size_t common_pitch = 0;
    cudaEvent_t arrived = nullptr;
    error = first_error(error, cudaMallocPitch(&common, &common_pitch, row, height));
    error = first_error(error, cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
    if (error == cudaSuccess)
        error = cudaMemcpy2DAsync(common, common_pitch, background, row, row, height, cudaMemcpyHostToDevice,
                                  lanes[0].stream);
    if (error == cudaSuccess) error = cudaEventRecord(arrived, lanes[0].stream);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(lanes[1].stream, arrived);
    for (Lane& lane : lanes)
        if (error == cudaSuccess) error = keep(lane.stream, lane.upright, lane.upright_pitch * height);

    const dim3 block(32, 32), grid((width + 31) / 32, (height + 31) / 32), turned_grid(grid.y, grid.x);
    for (int i = 0; i < images && error == cudaSuccess; ++i) {
        Lane& lane = lanes[i % 2];
        const size_t first = size_t(i) * width * height;
        error = first_error(error, cudaMemcpy2DAsync(lane.upright, lane.upright_pitch, in + first, row, row, height,
                                                     cudaMemcpyHostToDevice, lane.stream));
        subtract<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8), 0, lane.stream>>>(
            lane.upright, lane.upright_pitch, common, common_pitch, width, height);
        blur_transpose<<<grid, block, 0, lane.stream>>>(lane.turned, lane.turned_pitch, lane.upright,
                                                        lane.upright_pitch, width, height);
        blur_transpose<<<turned_grid, block, 0, lane.stream>>>(lane.upright, lane.upright_pitch, lane.turned,
                                                               lane.turned_pitch, height, width);
        error = first_error(error, cudaGetLastError());
        error = first_error(error, cudaMemcpy2DAsync(out + first, row, lane.upright, lane.upright_pitch, row, height,
                                                     cudaMemcpyDeviceToHost, lane.stream));
    }
    for (Lane& lane : lanes)
        if (lane.stream) error = first_error(error, cudaStreamSynchronize(lane.stream));
    error = first_error(error, cudaCtxResetPersistingL2Cache());
    for (Lane& lane : lanes) close(lane);
    if (arrived) cudaEventDestroy(arrived);
    cudaFree(common);
    return error;
}
