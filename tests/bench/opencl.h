// The first OpenCL device, which PoCL makes of the host's cores, with the kernels of a file.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

namespace opencl {

[[noreturn]] inline void fail(const char* what, cl_int code) {
    std::fprintf(stderr, "%s failed with OpenCL error %d\n", what, code);
    std::exit(1);
}

inline void check(cl_int code, const char* what) {
    if (code != CL_SUCCESS) fail(what, code);
}

/// An OpenCL handle that is released at the end of its scope.
template <class Handle, cl_int (*release)(Handle)>
struct Release {
    void operator()(Handle handle) const { release(handle); }
};
template <class Handle, cl_int (*release)(Handle)>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<Handle, release>>;

template <class T>
struct Buffer {
    Owned<cl_mem, clReleaseMemObject> memory;
};

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

    template <class T>
    Buffer<T> upload(const std::vector<T>& values) {
        Buffer<T> buffer = allocate<T>(values.size());
        write(buffer, values);
        return buffer;
    }

    template <class T>
    Buffer<T> allocate(std::size_t elements) {
        cl_int code = CL_SUCCESS;
        Buffer<T> buffer;
        buffer.memory.reset(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, elements * sizeof(T), nullptr, &code));
        check(code, "clCreateBuffer");
        return buffer;
    }

    template <class T>
    void write(const Buffer<T>& buffer, const std::vector<T>& values) {
        check(clEnqueueWriteBuffer(queue_.get(), buffer.memory.get(), CL_TRUE, 0, values.size() * sizeof(T),
                                   values.data(), 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }

    template <class T>
    void clear(const Buffer<T>& buffer, std::size_t elements) {
        write(buffer, std::vector<T>(elements));
    }

    template <class T>
    std::vector<T> download(const Buffer<T>& buffer, std::size_t elements) {
        std::vector<T> values(elements);
        check(clEnqueueReadBuffer(queue_.get(), buffer.memory.get(), CL_TRUE, 0, elements * sizeof(T), values.data(), 0,
                                  nullptr, nullptr),
              "clEnqueueReadBuffer");
        return values;
    }

    /// A kernel with its arguments.
    template <class... Arguments>
    Owned<cl_kernel, clReleaseKernel> kernel(const char* name, const Arguments&... arguments) {
        cl_int code = CL_SUCCESS;
        Owned<cl_kernel, clReleaseKernel> made(clCreateKernel(program_.get(), name, &code));
        check(code, "clCreateKernel");
        cl_uint index = 0;
        (set(made.get(), index++, arguments), ...);
        return made;
    }

    /// Launches it and waits.
    void run(cl_kernel kernel, cl_uint dimensions, std::array<std::size_t, 2> global,
             std::array<std::size_t, 2> local) {
        check(clEnqueueNDRangeKernel(queue_.get(), kernel, dimensions, nullptr, global.data(), local.data(), 0, nullptr,
                                     nullptr),
              "clEnqueueNDRangeKernel");
        check(clFinish(queue_.get()), "clFinish");
    }

private:
    template <class T>
    static void set(cl_kernel kernel, cl_uint index, const Buffer<T>& buffer) {
        const cl_mem handle = buffer.memory.get();
        check(clSetKernelArg(kernel, index, sizeof handle, &handle), "clSetKernelArg");
    }
    static void set(cl_kernel kernel, cl_uint index, cl_int number) {
        check(clSetKernelArg(kernel, index, sizeof number, &number), "clSetKernelArg");
    }

    cl_device_id id_ = nullptr;
    Owned<cl_context, clReleaseContext> context_;
    Owned<cl_command_queue, clReleaseCommandQueue> queue_;
    Owned<cl_program, clReleaseProgram> program_;
};

}  // namespace opencl
