// Level 1: vectors.
#pragma once

#include "runtime_wrappers/libraries/cublas/request.h"

namespace cudash::libraries::cublas::bodies {

using Int = std::int64_t;

/// One that asks nothing of the device: its result is known.
template <class T>
cublasStatus_t of_nothing(Request& request, Result<T> result) {
    return request.ask([=](Operands& o) { *result(o) = T(0); });
}

/// What amax and amin compare, and asum adds.
template <class T>
RealOf<T> magnitude(T value) {
    if constexpr (is_complex<T>)
        return std::abs(value.real()) + std::abs(value.imag());
    else
        return std::abs(value);
}

/// From 1 on; of equal ones the first.
template <class T, class Index, class Better>
cublasStatus_t extreme(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, Index* result,
                       Better better) {
    Request request(served, handle);
    const auto to = request.result("result", result);
    if (n <= 0 || incx <= 0) return of_nothing(request, to);
    const std::size_t from = request.vector("x", x, n, incx, Access::read);
    return request.ask([=](Operands& o) {
        const T* values = o.at<T>(from);
        Int best = 0;
        for (Int i = 1; i < n; ++i)
            if (better(magnitude(values[i * incx]), magnitude(values[best * incx]))) best = i;
        *to(o) = static_cast<Index>(best + 1);
    });
}
template <class T, class Index>
cublasStatus_t amax(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, Index* result) {
    return extreme(served, handle, n, x, incx, result, [](auto a, auto b) { return a > b; });
}
template <class T, class Index>
cublasStatus_t amin(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, Index* result) {
    return extreme(served, handle, n, x, incx, result, [](auto a, auto b) { return a < b; });
}

template <class T>
cublasStatus_t asum(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, RealOf<T>* result) {
    Request request(served, handle);
    const auto to = request.result("result", result);
    if (n <= 0 || incx <= 0) return of_nothing(request, to);
    const std::size_t from = request.vector("x", x, n, incx, Access::read);
    return request.ask([=](Operands& o) { *to(o) = blas<T>().asum(size_of(n), o.at<T>(from), size_of(incx)); });
}
template <class T>
cublasStatus_t nrm2(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, RealOf<T>* result) {
    Request request(served, handle);
    const auto to = request.result("result", result);
    if (n <= 0 || incx <= 0) return of_nothing(request, to);
    const std::size_t from = request.vector("x", x, n, incx, Access::read);
    return request.ask([=](Operands& o) { *to(o) = blas<T>().nrm2(size_of(n), o.at<T>(from), size_of(incx)); });
}
/// `multiply(x, y, result)` adds the products.
template <class T, class Multiply>
cublasStatus_t products_of(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, const T* y, Int incy,
                           T* result, Multiply multiply) {
    Request request(served, handle);
    const auto to = request.result("result", result);
    if (n <= 0) return of_nothing(request, to);
    const std::size_t a = request.vector("x", x, n, incx, Access::read);
    const std::size_t b = request.vector("y", y, n, incy, Access::read);
    return request.ask([=](Operands& o) { multiply(o.at<T>(a), o.at<T>(b), to(o)); });
}
template <class T>
cublasStatus_t dot(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, const T* y, Int incy,
                   T* result) {
    return products_of(served, handle, n, x, incx, y, incy, result, [=](const T* a, const T* b, T* to) {
        *to = blas<T>().dot(size_of(n), a, size_of(incx), b, size_of(incy));
    });
}
template <class T>
cublasStatus_t dotu(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, const T* y, Int incy,
                    T* result) {
    return products_of(served, handle, n, x, incx, y, incy, result, [=](const T* a, const T* b, T* to) {
        blas<T>().dotu_sub(size_of(n), a, size_of(incx), b, size_of(incy), to);
    });
}
template <class T>
cublasStatus_t dotc(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, const T* y, Int incy,
                    T* result) {
    return products_of(served, handle, n, x, incx, y, incy, result, [=](const T* a, const T* b, T* to) {
        blas<T>().dotc_sub(size_of(n), a, size_of(incx), b, size_of(incy), to);
    });
}

template <class T>
cublasStatus_t axpy(Served& served, cublasHandle_t handle, Int n, const T* alpha, const T* x, Int incx, T* y,
                    Int incy) {
    Request request(served, handle);
    const auto factor = request.scalar("alpha", alpha);
    if (n <= 0 || !request.ok()) return request.status();
    const std::size_t from = request.vector("x", x, n, incx, Access::read);
    const std::size_t to = request.vector("y", y, n, incy, Access::both);
    return request.ask([=](Operands& o) {
        blas<T>().axpy(size_of(n), factor(o), o.at<T>(from), size_of(incx), o.at<T>(to), size_of(incy));
    });
}
template <class T>
cublasStatus_t copy(Served& served, cublasHandle_t handle, Int n, const T* x, Int incx, T* y, Int incy) {
    Request request(served, handle);
    if (n <= 0 || !request.ok()) return request.status();
    const std::size_t from = request.vector("x", x, n, incx, Access::read);
    const std::size_t to = request.vector("y", y, n, incy, Access::written);
    return request.ask(
        [=](Operands& o) { blas<T>().copy(size_of(n), o.at<T>(from), size_of(incx), o.at<T>(to), size_of(incy)); });
}
template <class T>
cublasStatus_t swap(Served& served, cublasHandle_t handle, Int n, T* x, Int incx, T* y, Int incy) {
    Request request(served, handle);
    if (n <= 0 || !request.ok()) return request.status();
    const std::size_t a = request.vector("x", x, n, incx, Access::both);
    const std::size_t b = request.vector("y", y, n, incy, Access::both);
    return request.ask(
        [=](Operands& o) { blas<T>().swap(size_of(n), o.at<T>(a), size_of(incx), o.at<T>(b), size_of(incy)); });
}
/// The factor of complex numbers may be real.
template <class By, class T>
cublasStatus_t scal(Served& served, cublasHandle_t handle, Int n, const By* alpha, T* x, Int incx) {
    Request request(served, handle);
    const auto factor = request.scalar("alpha", alpha);
    if (n <= 0 || incx <= 0 || !request.ok()) return request.status();
    const std::size_t to = request.vector("x", x, n, incx, Access::both);
    return request.ask([=](Operands& o) {
        if constexpr (is_complex<T>)
            for (Int i = 0; i < n; ++i) o.at<T>(to)[i * incx] *= factor(o);
        else
            blas<T>().scal(size_of(n), factor(o), o.at<T>(to), size_of(incx));
    });
}

/// The sine of complex numbers may be complex.
template <class T, class Sine>
cublasStatus_t rot(Served& served, cublasHandle_t handle, Int n, T* x, Int incx, T* y, Int incy, const RealOf<T>* c,
                   const Sine* s) {
    Request request(served, handle);
    const auto cosine = request.scalar("c", c);
    const auto sine = request.scalar("s", s);
    if (n <= 0 || !request.ok()) return request.status();
    const std::size_t a = request.vector("x", x, n, incx, Access::both);
    const std::size_t b = request.vector("y", y, n, incy, Access::both);
    return request.ask([=](Operands& o) {
        if constexpr (!is_complex<T>) {
            blas<T>().rot(size_of(n), o.at<T>(a), size_of(incx), o.at<T>(b), size_of(incy), cosine(o), sine(o));
        } else {
            const auto first = [=](Int stride) { return stride < 0 ? (1 - n) * stride : 0; };
            T *to_x = o.at<T>(a) + first(incx), *to_y = o.at<T>(b) + first(incy);
            for (Int i = 0; i < n; ++i, to_x += incx, to_y += incy) {
                const T old_x = *to_x, old_y = *to_y;
                *to_x = cosine(o) * old_x + sine(o) * old_y;
                *to_y = cosine(o) * old_y - conjugate(sine(o)) * old_x;
            }
        }
    });
}
template <class T>
cublasStatus_t rotg(Served& served, cublasHandle_t handle, T* a, T* b, RealOf<T>* c, T* s) {
    Request request(served, handle);
    const auto first = request.result("a", a, Access::both), second = request.result("b", b, Access::both);
    const auto cosine = request.result("c", c);
    const auto sine = request.result("s", s);
    return request.ask([=](Operands& o) { blas<T>().rotg(first(o), second(o), cosine(o), sine(o)); });
}
template <class T>
cublasStatus_t rotm(Served& served, cublasHandle_t handle, Int n, T* x, Int incx, T* y, Int incy, const T* param) {
    Request request(served, handle);
    std::array<Scalar<T>, 5> parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
        parameters[i] = request.scalar("param", param ? param + i : param);
    if (n <= 0 || !request.ok()) return request.status();
    const std::size_t a = request.vector("x", x, n, incx, Access::both);
    const std::size_t b = request.vector("y", y, n, incy, Access::both);
    return request.ask([=](Operands& o) {
        std::array<T, 5> values;
        std::transform(parameters.begin(), parameters.end(), values.begin(), [&](const auto& each) { return each(o); });
        blas<T>().rotm(size_of(n), o.at<T>(a), size_of(incx), o.at<T>(b), size_of(incy), values.data());
    });
}
template <class T>
cublasStatus_t rotmg(Served& served, cublasHandle_t handle, T* d1, T* d2, T* x1, const T* y1, T* param) {
    Request request(served, handle);
    const auto first = request.result("d1", d1, Access::both), second = request.result("d2", d2, Access::both);
    const auto x = request.result("x1", x1, Access::both);
    const auto y = request.scalar("y1", y1);
    const auto parameters = request.result("param", param, Access::written, 5);
    return request.ask([=](Operands& o) { blas<T>().rotmg(first(o), second(o), x(o), y(o), parameters(o)); });
}

}  // namespace cudash::libraries::cublas::bodies
