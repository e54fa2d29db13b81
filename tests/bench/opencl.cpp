// Runs the kernels of opencl.cl (first argument: its path) on the first OpenCL device, which PoCL makes of the host's
// cores.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <type_traits>

#include "workload.h"

using namespace workload;

namespace {

[[noreturn]] void fail(const char* what, cl_int code) {
    std::fprintf(stderr, "%s failed with OpenCL error %d\n", what, code);
    std::exit(1);
}

void check(cl_int code, const char* what) {
    if (code != CL_SUCCESS) fail(what, code);
}

/// An OpenCL handle that is released at the end of its scope.
template <class Handle, cl_int (*release)(Handle)>
struct Release {
    void operator()(Handle handle) const { release(handle); }
};
template <class Handle, cl_int (*release)(Handle)>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<Handle, release>>;
using Buffer = Owned<cl_mem, clReleaseMemObject>;

class Device {
public:
    explicit Device(const char* source_path) {
        cl_int code = CL_SUCCESS;
        cl_platform_id platform = nullptr;
        check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id_, nullptr), "clGetDeviceIDs");
        context_.reset(clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &code));
        check(code, "clCreateContext");
        queue_.reset(clCreateCommandQueue(context_.get(), id_, 0, &code));
        check(code, "clCreateCommandQueue");

        std::ifstream file(source_path);
        const std::string source((std::istreambuf_iterator<char>(file)), {});
        if (source.empty()) fail("reading the kernels", CL_INVALID_VALUE);
        const char* text = source.c_str();
        program_.reset(clCreateProgramWithSource(context_.get(), 1, &text, nullptr, &code));
        check(code, "clCreateProgramWithSource");
        check(clBuildProgram(program_.get(), 1, &id_, "", nullptr, nullptr), "clBuildProgram");
    }

    Buffer upload(const Array& values) {
        Buffer buffer = allocate(values.size());
        write(buffer, values);
        return buffer;
    }

    Buffer allocate(std::size_t elements) {
        cl_int code = CL_SUCCESS;
        Buffer buffer(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, elements * sizeof(float), nullptr, &code));
        check(code, "clCreateBuffer");
        return buffer;
    }

    void write(const Buffer& buffer, const Array& values) {
        check(clEnqueueWriteBuffer(queue_.get(), buffer.get(), CL_TRUE, 0, values.size() * sizeof(float), values.data(),
                                   0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }

    Array download(const Buffer& buffer, std::size_t elements) {
        Array values(elements);
        check(clEnqueueReadBuffer(queue_.get(), buffer.get(), CL_TRUE, 0, elements * sizeof(float), values.data(), 0,
                                  nullptr, nullptr),
              "clEnqueueReadBuffer");
        return values;
    }

    /// Times `name` with the given work sizes; the buffers come before the numbers, as in every kernel here.
    double time(const char* name, const std::vector<const Buffer*>& buffers, const std::vector<cl_int>& numbers,
                cl_uint dimensions, std::array<std::size_t, 2> global, std::array<std::size_t, 2> local) {
        cl_int code = CL_SUCCESS;
        const Owned<cl_kernel, clReleaseKernel> kernel(clCreateKernel(program_.get(), name, &code));
        check(code, "clCreateKernel");
        cl_uint index = 0;
        for (const Buffer* buffer : buffers) {
            const cl_mem handle = buffer->get();
            check(clSetKernelArg(kernel.get(), index++, sizeof handle, &handle), "clSetKernelArg");
        }
        for (const cl_int number : numbers)
            check(clSetKernelArg(kernel.get(), index++, sizeof number, &number), "clSetKernelArg");
        return median_ms([&] {
            check(clEnqueueNDRangeKernel(queue_.get(), kernel.get(), dimensions, nullptr, global.data(), local.data(),
                                         0, nullptr, nullptr),
                  "clEnqueueNDRangeKernel");
            check(clFinish(queue_.get()), "clFinish");
        });
    }

private:
    cl_device_id id_ = nullptr;
    Owned<cl_context, clReleaseContext> context_;
    Owned<cl_command_queue, clReleaseCommandQueue> queue_;
    Owned<cl_program, clReleaseProgram> program_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: opencl KERNELS.cl\n");
        return 2;
    }
    Device device(argv[1]);
    bool good = true;
    {
        const Array a = counting(vector_size, 1021), b = counting(vector_size, 509);
        const Buffer da = device.upload(a), db = device.upload(b), dc = device.allocate(a.size());
        const double ms = device.time("vector_add", {&da, &db, &dc}, {vector_size}, 1, {vector_size, 1}, {256, 1});
        good &= report("vector_add", ms, device.download(dc, a.size()), expected_sum(a, b));
    }
    {
        constexpr int n = product_size;
        const Array a = counting(n * n, 7), b = counting(n * n, 11), expected = expected_product(a, b);
        const Buffer da = device.upload(a), db = device.upload(b), dc = device.allocate(a.size());
        for (const char* name : {"matmul_naive", "matmul_tiled"}) {
            device.write(dc, Array(a.size()));
            const double ms = device.time(name, {&da, &db, &dc}, {n}, 2, {n, n}, {tile, tile});
            good &= report(name, ms, device.download(dc, a.size()), expected);
        }
    }
    {
        constexpr int n = transpose_size;
        const Array in = counting(n * n, n * n), expected = expected_transpose(in);
        const Buffer din = device.upload(in), dout = device.allocate(in.size());
        for (const char* name : {"transpose_naive", "transpose_diagonal"}) {
            device.write(dout, Array(in.size()));
            const double ms = device.time(name, {&dout, &din}, {n, n}, 2, {n, n}, {tile, tile});
            good &= report(name, ms, device.download(dout, in.size()), expected);
        }
    }
    {
        const Array in = counting(vector_size, 1021);
        const Buffer din = device.upload(in), dout = device.allocate(in.size() / sum_block);
        const double ms = device.time("block_sum", {&din, &dout}, {vector_size}, 1, {vector_size, 1}, {sum_block, 1});
        good &= report("block_sum", ms, device.download(dout, in.size() / sum_block), expected_block_sums(in));
    }
    return good ? 0 : 1;
}
