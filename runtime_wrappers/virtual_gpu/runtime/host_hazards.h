// Host code that uses memory which pending work reads or writes. What a copy or fill uses is known when it is issued;
// of a kernel only what its parameters point to, so that it is watched, when it runs, for the bytes that host code
// used.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/runtime/background_work.h"
#include "runtime_wrappers/virtual_gpu/runtime/page_guard.h"
#include "runtime_wrappers/virtual_gpu/runtime/task.h"
#include "runtime_wrappers/virtual_gpu/stream/operation.h"

namespace cudash::virtual_gpu::runtime {

class Gpu;

struct ExecutableNode;

class HostHazards {
public:
    explicit HostHazards(Gpu& gpu) : gpu_(gpu) {}
    ~HostHazards() { PageGuard::release(); }

    /// The operation does `task`, which it is known by.
    void issued(const OperationPtr& operation, const Task& task, const SourceSpot& where);
    /// Work runs now: its memory is given back to it. What the program read while it waited for something without
    /// asking the runtime was meant as a flag. True if it read one all the time.
    bool work_begins(Cause cause);
    /// A call ends: what is still pending is guarded.
    void call_ends();
    /// Around a kernel: has the checkers look at what host code used.
    void kernel_begins(const Task& task);
    void kernel_ends(const Task& task);
    /// The program frees memory of its own.
    void host_frees(std::uint64_t address);
    /// The program calls `function`, free or delete. True if the memory is CUDA's; that is told.
    bool is_wrong_free(std::uint64_t address, const char* function);
    /// Page-locked, managed and device memory have addresses that malloc never gives.
    static bool may_be_cudas(std::uint64_t address) {
        return address >= 0x1000'0000'0000 && address < 0x4000'0000'0000;
    }
    void forget();

private:
    struct Use {
        OperationPtr operation;
        const Task* task;
        std::uint64_t begin, end;
        bool reads, writes;
        bool is_kernel;
        std::uint64_t number;  ///< in the order of issue
        SourceSpot where;
    };
    struct Suspect {
        const Task* task;
        HostAccess access;
        SourceSpot where;
    };
    void add(const OperationPtr& operation, const Task& task, const SourceSpot& where, std::uint64_t begin,
             std::uint64_t bytes, bool reads, bool writes, bool is_kernel);
    void add_rows(const OperationPtr& operation, const Task& task, const SourceSpot& where, const Rows& rows,
                  const Box& box, bool writes);
    void add_kernel(const OperationPtr& operation, const Task& task, const SourceSpot& where);
    void add_kernels(const OperationPtr& operation, const std::vector<ExecutableNode>& nodes, const SourceSpot& where);
    bool judge(Cause cause);
    std::vector<GuardedPages> pages_of_uses(bool reads_too) const;
    std::vector<GuardedPages> pages_to_guard() const;
    void tell(const HostAccess& access, const SourceSpot& at, const char* what, bool work_writes,
              std::optional<Diagnostic::Note> other, const SourceSpot& asked);

    Gpu& gpu_;
    std::vector<Use> uses_;
    std::vector<Suspect> suspects_;
    std::vector<GuardedPages> guarded_;
    std::set<std::tuple<std::uint64_t, std::uint64_t, bool>> spans_;  ///< of the uses: many launches use the same
    std::uint64_t issues_ = 0;
    bool changed_ = false;
};

}  // namespace cudash::virtual_gpu::runtime
