"""The suite with which Jupyter's authors test kernels."""
import jupyter_kernel_test


class Suite(jupyter_kernel_test.KernelTests):
    kernel_name = "cudash"
    language_name = "c++"
    file_extension = ".cu"
    code_hello_world = '#include <cstdio>\nputs("hello, world");'
    code_stderr = '#include <iostream>\nstd::cerr << "oops" << std::endl;'
    completion_samples = [
        {"text": "cudaMallocPit", "matches": {"cudaMallocPitch"}},
        {"text": ":occ", "matches": {"occupancy"}},
    ]
    complete_code_samples = ["1 + 1", "int f() { return 2; }", ":vars", "for (int i = 0; i < 3; ++i) {\n}\n"]
    incomplete_code_samples = ["int f() {", "for (int i = 0;", "/* a comment", "__global__ void k(int* p)"]
    code_generate_error = "int x = no_such_name;"
    code_execute_result = [
        {"code": "1 + 2 + 3", "result": "(int) 6"},
        {"code": "2.5f * 2", "result": "(float) 5.0"},
        {"code": "sizeof(dim3)", "result": "(unsigned long) 12"},
    ]
    code_display_data = [{"code": ":help show", "mime": "text/plain"}, {"code": ":launches on", "mime": "text/plain"}]
    code_history_pattern = "1 ? 2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "cudaMemcpy"


class SuiteOfRuntimeErrors(jupyter_kernel_test.KernelTests):
    kernel_name = "cudash"
    code_generate_error = ("__global__ void past(int* p) { p[threadIdx.x + 1] = 1; }\nint* p; cudaMalloc(&p, 128);\n"
                           "past<<<1, 32>>>(p); cudaDeviceSynchronize();")


class SuiteOfCrashes(jupyter_kernel_test.KernelTests):
    kernel_name = "cudash"
    code_generate_error = "#include <csignal>\nint kept = 1;\nraise(SIGKILL);"


del jupyter_kernel_test  # its base class has no kernel of its own
