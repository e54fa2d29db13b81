// Device code for tests of the API: one CUDA source, compiled by NVRTC, with its kernels and variables named by the
// test.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "runtime_wrappers/api/device_code.h"

namespace cudash::api {

class FakeDeviceCode : public DeviceCode {
public:
    explicit FakeDeviceCode(std::string source) : source_(std::move(source)) {}

    /// `stub` stands for the kernel (or instantiation) of that name in the source.
    void add_kernel(const void* stub, std::string name) {
        kernels_[stub] = {.name = "", .display = name};
        changed_ = true;
    }
    void add_variable(const void* shadow, std::string name, std::size_t size, VariableSymbol::Kind kind,
                      void** host_pointer = nullptr) {
        variables_[shadow] = {.name = "", .display = name, .size = size, .kind = kind, .host_pointer = host_pointer};
        changed_ = true;
    }
    void replace_source(std::string source) {
        source_ = std::move(source);
        changed_ = true;
    }

    const KernelSymbol* kernel(const void* stub) const override {
        auto found = kernels_.find(stub);
        return found == kernels_.end() ? nullptr : &found->second;
    }
    const VariableSymbol* variable(const void* shadow) const override {
        auto found = variables_.find(shadow);
        return found == variables_.end() ? nullptr : &found->second;
    }
    std::vector<const VariableSymbol*> variables() const override {
        std::vector<const VariableSymbol*> all;
        for (const auto& [shadow, symbol] : variables_) all.push_back(&symbol);
        return all;
    }
    bool tell(const Diagnostic&) override { return true; }
    Result<std::shared_ptr<const nvrtc::Artifact>> unit(const Target& target) override {
        if (!changed_ && artifact_ && last_.arch == target.arch && last_.real == target.real) return artifact_;
        nvrtc::Request request;
        request.name = "probe.cu";
        request.source = source_;
        request.options = {"-default-device", "-lineinfo", "--std=c++17"};
        request.arch = target.arch;
        request.real = target.real;
        for (const auto& [stub, symbol] : kernels_) request.name_expressions.push_back(symbol.display);
        // NVRTC has no name expressions for managed variables; at namespace scope a name is its own symbol.
        for (const auto& [shadow, symbol] : variables_)
            if (symbol.kind != VariableSymbol::Kind::managed) request.name_expressions.push_back("&" + symbol.display);
        auto compiled = nvrtc::compile(request);
        if (!compiled) return compiled.error();
        artifact_ = *compiled;
        last_ = target;
        changed_ = false;
        for (auto& [stub, symbol] : kernels_) symbol.name = artifact_->lowered_names.at(symbol.display);
        for (auto& [shadow, symbol] : variables_)
            symbol.name = symbol.kind == VariableSymbol::Kind::managed
                              ? symbol.display
                              : artifact_->lowered_names.at("&" + symbol.display);
        return artifact_;
    }

private:
    std::string source_;
    std::map<const void*, KernelSymbol> kernels_;
    std::map<const void*, VariableSymbol> variables_;
    std::shared_ptr<const nvrtc::Artifact> artifact_;
    Target last_;
    bool changed_ = true;
};

}  // namespace cudash::api
