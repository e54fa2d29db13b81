#include "repl/session/guard.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <array>
#include <atomic>
#include <exception>
#include <iostream>
#include <memory>
#include <span>
#include <string_view>
#include <typeinfo>

#include "runtime_wrappers/virtual_gpu/runtime/page_guard.h"

namespace cudash::session {
namespace {

using virtual_gpu::runtime::PageGuard;

// Signal handlers reach nothing but globals: these are the guard's own, one set per worker process.
sigjmp_buf landing;
volatile sig_atomic_t running = 0;
volatile sig_atomic_t interrupt_seen = 0;
volatile sig_atomic_t interrupts_held = 0;
pthread_t runner;
pid_t session_process = 0;
GuardedEnd end_of_run;
void (*interrupt_hook)() noexcept = nullptr;
bool (*ending_hook)() noexcept = nullptr;
void (*other_thread_hook)(const GuardedEnd&) = nullptr;
std::vector<void (*)()> exit_handlers;
timer_t retry_timer;
int retries = 0;

// Times 10 ms: then code that never leaves a library is stopped where it is.
constexpr int retry_limit = 200, retry_limit_of_ending = 3000;

/// Executable ranges of the program and its libraries; code outside of them is interpreted code.
struct CodeRange {
    enum class Owner : std::uint8_t {
        program,      ///< cudash: among it the runtime API, which uses the pointers that its callers give it
        virtual_gpu,  ///< our shared library, which checks every access before it touches memory
        library
    };
    std::uintptr_t begin, end;
    Owner owner;
};
std::array<CodeRange, 256> code_ranges;
std::size_t code_range_count = 0;

CodeRange::Owner owner_of(std::string_view file) {
    if (file.empty()) return CodeRange::Owner::program;
    const bool ours = file.substr(file.rfind('/') + 1).starts_with("libcudash_virtual_gpu.");
    return ours ? CodeRange::Owner::virtual_gpu : CodeRange::Owner::library;
}

void find_code_ranges() {
    code_range_count = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void*) {
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& header = info->dlpi_phdr[i];
                if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) || code_range_count == code_ranges.size())
                    continue;
                const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
                code_ranges[code_range_count++] = {begin, begin + header.p_memsz, owner_of(info->dlpi_name)};
            }
            return 0;
        },
        nullptr);
}

const CodeRange* range_of(std::uintptr_t address) {
    for (std::size_t i = 0; i < code_range_count; ++i)
        if (address >= code_ranges[i].begin && address < code_ranges[i].end) return &code_ranges[i];
    return nullptr;
}

/// Whether the innermost of these calls that is not of a library of others (memcpy, say) is the virtual GPU's.
bool is_internal(std::span<const std::uint64_t> stack) {
    for (const std::uint64_t address : stack) {
        const CodeRange* range = range_of(address);
        if (!range) return false;  // interpreted code
        if (range->owner != CodeRange::Owner::library) return range->owner == CodeRange::Owner::virtual_gpu;
    }
    return false;
}

std::uintptr_t program_counter(const void* context) {
    return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
}

std::uintptr_t stack_pointer(const void* context) {
    return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
}

bool on_runner() {
    return running && pthread_equal(pthread_self(), runner);
}

void retry_soon() {
    itimerspec soon{};
    soon.it_value.tv_nsec = 10'000'000;
    timer_settime(retry_timer, 0, &soon, nullptr);
}

/// Leaves the run if it is in interpreted code; a library function (malloc, printf) is first let finish.
void leave_or_retry(const void* context) {
    const CodeRange* range = range_of(program_counter(context));
    const int limit = ending_hook && ending_hook() ? retry_limit_of_ending : retry_limit;
    if (range && ++retries < limit) {
        retry_soon();
        return;
    }
    end_of_run.kind = GuardedEnd::Kind::interrupted;
    end_of_run.sound = range == nullptr;
    siglongjmp(landing, 1);
}

void on_interrupt(int, siginfo_t*, void* context) {
    if (interrupts_held) {
        if (interrupt_hook) interrupt_hook();
        return;
    }
    interrupt_seen = 1;
    if (interrupt_hook) interrupt_hook();
    if (!running) return;
    retries = 0;
    if (on_runner())
        leave_or_retry(context);
    else
        retry_soon();
}

