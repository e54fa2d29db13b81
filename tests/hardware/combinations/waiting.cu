// Kernels that wait for what comes after them, work that goes on while the host does something else, and how long things
// take: each case in a process of its own.
#define FORK_CASES
#include "cases.h"

#include <poll.h>
#include <semaphore.h>
#include <sys/select.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

// A kernel that is loaded at its first launch would wait for those that run.
static const int eager = setenv("CUDA_MODULE_LOADING", "EAGER", 1);

using Flag = volatile int;

__global__ void wait_for(Flag* flag, int value, int* out) {
    while (*flag != value) {
    }
    __threadfence_system();
    if (out) *out = *flag * 10 + 1;
}
__global__ void set(Flag* flag, int value) { *flag = value; }
__global__ void answer(Flag* asked, Flag* answered, int rounds) {
    for (int i = 1; i <= rounds; ++i) {
        while (*asked != i) {
        }
        *answered = i * i;
        __threadfence_system();
    }
}
__global__ void ask(Flag* asked, Flag* answered, int rounds, int* sum) {
    *sum = 0;
    for (int i = 1; i <= rounds; ++i) {
        *asked = i;
        __threadfence_system();
        while (*answered != i * i) {
        }
        *sum += *answered;
    }
}
__global__ void spin_cycles(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}
__device__ unsigned long long now() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
}
__global__ void spin_nanoseconds(unsigned long long nanoseconds) {
    const unsigned long long begin = now();
    while (now() - begin < nanoseconds) {
    }
}
__global__ void add(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

void say(const char* what, cudaError_t error) {
    show_text(what, cudaGetErrorName(error));
    cudaGetLastError();
}
template <class T = int>
struct Mapped {
    T *host, *device;
    explicit Mapped(int count = 1) {
        cudaHostAlloc(reinterpret_cast<void**>(&host), count * sizeof(T), cudaHostAllocMapped);
        cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0);
        memset(static_cast<void*>(host), 0, count * sizeof(T));
    }
    Flag& flag(int i = 0) { return *static_cast<Flag*>(host + i); }
};
struct Words {
    int* device;
    explicit Words(int count) {
        cudaMalloc(&device, count * sizeof(int));
        cudaMemset(device, 0, count * sizeof(int));
        cudaDeviceSynchronize();
    }
    int operator[](int i) const {
        int value = -1;
        cudaMemcpy(&value, device + i, sizeof value, cudaMemcpyDeviceToHost);
        return value;
    }
};
cudaStream_t new_stream() {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
}
void sleep_for(int milliseconds) { usleep(milliseconds * 1000); }
void spin_for(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (std::chrono::steady_clock::now() < end) {
    }
}
void show_between(const char* what, float value, float low, float high) {
    if (low <= value && value <= high)
        printf("%s %s: between %g and %g\n", current_case, what, low, high);
    else
        printf("%s %s: %g\n", current_case, what, value);
}

