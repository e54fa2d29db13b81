#include "repl/session/name_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace cudash::session {
namespace {

struct Header {
    std::string_view header, names;  ///< with a space before and after each
};
constexpr std::array of_std = {
    Header{"set", " set multiset "},
    Header{"unordered_set", " unordered_set unordered_multiset "},
    Header{"map", " map multimap "},
    Header{"unordered_map", " unordered_map unordered_multimap "},
    Header{"optional", " optional nullopt make_optional "},
    Header{"variant", " variant visit get_if monostate holds_alternative "},
    Header{"any", " any any_cast make_any "},
    Header{"deque", " deque "},
    Header{"list", " list "},
    Header{"forward_list", " forward_list "},
    Header{"queue", " queue priority_queue "},
    Header{"stack", " stack "},
    Header{"tuple", " tuple make_tuple tie "},
    Header{"array", " array "},
    Header{"bitset", " bitset "},
    Header{"complex", " complex "},
    Header{"chrono", " chrono "},
    Header{"thread", " thread this_thread jthread "},
    Header{"mutex", " mutex lock_guard unique_lock scoped_lock "},
    Header{"atomic", " atomic "},
    Header{"future", " future async promise "},
    Header{"condition_variable", " condition_variable "},
    Header{"random", " mt19937 random_device uniform_int_distribution uniform_real_distribution normal_distribution "},
    Header{"regex", " regex smatch regex_search regex_match "},
    Header{"filesystem", " filesystem "},
    Header{"fstream", " ifstream ofstream fstream "},
    Header{"sstream", " stringstream ostringstream istringstream "},
    Header{"iomanip", " setw setprecision setfill "},
    Header{"numeric", " accumulate iota partial_sum inner_product reduce "},
    Header{"algorithm", " sort transform generate fill find shuffle count_if "},
    Header{"span", " span "},
    Header{"bit", " bit_cast popcount "},
    Header{"functional", " function plus multiplies bind "},
    Header{"memory", " unique_ptr shared_ptr make_unique make_shared "},
    Header{"limits", " numeric_limits "},
};
constexpr std::array of_cuda = {
    Header{"cuda_fp16.h", " __half half __half2 half2 __float2half __half2float __hadd __hmul __hfma "},
    Header{"cuda_bf16.h", " __nv_bfloat16 nv_bfloat16 __nv_bfloat162 __float2bfloat16 __bfloat162float "},
    Header{"cooperative_groups.h", " cooperative_groups "},
    Header{"mma.h", " nvcuda wmma "},
    Header{"curand_kernel.h", " curandState curandState_t curand_init "},
    Header{"curand.h", " curandGenerator_t curandCreateGenerator "},
    Header{"cublas_v2.h", " cublasHandle_t cublasCreate cublasSgemm "},
    Header{"cufft.h", " cufftHandle cufftPlan1d cufftComplex "},
};

constexpr std::array of_c = {
    Header{"cfloat", " FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON "},
    Header{"cinttypes", " PRId32 PRIu32 PRIx32 PRId64 PRIu64 PRIx64 "},
    Header{"csignal", " SIGINT SIGTERM SIGKILL SIGSEGV SIGABRT SIGFPE SIGALRM "},
    Header{"sys/time.h", " gettimeofday timeval "},
    Header{"omp.h", " omp_get_num_threads omp_get_thread_num omp_get_max_threads omp_set_num_threads omp_get_wtime "},
    Header{"thrust/device_vector.h", " thrust "},
};

constexpr std::array of_thrust = {
    Header{"thrust/adjacent_difference.h", " adjacent_difference "},
    Header{"thrust/binary_search.h", " binary_search lower_bound upper_bound equal_range "},
    Header{"thrust/copy.h", " copy copy_n copy_if "},
    Header{"thrust/count.h", " count count_if "},
    Header{"thrust/device_ptr.h", " device_ptr device_pointer_cast "},
    Header{"thrust/device_vector.h", " device_vector "},
    Header{"thrust/execution_policy.h", " device host seq "},
    Header{"thrust/extrema.h", " max_element min_element minmax_element "},
    Header{"thrust/fill.h", " fill fill_n "},
    Header{"thrust/find.h", " find find_if find_if_not "},
    Header{"thrust/for_each.h", " for_each for_each_n "},
    Header{"thrust/functional.h", " plus minus multiplies divides modulus negate greater less maximum minimum "},
    Header{"thrust/gather.h", " gather gather_if "},
    Header{"thrust/generate.h", " generate generate_n "},
    Header{"thrust/host_vector.h", " host_vector "},
    Header{"thrust/inner_product.h", " inner_product "},
    Header{"thrust/iterator/constant_iterator.h", " constant_iterator make_constant_iterator "},
    Header{"thrust/iterator/counting_iterator.h", " counting_iterator make_counting_iterator "},
    Header{"thrust/iterator/discard_iterator.h", " discard_iterator make_discard_iterator "},
    Header{"thrust/iterator/permutation_iterator.h", " permutation_iterator make_permutation_iterator "},
    Header{"thrust/iterator/transform_iterator.h", " transform_iterator make_transform_iterator "},
    Header{"thrust/iterator/zip_iterator.h", " zip_iterator make_zip_iterator "},
    Header{"thrust/logical.h", " all_of any_of none_of "},
    Header{"thrust/merge.h", " merge merge_by_key "},
    Header{"thrust/partition.h", " partition partition_copy stable_partition "},
    Header{"thrust/random.h", " default_random_engine uniform_int_distribution uniform_real_distribution "},
    Header{"thrust/reduce.h", " reduce reduce_by_key "},
    Header{"thrust/remove.h", " remove remove_if remove_copy remove_copy_if "},
    Header{"thrust/replace.h", " replace replace_if "},
    Header{"thrust/reverse.h", " reverse reverse_copy "},
    Header{"thrust/scan.h",
           " inclusive_scan exclusive_scan inclusive_scan_by_key exclusive_scan_by_key transform_inclusive_scan "},
    Header{"thrust/scatter.h", " scatter scatter_if "},
    Header{"thrust/sequence.h", " sequence "},
    Header{"thrust/set_operations.h", " set_union set_intersection set_difference "},
    Header{"thrust/sort.h", " sort sort_by_key stable_sort stable_sort_by_key is_sorted "},
    Header{"thrust/transform.h", " transform transform_if "},
    Header{"thrust/transform_reduce.h", " transform_reduce "},
    Header{"thrust/transform_scan.h", " transform_exclusive_scan "},
    Header{"thrust/tuple.h", " tuple make_tuple tie "},
    Header{"thrust/unique.h", " unique unique_copy unique_by_key "},
};

struct Removed {
    std::string_view name, instead;
};
constexpr std::array removed = {
    Removed{"clockRate", "cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device)"},
    Removed{"memoryClockRate", "cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, device)"},
    Removed{"deviceOverlap", "`asyncEngineCount`, the number of copies that run beside a kernel"},
    Removed{"kernelExecTimeoutEnabled", "cudaDeviceGetAttribute(&on, cudaDevAttrKernelExecTimeout, device)"},
    Removed{"computeMode", "cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device)"},
    Removed{"singleToDoublePrecisionPerfRatio",
            "cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, device)"},
    Removed{"cooperativeMultiDeviceLaunch", "one cooperative launch for each device"},
    Removed{"texture", "texture objects: cudaCreateTextureObject, and tex2D<float>(object, x, y)"},
    Removed{"cudaBindTexture", "texture objects: cudaCreateTextureObject"},
    Removed{"cudaBindTexture2D", "texture objects: cudaCreateTextureObject"},
    Removed{"cudaBindTextureToArray", "texture objects: cudaCreateTextureObject"},
    Removed{"cudaUnbindTexture", "texture objects: cudaDestroyTextureObject"},
    Removed{"cudaThreadSynchronize", "cudaDeviceSynchronize()"},
    Removed{"cudaThreadExit", "cudaDeviceReset()"},
    Removed{"cudaThreadSetLimit", "cudaDeviceSetLimit"},
    Removed{"cudaThreadSetCacheConfig", "cudaDeviceSetCacheConfig"},
};

/// Of Thrust and CUB, as CCCL 3 comes with CUDA 13.
constexpr std::array removed_of_thrust = {
    Removed{"unary_function", "no base class; operator() is enough"},
    Removed{"binary_function", "no base class; operator() is enough"},
    Removed{"identity", "cuda::std::identity, of <cuda/std/functional>"},
    Removed{"not1", "thrust::not_fn"},
    Removed{"not2", "thrust::not_fn"},
    Removed{"unary_negate", "thrust::not_fn"},
    Removed{"binary_negate", "thrust::not_fn"},
    Removed{"optional", "cuda::std::optional, of <cuda/std/optional>"},
};
constexpr std::array removed_of_cub = {
    Removed{"Sum", "cuda::std::plus<>, of <cuda/std/functional>"},
    Removed{"Difference", "cuda::std::minus<>, of <cuda/std/functional>"},
    Removed{"Division", "cuda::std::divides<>, of <cuda/std/functional>"},
    Removed{"Equality", "cuda::std::equal_to<>, of <cuda/std/functional>"},
    Removed{"Inequality", "cuda::std::not_equal_to<>, of <cuda/std/functional>"},
    Removed{"Max", "cuda::maximum<>, of <cuda/functional>"},
    Removed{"Min", "cuda::minimum<>, of <cuda/functional>"},
    Removed{"CountingInputIterator", "thrust::counting_iterator, of <thrust/iterator/counting_iterator.h>"},
    Removed{"ConstantInputIterator", "thrust::constant_iterator, of <thrust/iterator/constant_iterator.h>"},
    Removed{"TransformInputIterator", "thrust::transform_iterator, of <thrust/iterator/transform_iterator.h>"},
    Removed{"DiscardOutputIterator", "thrust::discard_iterator, of <thrust/iterator/discard_iterator.h>"},
};

/// Functions whose arguments are others in CUDA 13, as they are called now.
constexpr std::array<std::string_view, 16> changed = {
    "cudaMemPrefetchAsync(p, bytes, {cudaMemLocationTypeDevice, device}, 0, stream)",
    "cudaMemAdvise(p, bytes, advice, {cudaMemLocationTypeDevice, device})",
    "cudaGraphAddDependencies(graph, from, to, nullptr, count)",
    "cudaGraphRemoveDependencies(graph, from, to, nullptr, count)",
    "cudaGraphGetEdges(graph, from, to, nullptr, &count)",
    "cudaGraphNodeGetDependencies(node, dependencies, nullptr, &count)",
    "cudaGraphNodeGetDependentNodes(node, dependentNodes, nullptr, &count)",
    "cudaGraphAddNode(&node, graph, dependencies, nullptr, count, &parameters)",
    "cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &dependencies, nullptr, &count)",
    "cudaStreamUpdateCaptureDependencies(stream, dependencies, nullptr, count, flags)",
    "cuCtxCreate(&context, nullptr, flags, device)",
    "cuMemPrefetchAsync(p, bytes, {CU_MEM_LOCATION_TYPE_DEVICE, device}, 0, stream)",
    "cuMemAdvise(p, bytes, advice, {CU_MEM_LOCATION_TYPE_DEVICE, device})",
    "cuGraphAddDependencies(graph, from, to, nullptr, count)",
    "cuGraphGetEdges(graph, from, to, nullptr, &count)",
    "cuGraphAddNode(&node, graph, dependencies, nullptr, count, &parameters)",
};

/// `name` may be what a macro makes of it: cuCtxCreate_v4. "": its arguments are what they were.
std::string_view as_in_cuda_13(std::string_view name) {
    const std::size_t version = name.rfind("_v");
    if (version != std::string_view::npos &&
        name.find_first_not_of("0123456789", version + 2) == std::string_view::npos)
        name = name.substr(0, version);
    const auto is_called = [&](std::string_view call) { return call.substr(0, call.find('(')) == name; };
    const auto* call = std::ranges::find_if(changed, is_called);
    return call == changed.end() ? std::string_view() : *call;
}

std::string_view quoted_name(std::string_view message) {
    const std::size_t open = message.find('\'');
    if (open == std::string_view::npos) return {};
    const std::size_t close = message.find('\'', open + 1);
    return close == std::string_view::npos ? std::string_view() : message.substr(open + 1, close - open - 1);
}

std::string header_of(std::string_view name, const auto& table) {
    const std::string word = fmt::format(" {} ", name);
    for (const Header& row : table)
        if (row.names.find(word) != std::string_view::npos) return fmt::format("add `#include <{}>`", row.header);
    return {};
}

std::string help_with_removed(std::string_view name, const auto& table) {
    const auto* row = std::ranges::find(table, name, &Removed::name);
    return row == table.end() ? std::string() : fmt::format("{}; in its place: {}", removed_by_cuda_13, row->instead);
}

}  // namespace

