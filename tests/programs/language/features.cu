// Features of the language that nvcc takes in device code, each a function of its own. Those of both sides are called on
// both; the device's value must be the host's. Those of the device alone have the value beside their name.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <array>

#define BOTH(name) __host__ __device__ long long name()
#define DEVICE(name) __device__ long long name()

// Integers of every width and their limits.
BOTH(fixed_widths) { return sizeof(int8_t) + sizeof(uint16_t) * 10 + sizeof(int32_t) * 100 + sizeof(uint64_t) * 1000 + sizeof(uint_fast8_t) + sizeof(uintptr_t); }
BOTH(limits_of_c) { return INT_MAX ^ CHAR_BIT ^ UCHAR_MAX ^ SHRT_MIN ^ LLONG_MAX; }
BOTH(limits_of_cpp) { return std::numeric_limits<short>::max() + std::numeric_limits<int>::lowest() + std::numeric_limits<unsigned>::digits; }
BOTH(float_limits) { return (long long)(FLT_EPSILON * 1e12) + DBL_DIG + FLT_MANT_DIG; }
BOTH(infinity_of_limits) { return std::numeric_limits<float>::infinity() > FLT_MAX; }
BOTH(old_integer_names) { uint a = 7; ushort b = 65535; ulong c = 9; return a + b + c; }
BOTH(wrap_of_unsigned) { unsigned char c = 250; c += 10; return c; }
BOTH(shift_of_negative) { return (-17) >> 2; }
BOTH(integer_promotion) { unsigned short a = 60000, b = 60000; return a + b; }
BOTH(int128) { __int128 a = (__int128)1 << 100; return (long long)(a >> 90); }
BOTH(unsigned_int128) { unsigned __int128 a = ~(unsigned __int128)0; return (long long)(a % 1000000007ull); }
BOTH(binary_literal) { return 0b1011'0001; }
BOTH(hexadecimal_float) { return (long long)(0x1.8p4f); }
BOTH(character_literals) { return 'A' + u'\u00e9' + U'\U0001F600' + '\x41'; }
BOTH(string_is_an_array) { const char text[] = "device"; return sizeof text + text[2]; }
BOTH(raw_string) { const char* text = R"(a"b\n)"; return text[1] + text[3]; }
BOTH(adjacent_strings) { const char* text = "one" "two"; return text[4]; }
// Statements.
BOTH(switch_falls_through) { int r = 0; switch (2) { case 1: r += 1; case 2: r += 2; case 3: r += 4; break; default: r = 99; } return r; }
BOTH(loops_with_comma) { int s = 0; for (int i = 0, k = 10; i < k; ++i, --k) s += k - i; return s; }
BOTH(do_while) { int i = 0; do i += 3; while (i < 10); return i; }
BOTH(jump) { int i = 0; again: if (++i < 5) goto again; return i; }
BOTH(if_with_initializer) { if (int x = 4; x > 3) return x; return 0; }
BOTH(switch_with_initializer) { switch (int x = 3; x) { case 3: return x * 7; } return 0; }
BOTH(range_for) { int list[] = {1, 2, 3}, s = 0; for (int each : list) s = s * 10 + each; return s; }
BOTH(range_for_of_initializer_list) { int s = 0; for (int each : {4, 5, 6}) s = s * 10 + each; return s; }
BOTH(statement_expression) { return ({ int a = 3; a * a; }); }
BOTH(conditional_without_middle) { int x = 6; return x ?: 4; }
BOTH(comma_operator) { int a = 1; return a += 2, a * 10; }
BOTH(nested_ternary) { int x = 5; return x < 0 ? -1 : x == 0 ? 0 : x < 9 ? 1 : 2; }
BOTH(unrolled) { int s = 0;
#pragma unroll 4
    for (int i = 0; i < 12; ++i) s += i * i;
    return s; }
BOTH(attributes) { [[maybe_unused]] int x = 3; switch (x) { case 3: x = 8; [[fallthrough]]; default: return x; } }
BOTH(builtin_functions) { return __builtin_popcount(255) + __builtin_clz(1); }
// Functions.
__host__ __device__ int by_default(int a, int b = 4) { return a * b; }
BOTH(default_argument) { return by_default(3) + by_default(3, 5); }
__host__ __device__ int overloaded(int) { return 1; }
__host__ __device__ int overloaded(float) { return 2; }
__host__ __device__ int overloaded(const char*) { return 3; }
BOTH(overloads) { return overloaded(1) * 100 + overloaded(1.f) * 10 + overloaded("x"); }
__host__ __device__ void by_reference(int& a, const int& b) { a += b; }
BOTH(references) { int a = 1; by_reference(a, 41); return a; }
__host__ __device__ int recursive(int n) { return n < 2 ? 1 : n * recursive(n - 1); }
BOTH(recursion) { return recursive(10); }
__host__ __device__ constexpr int squared(int x) { return x * x; }
BOTH(constant_expression) { constexpr int nine = squared(3); int list[nine]; return sizeof list; }
constexpr int plain_constexpr_variable = 77;
BOTH(constexpr_variable) { return plain_constexpr_variable; }
const int plain_constant = 78;
BOTH(constant) { return plain_constant; }
static constexpr float table_of_constants[3] = {1.5f, 2.5f, 3.5f};
BOTH(constexpr_array) { constexpr float second = table_of_constants[1]; return (long long)(second * 2); }
__host__ __device__ int twice(int x) { return 2 * x; }
__host__ __device__ int thrice(int x) { return 3 * x; }
BOTH(function_pointers) { int (*list[2])(int) = {twice, thrice}; return list[0](5) + list[1](5); }
__host__ __device__ auto deduced(int x) { return x * 1.5; }
BOTH(deduced_return) { return (long long)deduced(3 * 2); }
__host__ __device__ auto trailing(int x) -> long long { return x; }
BOTH(trailing_return) { return trailing(9); }
inline __host__ __device__ int inlined() { return 12; }
BOTH(inline_function) { return inlined(); }
__noinline__ __host__ __device__ int kept() { return 13; }
BOTH(noinline_first) { return kept(); }
__forceinline__ __host__ __device__ int forced() { return 14; }
BOTH(forceinline_first) { return forced(); }
__host__ __device__ [[nodiscard]] int needed() { return 15; }
BOTH(nodiscard) { return needed(); }
namespace { __host__ __device__ int unnamed() { return 16; } }
BOTH(unnamed_namespace) { return unnamed(); }
namespace outer::inner { __host__ __device__ int nested() { return 17; } enum { constant = 3 }; }
BOTH(nested_namespace) { namespace short_name = outer::inner; return short_name::nested() + outer::inner::constant; }
namespace versions { inline namespace v2 { __host__ __device__ int get() { return 2; } } }
BOTH(inline_namespace) { return versions::get(); }
__host__ __device__ int unused_parameters(int, int = 3) { return 18; }
BOTH(parameters_without_names) { return unused_parameters(1); }
// Types.
struct Plain { int a; float b; char c[3]; };
BOTH(aggregate) { Plain p = {1, 2.5f, {'x', 'y'}}; return p.a + (int)p.b + p.c[1] + p.c[2]; }
BOTH(designated) { Plain p{.a = 4, .b = 8}; return p.a + (int)p.b; }
BOTH(size_and_offset) { return sizeof(Plain) * 100 + offsetof(Plain, c) * 10 + alignof(Plain); }
struct WithDefaults { int a = 5, b{6}; };
BOTH(default_members) { WithDefaults w; return w.a * w.b; }
struct Counter { int n; __host__ __device__ explicit Counter(int start) : n(start) {} __host__ __device__ Counter& operator++() { ++n; return *this; } __host__ __device__ int operator()(int k) const { return n * k; } __host__ __device__ operator int() const { return n; } __host__ __device__ int operator[](int i) const { return n + i; } };
BOTH(operators) { Counter c(4); ++c; return c(10) + int(c) + c[100]; }
struct Base { int x = 3; __host__ __device__ virtual int get() const { return x; } __host__ __device__ virtual ~Base() {} };
struct Derived final : Base { __host__ __device__ int get() const override { return x * 100; } };
BOTH(virtual_function) { Derived d; const Base& b = d; return b.get(); }
struct Abstract { __host__ __device__ virtual int area() const = 0; };
struct Square : Abstract { int side; __host__ __device__ Square(int s) : side(s) {} __host__ __device__ int area() const { return side * side; } };
BOTH(abstract_class) { Square s(6); Abstract* a = &s; return a->area(); }
struct Left { int l = 1; }; struct Right { int r = 2; }; struct Two : Left, Right { int own = 3; };
BOTH(multiple_inheritance) { Two t; Right* r = &t; return r->r * 10 + static_cast<Two*>(r)->own; }
struct Ended { int* count; __host__ __device__ ~Ended() { ++*count; } };
BOTH(destructor) { int count = 0; { Ended a{&count}, b{&count}; } return count; }
struct Static { static constexpr int value = 21; static __host__ __device__ int get() { return value; } };
BOTH(static_members) { return Static::get() + Static::value; }
union Bits { float f; unsigned u; unsigned char b[4]; };
BOTH(union_of_bits) { Bits x; x.f = 1.0f; return x.u + x.b[3]; }
struct Packed { unsigned low : 4, high : 12; int sign : 3; };
BOTH(bit_fields) { Packed p{}; p.low = 9; p.high = 4095; p.sign = -2; return p.low * 10000 + p.high + p.sign; }
struct alignas(16) Aligned { char c; };
BOTH(alignment) { return alignof(Aligned) + sizeof(Aligned); }
struct __align__(8) OldAligned { float x, y; };
BOTH(old_alignment) { return alignof(OldAligned); }
enum Color { red, green = 5, blue };
BOTH(enumeration) { Color c = blue; return c + green; }
enum class Level : unsigned char { low = 1, high = 200 };
BOTH(scoped_enumeration) { return static_cast<int>(Level::high) + sizeof(Level); }
typedef int Row[4];
BOTH(array_typedef) { Row r = {1, 2, 3, 4}; return sizeof(Row) + r[3]; }
using Function = int (*)(int);
BOTH(alias) { Function f = thrice; return f(7); }
BOTH(anonymous_struct) { struct { int x, y; } p = {3, 4}; return p.x * p.y; }
BOTH(local_class) { struct Local { int v; __host__ __device__ int twice() const { return 2 * v; } }; return Local{8}.twice(); }
BOTH(member_pointers) { Plain p = {9, 0, {}}; int Plain::*m = &Plain::a; return p.*m; }
BOTH(member_function_pointer) { Square s(5); int (Square::*m)() const = &Square::area; return (s.*m)(); }
BOTH(null_pointer) { int* p = nullptr; return p == NULL; }
BOTH(pointer_arithmetic) { int a[5] = {0, 1, 2, 3, 4}; int *p = a + 4, *q = a + 1; return (p - q) * 10 + *(p - 1); }
BOTH(array_of_arrays) { int m[2][3] = {{1, 2, 3}, {4, 5, 6}}; return m[1][2] * 10 + m[0][1]; }
BOTH(reference_to_array) { int m[3] = {7, 8, 9}; int(&r)[3] = m; return r[2] + sizeof r; }
BOTH(casts) { double d = 3.99; return static_cast<int>(d) + (int)(float)2.5 + int(7.9) + *reinterpret_cast<const char*>("A"); }
BOTH(volatile_variable) { volatile int v = 3; v = v + 1; return v; }
BOTH(structured_binding) { Plain p = {1, 2.f, {}}; auto& [a, b, c] = p; a = 30; return p.a + (int)b + c[0]; }
BOTH(binding_of_array) { int list[2] = {3, 4}; auto [a, b] = list; return a * b; }
// Templates.
template <class T> __host__ __device__ T largest(T a, T b) { return a < b ? b : a; }
BOTH(function_template) { return largest(3, 9) + (long long)largest(2.5, 1.0); }
template <class T, int n> struct Fixed { T data[n]; __host__ __device__ T sum() const { T s{}; for (const T& each : data) s += each; return s; } };
BOTH(class_template) { Fixed<int, 4> f = {{1, 2, 3, 4}}; return f.sum(); }
template <class T> struct Name { static constexpr int value = 0; };
template <> struct Name<float> { static constexpr int value = 1; };
template <class T> struct Name<T*> { static constexpr int value = 2; };
BOTH(specializations) { return Name<int>::value * 100 + Name<float>::value * 10 + Name<char*>::value; }
template <class... T> __host__ __device__ int count_of(T...) { return sizeof...(T); }
BOTH(parameter_pack) { return count_of(1, 2.0, 'c'); }
template <class... T> __host__ __device__ int sum_of(T... values) { return (values + ... + 0); }
BOTH(fold_expression) { return sum_of(1, 2, 3, 4); }
template <class T> __host__ __device__ int kind_of(T) { if constexpr (std::is_integral_v<T>) return 1; else return 2; }
BOTH(if_constexpr) { return kind_of(1) * 10 + kind_of(1.f); }
template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0> __host__ __device__ int chosen(T) { return 1; }
template <class T, std::enable_if_t<!std::is_floating_point<T>::value, int> = 0> __host__ __device__ int chosen(T) { return 2; }
BOTH(enable_if) { return chosen(1.0) * 10 + chosen(1); }
template <template <class, int> class C> __host__ __device__ int of_template() { return sizeof(C<char, 7>); }
BOTH(template_template) { return of_template<Fixed>(); }
template <int n> struct Factorial { enum { value = n * Factorial<n - 1>::value }; };
template <> struct Factorial<0> { enum { value = 1 }; };
BOTH(computed_by_templates) { return Factorial<6>::value; }
template <class T> constexpr T pi_of = T(3.14159265);
BOTH(variable_template) { return (long long)(pi_of<float> * 1000); }
template <auto n> __host__ __device__ long long of_auto() { return n; }
BOTH(auto_parameter) { return of_auto<5>() + of_auto<'a'>(); }
template <class F> __host__ __device__ int apply(F f, int x) { return f(x); }
BOTH(functor_argument) { return apply(Counter(3), 4); }
BOTH(function_as_argument) { return apply(twice, 4); }
template <class T> struct Self { __host__ __device__ int run() { return static_cast<T*>(this)->own(); } };
struct Own : Self<Own> { __host__ __device__ int own() { return 55; } };
BOTH(static_polymorphism) { return Own().run(); }
template <class T> struct Deduced { T v; __host__ __device__ Deduced(T x) : v(x) {} };
BOTH(deduction_guide) { Deduced d(3.5); return (long long)(d.v * 2); }
template <class T> struct Guided { T v; template <class U> __host__ __device__ Guided(U x) : v(x) {} };
template <class U> Guided(U) -> Guided<double>;
BOTH(written_deduction_guide) { Guided g(3); return sizeof g * 10 + (long long)g.v; }
template <class T> using Pointer = T*;
BOTH(alias_template) { int x = 6; Pointer<int> p = &x; return *p; }
template <class T> struct Outer { template <class U> struct Inner { static constexpr int size = sizeof(T) + sizeof(U); }; };
BOTH(member_template) { return Outer<int>::template Inner<double>::size; }
template __host__ __device__ long long largest<long long>(long long, long long);
BOTH(explicit_instantiation) { return largest<long long>(4, 3); }
template <class T> __host__ __device__ T doubled(T x) { return x + x; }
template int doubled<int>(int);
template double doubled(double);
BOTH(explicit_instantiation_without_spaces) { return doubled(3) + (long long)doubled(1.5); }
template <class T> __host__ __device__ auto member_or(T x) -> decltype(x.a) { return x.a; }
__host__ __device__ int member_or(...) { return -1; }
BOTH(substitution_failure) { return member_or(Plain{3, 0, {}}) * 10 + member_or(4); }
// Lambdas.
BOTH(lambda) { auto f = [](int x) { return x + 1; }; return f(4); }
BOTH(lambda_by_value) { int k = 6; auto f = [k](int x) { return x * k; }; return f(7); }
BOTH(lambda_by_reference) { int s = 0; auto f = [&](int x) { s += x; }; f(3); f(4); return s; }
BOTH(lambda_with_initializer) { auto f = [n = 10 * 3] { return n; }; return f(); }
BOTH(mutable_lambda) { auto f = [n = 0]() mutable { return ++n; }; f(); return f(); }
BOTH(generic_lambda) { auto f = [](auto a, auto b) { return a * b; }; return f(3, 4) + (long long)f(1.5, 2); }
BOTH(lambda_of_this) { struct S { int v; __host__ __device__ int get() { auto f = [this] { return v; }; return f(); } }; return S{23}.get(); }
BOTH(called_at_once) { const int x = [] { return 31; }(); return x; }
BOTH(lambda_as_pointer) { int (*f)(int) = [](int x) { return x - 1; }; return f(10); }
// Values.
BOTH(move) { int a = 5; int b = std::move(a); return b; }
BOTH(forward) { return std::forward<int>(8); }
BOTH(swap) { int a = 1, b = 2; int t = a; a = b; b = t; return a * 10 + b; }
BOTH(rvalue_reference) { int&& r = 3 + 4; return r; }
BOTH(initializer_braces) { int x{4}, y = {5}; return x * y; }
BOTH(decltype_of_expression) { int x = 3; decltype(x) y = x; decltype(auto) z = (x); z = 9; return x * 10 + y; }
BOTH(type_traits) { return std::is_same<std::remove_reference_t<int&>, int>::value + std::is_pointer_v<int*> * 10 + std::is_trivially_copyable_v<Plain> * 100; }
BOTH(static_assertion) { static_assert(sizeof(int) == 4, "int"); return 1; }
BOTH(no_exceptions) { return noexcept(1 + 1); }
BOTH(placement) { alignas(int) char room[sizeof(int)]; int* p = new (room) int(35); return *p; }
BOTH(new_and_delete) { int* p = new int[4]{1, 2, 3, 4}; int s = p[3]; delete[] p; return s; }
BOTH(copies_of_memory) { int a[3] = {1, 2, 3}, b[3]; memcpy(b, a, sizeof a); memset(a, 0, sizeof a); return b[2] * 10 + a[2]; }
BOTH(predefined_names) { return sizeof(__func__) > 1 && __LINE__ > 0; }
BOTH(random_maximum) { return RAND_MAX; }
// The mathematics of C and C++.
BOTH(std_math) { return (long long)(std::sqrt(16.f) + std::pow(2.0, 10) + std::fabs(-3.5) * 2 + std::floor(2.7) + std::fmax(1.f, 2.f)); }
BOTH(c_math) { return (long long)(sqrtf(25.f) + fabsf(-2.f) + ceil(1.2) + fmod(7.0, 4.0) + hypot(3.0, 4.0)); }
BOTH(mixed_math) { return (long long)(pow(2, 5) + pow(2.f, 3.0) + sqrt(9) + std::abs(-4) + std::abs(-2.5f) * 2); }
BOTH(classified) { return std::isnan(NAN) + 10 * std::isinf(INFINITY) + 100 * isfinite(1.0) + 1000 * std::signbit(-1.f); }
BOTH(minimum) { return min(3, 4) + max(2.5, 1.0) * 2 + min(7u, 6u); }
BOTH(integer_division) { return -7 / 2 * 100 + -7 % 3; }
BOTH(absolute) { return abs(-3) + labs(-4L) + llabs(-5LL); }
BOTH(round) { return lround(2.5) * 100 + lrint(2.5) * 10 + (long long)std::trunc(-2.7); }
// Of the standard library, what nvcc lets device code use since it is constexpr.
BOTH(std_array) { constexpr std::array<int, 3> list = {4, 5, 6}; constexpr int second = list[1]; return second + list.size(); }
BOTH(std_pair) { constexpr std::pair<int, char> p(3, 'x'); constexpr int first = p.first; return first; }
BOTH(integer_sequence) { return std::index_sequence<4, 5, 6>::size(); }
// The device alone.
DEVICE(alloca_of_device) { int* p = (int*)alloca(16); p[3] = 5; return p[3]; }
DEVICE(inline_ptx) { int r; asm volatile("add.s32 %0, %1, 40;" : "=r"(r) : "r"(2)); return r; }
DEVICE(special_registers) { unsigned lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); return lane + blockDim.x + gridDim.z; }
__constant__ int constant_list[4] = {1, 2, 3, 4};
DEVICE(constant_memory) { return constant_list[3]; }
__device__ int device_variable = 5;
DEVICE(device_memory) { return atomicAdd(&device_variable, 1); }
__managed__ int managed_variable = 6;
DEVICE(managed_memory) { return managed_variable; }
DEVICE(shared_memory) { __shared__ int s[4]; s[threadIdx.x] = 7; __syncthreads(); return s[0]; }
DEVICE(static_variable) { static int n = 8; return n; }
DEVICE(bit_intrinsics) { return __popc(255) + __clz(1) + __ffs(8) + __brev(1) / 0x80000000u; }
DEVICE(conversions) { return __float2int_rn(2.5f) * 100 + __float_as_int(1.f) / 0x3f800000 * 10 + __double2int_rz(3.9); }
DEVICE(vectors) { float4 v = make_float4(1, 2, 3, 4); int2 i{5, 6}; return v.w + i.y; }
DEVICE(vector_constructor) { dim3 d(2, 3); uchar4 c = {1, 2, 3, 4}; return d.x * d.y * d.z + c.w; }
DEVICE(device_functor) { return [=] __device__(int x) { return x + 1; }(41); }
DEVICE(read_only_load) { return __ldg(&device_variable) > 0; }
DEVICE(cached_loads) { return (__ldcg(&device_variable) > 0) + (__ldcs(&device_variable) > 0); }
DEVICE(votes) { return __activemask() == 1 && __any_sync(1, 1) && __all_sync(1, 1) && __ballot_sync(1, 1) == 1; }
DEVICE(fast_math) { return (long long)(__fdividef(6.f, 2.f) + __saturatef(4.f) + __fsqrt_rn(4.f)); }
DEVICE(architecture) {
#if __CUDA_ARCH__ >= 900
    return 1;
#else
    return 0;
#endif
}
DEVICE(assumptions) { unsigned width = blockDim.x; __builtin_assume(width == 1); if (__builtin_expect(blockDim.x == 1, 1)) return 3; return 4; }
DEVICE(assertion) { return __isGlobal(&device_variable) + __isShared(&device_variable); }