// A kernel waits for the host.
CASE(host_store) {
    Mapped<> flag, out;
    wait_for<<<1, 1>>>(flag.device, 5, out.device);
    flag.flag() = 5;
    say("synchronize", cudaDeviceSynchronize());
    show("out", *out.host);
}
CASE(host_store_after_sleep) {
    Mapped<> flag, out;
    wait_for<<<1, 1>>>(flag.device, 5, out.device);
    sleep_for(20);
    show("before", out.flag());
    flag.flag() = 5;
    sleep_for(20);
    show("after", out.flag());
    say("synchronize", cudaDeviceSynchronize());
}
CASE(host_store_after_query) {
    Mapped<> flag, out;
    wait_for<<<1, 1>>>(flag.device, 5, out.device);
    say("before", cudaStreamQuery(0));
    say("again", cudaStreamQuery(0));
    show("out", out.flag());
    flag.flag() = 5;
    say("synchronize", cudaDeviceSynchronize());
    say("after", cudaStreamQuery(0));
    show("out", out.flag());
}
CASE(host_store_polled) {
    Mapped<> flag, out;
    cudaEvent_t event;
    cudaEventCreate(&event);
    wait_for<<<1, 1>>>(flag.device, 5, out.device);
    cudaEventRecord(event);
    for (int i = 0; i < 3; ++i) say("before", cudaEventQuery(event));
    flag.flag() = 5;
    while (cudaEventQuery(event) == cudaErrorNotReady) {
    }
    say("after", cudaEventQuery(event));
    show("out", out.flag());
}
CASE(host_store_in_two_steps) {
    Mapped<> flags(2), out(2);
    wait_for<<<1, 1>>>(flags.device, 1, out.device);
    wait_for<<<1, 1>>>(flags.device + 1, 2, out.device + 1);
    say("before", cudaStreamQuery(0));
    flags.flag(0) = 1;
    sleep_for(20);
    show("first", out.flag(0));
    show("second", out.flag(1));
    say("between", cudaStreamQuery(0));
    flags.flag(1) = 2;
    say("synchronize", cudaDeviceSynchronize());
    show("second", out.flag(1));
}
CASE(host_answers) {
    Mapped<> asked, answered, sum;
    ask<<<1, 1>>>(asked.device, answered.device, 3, sum.device);
    for (int i = 1; i <= 3; ++i) {
        while (asked.flag() != i) {
        }
        answered.flag() = i * i;
    }
    say("synchronize", cudaDeviceSynchronize());
    show("sum", *sum.host);
}
CASE(host_asks) {
    Mapped<> asked, answered;
    answer<<<1, 1>>>(asked.device, answered.device, 3);
    long long sum = 0;
    for (int i = 1; i <= 3; ++i) {
        asked.flag() = i;
        while (answered.flag() != i * i) {
        }
        sum += answered.flag();
    }
    say("synchronize", cudaDeviceSynchronize());
    show("sum", sum);
}
CASE(managed_flag) {
    int *flag, *out;
    cudaMallocManaged(&flag, 4);
    cudaMallocManaged(&out, 4);
    *flag = *out = 0;
    wait_for<<<1, 1>>>(flag, 7, out);
    *static_cast<Flag*>(flag) = 7;
    say("synchronize", cudaDeviceSynchronize());
    show("out", *out);
}
CASE(all_blocks_wait) {
    Mapped<> flag;
    Words out(1);
    wait_for<<<64, 64>>>(flag.device, 3, out.device);
    say("before", cudaStreamQuery(0));
    flag.flag() = 3;
    say("synchronize", cudaDeviceSynchronize());
    show("out", out[0]);
}
CASE(thread_stores) {
    Mapped<> flag, out;
    wait_for<<<1, 1>>>(flag.device, 5, out.device);
    std::thread other([&] {
        sleep_for(50);
        flag.flag() = 5;
    });
    say("synchronize", cudaDeviceSynchronize());
    show("out", *out.host);
    other.join();
}
CASE(host_function_stores) {
    Mapped<> flag, out;
    const cudaStream_t first = new_stream(), second = new_stream();
    wait_for<<<1, 1, 0, first>>>(flag.device, 5, out.device);
    cudaLaunchHostFunc(second, [](void* p) { *static_cast<Flag*>(p) = 5; }, flag.host);
    say("synchronize", cudaDeviceSynchronize());
    show("out", *out.host);
}