void on_retry(int, siginfo_t*, void* context) {
    if (!running || !interrupt_seen) return;
    if (!on_runner()) {
        pthread_kill(runner, SIGRTMIN + 1);
        return;
    }
    if (interrupt_hook) interrupt_hook();
    leave_or_retry(context);
}

sigjmp_buf unwinding_ends;
volatile sig_atomic_t unwinding = 0;

/// The handler's own frames come first, then that of the fault.
struct StackReader {
    GuardedEnd& into;
    bool fault_seen = false;
};
_Unwind_Reason_Code add_caller(_Unwind_Context* frame, void* data) {
    auto& [into, fault_seen] = *static_cast<StackReader*>(data);
    const std::uintptr_t address = _Unwind_GetIP(frame);
    if (fault_seen) into.stack[into.depth++] = address - 1;  // it returns to behind the call
    fault_seen |= address == into.stack[0];
    return into.depth == into.stack.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// The calls that led to the fault. Code that ran wild may have left a stack that cannot be read: the fault which that
/// makes ends it.
void read_stack(std::uintptr_t at, GuardedEnd& into) {
    into.stack[0] = at;
    into.depth = 1;
    sigset_t faults, before;
    sigemptyset(&faults);
    for (const int signal : {SIGSEGV, SIGBUS}) sigaddset(&faults, signal);
    pthread_sigmask(SIG_UNBLOCK, &faults, &before);
    StackReader reader{into};
    unwinding = 1;
    if (sigsetjmp(unwinding_ends, 0) == 0) _Unwind_Backtrace(&add_caller, &reader);
    unwinding = 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Why the C library calls abort(), where it keeps it for debuggers.
struct AbortText {
    unsigned size;
    char text[1];
};
AbortText** abort_text = nullptr;

/// What malloc and its like say of a heap that the program has destroyed.
bool is_of_the_heap(std::string_view text) {
    constexpr std::string_view beginnings[] = {
        "free(): ",     "malloc(): ",       "malloc_consolidate(): ", "realloc(): ",     "calloc(): ", "corrupted ",
        "double free ", "munmap_chunk(): ", "mremap_chunk(): ",       "invalid fastbin", "malloc: "};
    for (const std::string_view beginning : beginnings)
        if (text.starts_with(beginning)) return true;
    return false;
}

/// Found before malloc took its lock: the heap can be used further. After the others, whoever allocates next would wait
/// for that lock for ever.
bool is_found_in_time(std::string_view text) {
    constexpr std::string_view messages[] = {"free(): invalid pointer",
                                             "free(): invalid size",
                                             "free(): double free detected in tcache",
                                             "double free or corruption (fasttop)",
                                             "munmap_chunk(): invalid pointer",
                                             "realloc(): invalid pointer"};
    for (const std::string_view message : messages)
        if (text.starts_with(message)) return true;
    return false;
}

/// What the C library said before it called abort(), which stays where it is kept; once.
std::string_view take_abort_text() {
    if (!abort_text || !*abort_text) return {};
    const char* const text = (*abort_text)->text;
    *abort_text = nullptr;
    return {text, strcspn(text, "\n")};
}

[[noreturn]] void end_with_the_heap() {
    // Neither malloc nor a lock that another thread may hold.
    if (ftrylockfile(stdout) == 0) fflush_unlocked(stdout);
    _exit(exit_heap_corrupted);
}

/// Host code uses memory that pending work uses: it is noted, and goes on. If the work ended before the handler came to
/// it, the access goes on only.
bool let_pending_access(const siginfo_t* info, const void* context) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (!PageGuard::holds(address)) return PageGuard::was_given_back(address);
    constexpr long long is_write = 2;  // bit of the page fault's error code
    const bool writes = (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & is_write) != 0;
    GuardedEnd here;
    // The way back out of a broken stack is the running thread's alone.
    if (on_runner())
        read_stack(program_counter(context), here);
    else
        here.stack[here.depth++] = program_counter(context);
    PageGuard::note(address, writes, std::span(here.stack).first(here.depth));
    return true;
}

void on_fault(int signal, siginfo_t* info, void* context) {
    if (unwinding && on_runner()) siglongjmp(unwinding_ends, 1);
    if (signal == SIGSEGV && let_pending_access(info, context)) return;
    if (!on_runner()) {
        // Another thread, of the student's or of the virtual GPU, or the session itself: nothing to come back to.
        const std::uint64_t at = program_counter(context);
        if (is_internal({&at, 1}) && getpid() == session_process) _exit(exit_internal_error);
        if (other_thread_hook && getpid() == session_process) {
            GuardedEnd end;
            end.kind = GuardedEnd::Kind::signal;
            end.signal = signal;
            end.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
            end.stack[end.depth++] = at;
            std::signal(signal, SIG_DFL);
            other_thread_hook(end);
        }
        std::signal(signal, SIG_DFL);
        raise(signal);
        return;
    }
    if (signal == SIGABRT) {
        const std::string_view text = take_abort_text();
        end_of_run.heap_corrupted = is_of_the_heap(text);
        // The way to the fault is not looked for either: that allocates.
        if (end_of_run.heap_corrupted && !is_found_in_time(text) && getpid() == session_process) end_with_the_heap();
        text.copy(end_of_run.said_at_abort.data(), end_of_run.said_at_abort.size() - 1);
    }
    end_of_run.kind = GuardedEnd::Kind::signal;
    end_of_run.signal = signal;
    end_of_run.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    read_stack(program_counter(context), end_of_run);
    end_of_run.internal = is_internal(std::span(end_of_run.stack).first(end_of_run.depth));
    const CodeRange* range = range_of(program_counter(context));
    end_of_run.sound = !end_of_run.internal && (!range || range->owner == CodeRange::Owner::library);
    const auto stack = stack_pointer(context);
    end_of_run.stack_overflow = signal == SIGSEGV && end_of_run.address + 65536 > stack &&
                                end_of_run.address < stack + 65536 && info->si_code != SI_USER;
    siglongjmp(landing, 1);
}

std::string describe_current_exception() {
    std::string text = "unknown type";
    if (const std::type_info* type = abi::__cxa_current_exception_type()) {
        int status = 0;
        const std::unique_ptr<char, decltype(&std::free)> name(
            abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
        text = name ? name.get() : type->name();
    }
    try {
        throw;
    } catch (const std::exception& exception) {
        text += std::string(": ") + exception.what();
    } catch (const char* message) {
        text += std::string(": ") + message;
    } catch (const std::string& message) {
        text += ": " + message;
    } catch (int number) {
        text += ": " + std::to_string(number);
    } catch (...) {
    }
    return text;
}

[[noreturn]] void leave(GuardedEnd::Kind kind) {
    end_of_run.kind = kind;
    siglongjmp(landing, 1);
}

// What interpreted code calls instead of the C library's functions.

[[noreturn]] void replaced_exit(int code) {
    // Of the system, and not of the C library: programs that nvcc built come here by their _exit().
    if (!on_runner()) syscall(SYS_exit_group, code);
    end_of_run.exit_code = code;
    leave(GuardedEnd::Kind::exited);
}

void replaced_quick_exit(int code) {
    exit_handlers.clear();
    end_of_run.quick = true;
    replaced_exit(code);
}

void replaced_abort() {
    if (!on_runner()) std::abort();
    end_of_run.signal = SIGABRT;
    leave(GuardedEnd::Kind::signal);
}

void replaced_assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    replaced_abort();
}

int replaced_atexit(void (*handler)()) {
    exit_handlers.push_back(handler);
    return 0;
}

}  // namespace

