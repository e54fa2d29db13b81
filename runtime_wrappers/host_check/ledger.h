// What a program has made and must give back, as its calls tell: linear memory on a real GPU (the virtual GPU knows its
// own), and on both the streams, events, graphs and other objects.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime_wrappers/host_check/leaks.h"
#include "runtime_wrappers/host_check/lifetimes.h"
#include "runtime_wrappers/host_check/memory.h"

namespace cudash::host_check {

class Ledger {
public:
    /// `memory.begin` is the address, or the handle of an object.
    void made(Kind kind, Memory memory, int device);
    void ended(Kind kind, std::uint64_t handle, const SourceSpot& where);
    /// cudaDeviceReset: what was made on the device need not be given back any more. (Memory is gone, page-locked
    /// memory too; graphs and pools stay, as seen on an H200, but a program that resets its device is done with them.)
    void reset(int device);

    struct Entry {
        Kind kind;
        Memory memory;
        std::uint64_t serial;
        int device = 0;
    };
    /// The live allocation that holds the address.
    std::optional<Entry> find(std::uint64_t address) const;
    /// All of them, by address.
    std::vector<Entry> allocations() const;
    /// Why a pointer cannot be freed with `function`; empty where nothing better is known than CUDA's error.
    std::string why_not_freed(const Lifetime& with, std::uint64_t address) const;

    std::vector<Leak> memory() const;
    std::vector<Leak> objects() const;
    /// False if a finding of that code and place was told before.
    bool is_new(const Diagnostic& finding);

private:
    std::vector<Leak> in_order(bool memory) const;

    mutable std::mutex mutex_;
    std::uint64_t serials_ = 0;
    std::map<std::uint64_t, Entry> memory_;                    ///< by address
    std::map<std::pair<Kind, std::uint64_t>, Entry> objects_;  ///< by handle
    struct Freed {
        Memory memory;
        SourceSpot where;
        std::uint64_t serial = 0;
    };
    std::map<std::uint64_t, Freed> freed_;                ///< not used again since
    std::map<std::uint64_t, std::uint64_t> freed_order_;  ///< their addresses by serial
    std::set<std::string> told_;
};

}  // namespace cudash::host_check