// A kernel waits for other work.
CASE(copy_releases) {
    Words words(2);
    Mapped<> value;
    *value.host = 6;
    const cudaStream_t first = new_stream(), second = new_stream();
    wait_for<<<1, 1, 0, first>>>(words.device, 6, words.device + 1);
    cudaMemcpyAsync(words.device, value.host, 4, cudaMemcpyHostToDevice, second);
    say("synchronize", cudaDeviceSynchronize());
    show("out", words[1]);
}
CASE(copy_releases_awaited) {
    Words words(2);
    Mapped<> value;
    *value.host = 6;
    const cudaStream_t first = new_stream(), second = new_stream();
    wait_for<<<1, 1, 0, first>>>(words.device, 6, words.device + 1);
    say("before", cudaStreamQuery(first));
    cudaMemcpyAsync(words.device, value.host, 4, cudaMemcpyHostToDevice, second);
    say("synchronize", cudaStreamSynchronize(first));
    show("out", words[1]);
}
CASE(memset_releases) {
    Words words(2);
    const cudaStream_t first = new_stream(), second = new_stream();
    wait_for<<<1, 1, 0, first>>>(words.device, 0x01010101, words.device + 1);
    cudaMemsetAsync(words.device, 1, 4, second);
    say("synchronize", cudaStreamSynchronize(first));
    show("out", words[1]);
}
CASE(kernel_releases) {
    Words words(2);
    const cudaStream_t first = new_stream(), second = new_stream();
    wait_for<<<1, 1, 0, first>>>(words.device, 9, words.device + 1);
    set<<<1, 1, 0, second>>>(words.device, 9);
    say("synchronize", cudaDeviceSynchronize());
    show("out", words[1]);
}
CASE(kernel_releases_two) {
    Words words(4);
    const cudaStream_t first = new_stream(), second = new_stream(), third = new_stream();
    wait_for<<<1, 1, 0, first>>>(words.device, 9, words.device + 1);
    wait_for<<<1, 1, 0, second>>>(words.device + 1, 91, words.device + 2);
    set<<<1, 1, 0, third>>>(words.device, 9);
    say("synchronize", cudaDeviceSynchronize());
    show("first", words[1]);
    show("second", words[2]);
}
CASE(kernels_answer_each_other) {
    Words words(3);
    const cudaStream_t first = new_stream(), second = new_stream();
    answer<<<1, 1, 0, first>>>(words.device, words.device + 1, 10);
    ask<<<1, 1, 0, second>>>(words.device, words.device + 1, 10, words.device + 2);
    say("synchronize", cudaDeviceSynchronize());
    show("sum", words[2]);
}
CASE(asking_kernel_first) {
    Words words(3);
    const cudaStream_t first = new_stream(), second = new_stream();
    ask<<<1, 1, 0, first>>>(words.device, words.device + 1, 10, words.device + 2);
    answer<<<1, 1, 0, second>>>(words.device, words.device + 1, 10);
    say("synchronize", cudaStreamSynchronize(first));
    show("sum", words[2]);
}
CASE(kernel_releases_after_event) {
    Words words(2);
    const cudaStream_t first = new_stream(), second = new_stream(), third = new_stream();
    cudaEvent_t event;
    cudaEventCreate(&event);
    wait_for<<<1, 1, 0, first>>>(words.device, 9, words.device + 1);
    spin_cycles<<<1, 1, 0, second>>>(100000);
    cudaEventRecord(event, second);
    cudaStreamWaitEvent(third, event, 0);
    set<<<1, 1, 0, third>>>(words.device, 9);
    say("synchronize", cudaStreamSynchronize(first));
    show("out", words[1]);
}
CASE(thread_launches) {
    Words words(2);
    const cudaStream_t first = new_stream(), second = new_stream();
    wait_for<<<1, 1, 0, first>>>(words.device, 9, words.device + 1);
    std::thread other([&] {
        sleep_for(30);
        set<<<1, 1, 0, second>>>(words.device, 9);
        say("thread", cudaStreamSynchronize(second));
    });
    other.join();
    say("synchronize", cudaStreamSynchronize(first));
    show("out", words[1]);
}