DEVICE(twice_of_block) { return gridDim.x * 10 + blockDim.x; }

template <long long (*function)()>
__global__ void call(long long* result) { *result = function(); }

long long* result;
int failed = 0;

void check(const char* name, void (*kernel)(long long*), long long wanted) {
    *result = -4242;
    kernel<<<1, 1>>>(result);
    const cudaError_t failure = cudaDeviceSynchronize();
    if (failure == cudaSuccess && *result == wanted) return;
    std::printf("%s: %lld instead of %lld, %s\n", name, *result, wanted, cudaGetErrorName(failure));
    ++failed;
}

int main() {
    cudaMallocManaged(&result, sizeof *result);
    int count = 0;
#define C(name) check(#name, call<name>, name()), ++count;
#define D(name, wanted) check(#name, call<name>, wanted), ++count;
    C(fixed_widths) C(limits_of_c) C(limits_of_cpp) C(float_limits) C(infinity_of_limits) C(old_integer_names)
    C(wrap_of_unsigned) C(shift_of_negative) C(integer_promotion) C(int128) C(unsigned_int128) C(binary_literal)
    C(hexadecimal_float) C(character_literals) C(string_is_an_array) C(raw_string) C(adjacent_strings)
    C(switch_falls_through) C(loops_with_comma) C(do_while) C(jump) C(if_with_initializer)
    C(switch_with_initializer) C(range_for) C(range_for_of_initializer_list) C(statement_expression)
    C(conditional_without_middle) C(comma_operator) C(nested_ternary) C(unrolled) C(attributes)
    C(builtin_functions) C(default_argument) C(overloads) C(references) C(recursion) C(constant_expression)
    C(constexpr_variable) C(constant) C(constexpr_array) C(function_pointers) C(deduced_return) C(trailing_return)
    C(inline_function) C(noinline_first) C(forceinline_first) C(nodiscard) C(unnamed_namespace) C(nested_namespace)
    C(inline_namespace) C(parameters_without_names) C(aggregate) C(designated) C(size_and_offset) C(default_members)
    C(operators) C(virtual_function) C(abstract_class) C(multiple_inheritance) C(destructor) C(static_members)
    C(union_of_bits) C(bit_fields) C(alignment) C(old_alignment) C(enumeration) C(scoped_enumeration)
    C(array_typedef) C(alias) C(anonymous_struct) C(local_class) C(member_pointers) C(member_function_pointer)
    C(null_pointer) C(pointer_arithmetic) C(array_of_arrays) C(reference_to_array) C(casts) C(volatile_variable)
    C(structured_binding) C(binding_of_array) C(function_template) C(class_template) C(specializations)
    C(parameter_pack) C(fold_expression) C(if_constexpr) C(enable_if) C(template_template) C(computed_by_templates)
    C(variable_template) C(auto_parameter) C(functor_argument) C(function_as_argument) C(static_polymorphism)
    C(deduction_guide) C(written_deduction_guide) C(explicit_instantiation_without_spaces) C(alias_template) C(member_template) C(explicit_instantiation) C(substitution_failure)
    C(lambda) C(lambda_by_value) C(lambda_by_reference) C(lambda_with_initializer) C(mutable_lambda)
    C(generic_lambda) C(lambda_of_this) C(called_at_once) C(lambda_as_pointer) C(move) C(forward) C(swap)
    C(rvalue_reference) C(initializer_braces) C(decltype_of_expression) C(type_traits) C(static_assertion)
    C(no_exceptions) C(placement) C(new_and_delete) C(copies_of_memory) C(predefined_names) C(random_maximum)
    C(std_math) C(c_math) C(mixed_math) C(classified) C(minimum) C(integer_division) C(absolute) C(round)
    C(std_array) C(std_pair) C(integer_sequence)
    D(alloca_of_device, 5) D(inline_ptx, 42) D(special_registers, 2) D(constant_memory, 4) D(device_memory, 5)
    D(managed_memory, 6) D(shared_memory, 7) D(static_variable, 8) D(bit_intrinsics, 8 + 31 + 4 + 1) D(conversions, 213)
    D(vectors, 10) D(vector_constructor, 10) D(device_functor, 42) D(read_only_load, 1) D(cached_loads, 2) D(votes, 1)
    D(fast_math, 6) D(architecture, 1) D(assumptions, 3) D(assertion, 1)
    // One argument: blocks of one thread.
    *result = 0;
    call<twice_of_block><<<4>>>(result);
    if (++count; cudaDeviceSynchronize() != cudaSuccess || *result != 41) ++failed;
    std::printf("%d of %d\n", count - failed, count);
    cudaFree(result);
    return failed != 0;
}