void Guard::install(void (*on_interrupt_hook)() noexcept, bool (*is_ending)() noexcept) {
    interrupt_hook = on_interrupt_hook;
    ending_hook = is_ending;
    session_process = getpid();
    abort_text = static_cast<AbortText**>(dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE"));

    // Handlers run on a stack of their own, or a stack overflow could not be handled.
    constexpr std::size_t stack_size = 256 * 1024;
    static std::unique_ptr<std::byte[]> handler_stack = std::make_unique<std::byte[]>(stack_size);
    stack_t stack{};
    stack.ss_sp = handler_stack.get();
    stack.ss_size = stack_size;
    sigaltstack(&stack, nullptr);

    struct sigaction action {};
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    action.sa_sigaction = on_fault;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigaction(signal, &action, nullptr);
    action.sa_sigaction = on_interrupt;
    sigaction(SIGINT, &action, nullptr);
    action.sa_sigaction = on_retry;
    action.sa_flags |= SA_RESTART;
    sigaction(SIGRTMIN + 1, &action, nullptr);

    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN + 1;
    timer_create(CLOCK_MONOTONIC, &event, &retry_timer);
}

GuardedEnd Guard::run(const std::function<void()>& code) {
    find_code_ranges();
    end_of_run = {};
    interrupt_seen = 0;
    retries = 0;
    runner = pthread_self();
    if (sigsetjmp(landing, 1) == 0) {
        running = 1;
        try {
            code();
        } catch (...) {
            running = 0;
            end_of_run.kind = GuardedEnd::Kind::exception;
            end_of_run.what = describe_current_exception();
        }
    }
    running = 0;
    const itimerspec off{};
    timer_settime(retry_timer, 0, &off, nullptr);
    // What a call that was stopped made the code throw is no exception of the code's own.
    const bool came_back =
        end_of_run.kind == GuardedEnd::Kind::returned || end_of_run.kind == GuardedEnd::Kind::exception;
    if (interrupt_seen && came_back) end_of_run.kind = GuardedEnd::Kind::interrupted;
    return end_of_run;
}

GuardedEnd Guard::run_exit_handlers() {
    GuardedEnd last;
    while (!exit_handlers.empty()) {
        auto* handler = exit_handlers.back();
        exit_handlers.pop_back();
        last = run(handler);
        if (last.kind != GuardedEnd::Kind::returned) break;
    }
    return last;
}

void Guard::end_forked_child(const GuardedEnd& end, int code) {
    if (getpid() == session_process) return;
    using Kind = GuardedEnd::Kind;
    if (end.kind == Kind::returned || end.kind == Kind::exited) {
        if (!end.quick) {
            run_exit_handlers();
            std::cout.flush();
            std::fflush(nullptr);
        }
        _exit(end.kind == Kind::exited ? end.exit_code : code);
    }
    if (end.kind == Kind::exception) std::fprintf(stderr, "uncaught exception of type %s\n", end.what.c_str());
    const int signal = end.kind == Kind::exception ? SIGABRT : end.kind == Kind::signal ? end.signal : SIGINT;
    std::signal(signal, SIG_DFL);
    raise(signal);
    _exit(128 + signal);
}

void Guard::leave(int exit_code) {
    replaced_exit(exit_code);
}

void Guard::on_other_thread(void (*tell)(const GuardedEnd&)) {
    other_thread_hook = tell;
}

void Guard::leave_interrupts() {
    std::signal(SIGINT, SIG_DFL);
}

void Guard::hold_interrupts(bool held) {
    interrupts_held = held;
}

bool Guard::interrupted() {
    return interrupt_seen != 0;
}

void Guard::leave_if_interrupted() {
    if (!running || !interrupt_seen || !on_runner()) return;
    end_of_run.kind = GuardedEnd::Kind::interrupted;
    end_of_run.sound = true;
    siglongjmp(landing, 1);
}

std::vector<api::Symbol> Guard::replacements() {
    return {
        {"exit", reinterpret_cast<const void*>(&replaced_exit)},
        {"_exit", reinterpret_cast<const void*>(&replaced_quick_exit)},
        {"_Exit", reinterpret_cast<const void*>(&replaced_quick_exit)},
        {"quick_exit", reinterpret_cast<const void*>(&replaced_quick_exit)},
        {"abort", reinterpret_cast<const void*>(&replaced_abort)},
        {"__assert_fail", reinterpret_cast<const void*>(&replaced_assert_fail)},
        {"atexit", reinterpret_cast<const void*>(&replaced_atexit)},
    };
}

}  // namespace cudash::session