// Work goes on by itself.
CASE(memset_then_store) {
    Words words(1);
    const cudaStream_t other = new_stream();
    cudaMemset(words.device, 0, 4);
    sleep_for(100);
    set<<<1, 1, 0, other>>>(words.device, 4);
    say("synchronize", cudaStreamSynchronize(other));
    show("out", words[0]);
}
CASE(memset_then_store_spun) {
    Words words(1);
    const cudaStream_t other = new_stream();
    cudaMemset(words.device, 0, 4);
    spin_for(100);
    set<<<1, 1, 0, other>>>(words.device, 4);
    say("synchronize", cudaStreamSynchronize(other));
    show("out", words[0]);
}
CASE(store_then_memset) {
    Words words(1);
    const cudaStream_t other = new_stream();
    set<<<1, 1, 0, other>>>(words.device, 4);
    spin_for(100);
    cudaMemsetAsync(words.device, 0, 4);
    say("synchronize", cudaDeviceSynchronize());
    show("out", words[0]);
}
CASE(query_after_sleep) {
    Words words(1);
    set<<<1, 1>>>(words.device, 4);
    sleep_for(100);
    say("query", cudaStreamQuery(0));
}
CASE(query_after_spin) {
    Words words(1);
    set<<<1, 1>>>(words.device, 4);
    spin_for(100);
    say("query", cudaStreamQuery(0));
}
CASE(query_of_a_long_kernel) {
    spin_nanoseconds<<<1, 1>>>(400'000'000);
    say("at once", cudaStreamQuery(0));
    sleep_for(100);
    say("later", cudaStreamQuery(0));
    spin_for(100);
    say("later", cudaStreamQuery(0));
    sleep_for(400);
    say("at the end", cudaStreamQuery(0));
}
CASE(mapped_result_after_spin) {
    Mapped<> out;
    set<<<1, 1>>>(out.device, 8);
    spin_for(100);
    show("out", out.flag());
}
CASE(mapped_result_after_poll) {
    Mapped<> out;
    set<<<1, 1>>>(out.device, 8);
    show("poll", poll(nullptr, 0, 50));
    show("out", out.flag());
    set<<<1, 1>>>(out.device, 9);
    timeval time{0, 50'000};
    show("select", select(0, nullptr, nullptr, nullptr, &time));
    show("out", out.flag());
    set<<<1, 1>>>(out.device, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    show("out", out.flag());
}
CASE(semaphore_timed_wait) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    cudaLaunchHostFunc(0, [](void* p) { sem_post(static_cast<sem_t*>(p)); }, &semaphore);
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    show("posted", sem_timedwait(&semaphore, &until) == 0);
}

// How long things take.
struct Timer {
    cudaEvent_t begin, end;
    cudaStream_t stream;
    explicit Timer(cudaStream_t on = 0) : stream(on) {
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
    }
    void start() { cudaEventRecord(begin, stream); }
    float stop() {
        cudaEventRecord(end, stream);
        cudaEventSynchronize(end);
        float milliseconds = -1;
        cudaEventElapsedTime(&milliseconds, begin, end);
        return milliseconds;
    }
};
void warm_up() {
    Timer timer;
    spin_cycles<<<1, 1>>>(10);
    timer.start();
    timer.stop();
}
CASE(sleep_between_events) {
    warm_up();
    Timer timer;
    timer.start();
    sleep_for(50);
    show_between("milliseconds", timer.stop(), 50, 55);
}
CASE(spin_between_events) {
    warm_up();
    Timer timer;
    timer.start();
    spin_for(50);
    show_between("milliseconds", timer.stop(), 49.9, 150);
}
CASE(chrono_sleep_between_events) {
    warm_up();
    Timer timer;
    timer.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    show_between("milliseconds", timer.stop(), 50, 55);
}
CASE(cycles) {
    warm_up();
    Timer timer;
    int rate = 0;
    cudaDeviceGetAttribute(&rate, cudaDevAttrClockRate, 0);
    timer.start();
    spin_cycles<<<1, 1>>>(rate * 10ll);
    show_between("milliseconds", timer.stop(), 9.9, 12);
    timer.start();
    spin_cycles<<<264, 64>>>(rate * 5ll);
    show_between("milliseconds", timer.stop(), 4.9, 6);
}
CASE(nanoseconds) {
    warm_up();
    Timer timer;
    timer.start();
    spin_nanoseconds<<<1, 1>>>(20'000'000);
    show_between("milliseconds", timer.stop(), 19.9, 21);
    timer.start();
    spin_nanoseconds<<<10, 100>>>(500'000);
    show_between("milliseconds", timer.stop(), 0.45, 0.6);
}
CASE(side_by_side) {
    warm_up();
    const cudaStream_t first = new_stream(), second = new_stream();
    spin_nanoseconds<<<1, 1, 0, second>>>(10);
    cudaDeviceSynchronize();
    Timer timer;
    timer.start();
    spin_nanoseconds<<<1, 1, 0, first>>>(20'000'000);
    spin_nanoseconds<<<1, 1, 0, second>>>(20'000'000);
    cudaDeviceSynchronize();
    show_between("milliseconds", timer.stop(), 20, 23);
    timer.start();
    spin_nanoseconds<<<1, 1, 0, first>>>(10'000'000);
    spin_nanoseconds<<<1, 1, 0, first>>>(10'000'000);
    cudaDeviceSynchronize();
    show_between("in one stream", timer.stop(), 20, 23);
}
CASE(kernel_beside_sleep) {
    warm_up();
    Timer timer;
    timer.start();
    spin_nanoseconds<<<1, 1>>>(30'000'000);
    sleep_for(10);
    show_between("longer kernel", timer.stop(), 30, 33);
    timer.start();
    spin_nanoseconds<<<1, 1>>>(10'000'000);
    sleep_for(30);
    show_between("longer sleep", timer.stop(), 30, 33);
}
CASE(repeated) {
    const int n = 1 << 20, launches = 40;
    float *a, *b, *c;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMalloc(&c, n * 4);
    Timer timer;
    for (int i = 0; i < 5; ++i) add<<<n / 256, 256>>>(a, b, c, n);
    std::vector<float> times;
    for (int i = 0; i < launches; ++i) {
        timer.start();
        add<<<n / 256, 256>>>(a, b, c, n);
        times.push_back(timer.stop());
    }
    double sum = 0, squares = 0;
    for (float time : times) sum += time, squares += double(time) * time;
    const double mean = sum / launches, deviation = std::sqrt(squares / launches - mean * mean);
    std::sort(times.begin(), times.end());
    show("not all are the same", times.front() < times.back());
    show("a standard deviation", deviation > 0);
    show("the median is within a tenth of the mean", std::fabs(times[launches / 2] - mean) < mean / 10);
}