std::string help_with_name(const Diagnostic& diagnostic) {
    const std::string_view message = diagnostic.message;
    const auto says = [&](std::string_view text) { return message.find(text) != std::string_view::npos; };
    const std::string_view name = quoted_name(message);
    if (says("no matching function for call to '"))
        if (const std::string_view now = as_in_cuda_13(name); !now.empty())
            return fmt::format("CUDA 13 takes other arguments: {}", now);
    const bool unknown = says("no member named") || says("no template named") || says("no type named") ||
                         says("undeclared identifier") || says("unknown type name");
    if (name.empty() || !unknown) return {};
    if (says("in namespace 'std'")) return header_of(name, of_std);
    if (says("in namespace 'thrust'")) {
        const std::string help = help_with_removed(name, removed_of_thrust);
        return help.empty() ? header_of(name, of_thrust) : help;
    }
    if (says("in namespace 'cub'")) return help_with_removed(name, removed_of_cub);
    const bool of_struct = says("no member named");
    if (!of_struct || says("'cudaDeviceProp'"))
        if (std::string help = help_with_removed(name, removed); !help.empty()) return help;
    if (of_struct) return {};
    if (std::string header = header_of(name, of_cuda); !header.empty()) return header;
    return header_of(name, of_c);
}

}  // namespace cudash::session
