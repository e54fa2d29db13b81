// Says which kernels of PTX files decode, and which instruction forms the virtual GPU refuses.
//   decode_coverage FILE.ptx...
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "runtime_wrappers/virtual_gpu/isa/link.h"

using namespace cudash;
using namespace cudash::virtual_gpu;

int main(int argc, char** argv) {
    int files = 0, whole_files = 0, kernels = 0, whole_kernels = 0;
    std::map<std::string, std::pair<int, std::string>> refused;
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i]);
        const std::string ptx{std::istreambuf_iterator<char>(file), {}};
        auto memory = AddressSpace::create(std::uint64_t{1} << 32);
        auto module = load_module(ptx, *memory, unnamed_profile());
        ++files;
        if (!module) {
            fmt::print("{}: {} (line {})\n", argv[i], module.error().message, module.error().where.line);
            continue;
        }
        bool whole = true;
        for (std::string_view name : (*module)->kernels()) {
            const Program* program = (*module)->program(name);
            ++kernels;
            whole_kernels += program->unsupported.empty();
            whole &= program->unsupported.empty();
            for (const Diagnostic& diagnostic : program->unsupported) {
                std::string form = diagnostic.message.substr(0, diagnostic.message.find(" (PTX line"));
                if (auto why = diagnostic.message.find("): "); why != std::string::npos)
                    form += diagnostic.message.substr(why + 1);
                auto& [count, example] = refused[form];
                if (count++ == 0) example = argv[i];
            }
        }
        whole_files += whole;
    }
    for (const auto& [form, use] : refused) fmt::print("{:5} {}   ({})\n", use.first, form, use.second);
    fmt::print("{} of {} files and {} of {} kernels decode\n", whole_files, files, whole_kernels, kernels);
}
