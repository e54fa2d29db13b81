// cuFFT: one line for each case.
#include <cufft.h>

#include "cases.h"

template <class T>
void show_first(const char* name, const OnDevice<T>& array, std::size_t count = 96) {
    std::vector<T> values = array.values();
    if (values.size() > count) values.resize(count);
    show(name, values);
}

void one_dimension() {
    for (const int n : {1, 8, 30, 97, 1000}) {
        const OnDevice<float> data(numbers<float>(2 * n, n));
        cufftHandle plan;
        cufftPlan1d(&plan, n, CUFFT_C2C, 1);
        auto* complex = reinterpret_cast<cufftComplex*>(data.data);
        cufftExecC2C(plan, complex, complex, CUFFT_FORWARD);
        char name[64];
        std::snprintf(name, sizeof name, "1D C2C of %d, forward", n);
        show_first(name, data);
        cufftExecC2C(plan, complex, complex, CUFFT_INVERSE);
        std::snprintf(name, sizeof name, "1D C2C of %d, there and back", n);
        show_first(name, data);
        cufftDestroy(plan);
    }
    const OnDevice<float> real(numbers<float>(3 * 16, 2)), spectrum(std::vector<float>(2 * 3 * 9, 0.0f)),
        back(std::vector<float>(3 * 16, 0.0f));
    cufftHandle forward, inverse;
    cufftPlan1d(&forward, 16, CUFFT_R2C, 3);
    cufftPlan1d(&inverse, 16, CUFFT_C2R, 3);
    cufftExecR2C(forward, real.data, reinterpret_cast<cufftComplex*>(spectrum.data));
    show("1D R2C, three of 16", spectrum);
    cufftExecC2R(inverse, reinterpret_cast<cufftComplex*>(spectrum.data), back.data);
    show("1D C2R, three of 16", back);
    cufftDestroy(forward);
    cufftDestroy(inverse);
    const OnDevice<float> odd(numbers<float>(15, 3)), odd_spectrum(std::vector<float>(16, 0.0f));
    cufftPlan1d(&forward, 15, CUFFT_R2C, 1);
    cufftPlan1d(&inverse, 15, CUFFT_C2R, 1);
    cufftExecR2C(forward, odd.data, reinterpret_cast<cufftComplex*>(odd_spectrum.data));
    show("1D R2C of 15", odd_spectrum);
    cufftExecC2R(inverse, reinterpret_cast<cufftComplex*>(odd_spectrum.data), odd.data);
    show("1D C2R of 15", odd);
    cufftDestroy(forward);
    cufftDestroy(inverse);
}

void more_dimensions() {
    cufftHandle plan;
    const OnDevice<float> flat(numbers<float>(2 * 6 * 10, 4));
    cufftPlan2d(&plan, 6, 10, CUFFT_C2C);
    cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(flat.data), reinterpret_cast<cufftComplex*>(flat.data), CUFFT_FORWARD);
    show("2D C2C of 6 x 10", flat);
    cufftDestroy(plan);
    const OnDevice<float> real(numbers<float>(6 * 10, 5)), spectrum(std::vector<float>(2 * 6 * 6, 0.0f));
    cufftPlan2d(&plan, 6, 10, CUFFT_R2C);
    cufftExecR2C(plan, real.data, reinterpret_cast<cufftComplex*>(spectrum.data));
    show("2D R2C of 6 x 10", spectrum);
    cufftDestroy(plan);
    cufftPlan2d(&plan, 6, 10, CUFFT_C2R);
    cufftExecC2R(plan, reinterpret_cast<cufftComplex*>(spectrum.data), real.data);
    show("2D C2R of 6 x 10", real);
    cufftDestroy(plan);
    const OnDevice<double> cube(numbers<double>(2 * 4 * 3 * 5, 6));
    cufftPlan3d(&plan, 4, 3, 5, CUFFT_Z2Z);
    cufftExecZ2Z(plan, reinterpret_cast<cufftDoubleComplex*>(cube.data), reinterpret_cast<cufftDoubleComplex*>(cube.data),
                 CUFFT_INVERSE);
    show("3D Z2Z of 4 x 3 x 5", cube);
    cufftDestroy(plan);
    const OnDevice<double> wide(numbers<double>(4 * 3 * 5, 7)), wide_spectrum(std::vector<double>(2 * 4 * 3 * 3, 0.0));
    cufftPlan3d(&plan, 4, 3, 5, CUFFT_D2Z);
    cufftExecD2Z(plan, wide.data, reinterpret_cast<cufftDoubleComplex*>(wide_spectrum.data));
    show("3D D2Z of 4 x 3 x 5", wide_spectrum);
    cufftDestroy(plan);
    cufftPlan3d(&plan, 4, 3, 5, CUFFT_Z2D);
    cufftExecZ2D(plan, reinterpret_cast<cufftDoubleComplex*>(wide_spectrum.data), wide.data);
    show("3D Z2D of 4 x 3 x 5", wide);
    cufftDestroy(plan);
}

void layouts() {
    cufftHandle plan;
    // Columns of a matrix: neighbors are 5 apart, the transforms 1.
    int n[] = {8}, embed[] = {8};
    const OnDevice<float> columns(numbers<float>(2 * 8 * 5, 8));
    cufftPlanMany(&plan, 1, n, embed, 5, 1, embed, 5, 1, CUFFT_C2C, 5);
    cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(columns.data), reinterpret_cast<cufftComplex*>(columns.data),
                 CUFFT_FORWARD);
    show("PlanMany, columns", columns);
    cufftDestroy(plan);
    // Two transforms of 4 x 6 in rows of 8 and 7.
    int size[] = {4, 6}, in_rows[] = {5, 8}, out_rows[] = {4, 7};
    const OnDevice<float> from(numbers<float>(2 * 2 * 40, 9)), to(std::vector<float>(2 * 2 * 28, -1.0f));
    cufftPlanMany(&plan, 2, size, in_rows, 1, 40, out_rows, 1, 28, CUFFT_C2C, 2);
    cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(from.data), reinterpret_cast<cufftComplex*>(to.data), CUFFT_INVERSE);
    show("PlanMany, rows with padding", to);
    cufftDestroy(plan);
    // In place: rows of real numbers are padded to hold their spectrum.
    const OnDevice<float> place(numbers<float>(2 * 6 * 4, 10));
    cufftPlan2d(&plan, 6, 6, CUFFT_R2C);
    cufftExecR2C(plan, place.data, reinterpret_cast<cufftComplex*>(place.data));
    show("2D R2C in place", place);
    cufftDestroy(plan);
    cufftPlan2d(&plan, 6, 6, CUFFT_C2R);
    cufftExecC2R(plan, reinterpret_cast<cufftComplex*>(place.data), place.data);
    show("2D C2R in place", place);
    cufftDestroy(plan);
}

void misuse() {
    cufftHandle plan = 0;
    const OnDevice<float> data(numbers<float>(64, 11));
    auto* complex = reinterpret_cast<cufftComplex*>(data.data);
    std::vector<long long> statuses = {cufftPlan1d(&plan, 0, CUFFT_C2C, 1),
                                       cufftPlan1d(&plan, -4, CUFFT_C2C, 1),
                                       cufftPlan1d(&plan, 8, static_cast<cufftType>(1), 1),
                                       cufftPlan1d(&plan, 8, CUFFT_C2C, 0),
                                       cufftPlan2d(&plan, 0, 8, CUFFT_C2C),
                                       cufftExecC2C(12345, complex, complex, CUFFT_FORWARD),
                                       cufftDestroy(12345),
                                       cufftSetStream(12345, nullptr)};
    cufftPlan1d(&plan, 8, CUFFT_C2C, 1);
    std::size_t size = 1;
    int major = 0;
    const std::vector<long long> more = {cufftExecC2C(plan, complex, complex, 5),
                                         cufftExecC2C(plan, nullptr, complex, CUFFT_FORWARD),
                                         cufftExecR2C(plan, data.data, complex),
                                         cufftExecZ2Z(plan, reinterpret_cast<cufftDoubleComplex*>(complex),
                                                      reinterpret_cast<cufftDoubleComplex*>(complex), CUFFT_FORWARD),
                                         cufftGetSize(plan, &size),
                                         cufftDestroy(plan),
                                         cufftDestroy(plan),
                                         cufftCreate(&plan),
                                         cufftExecC2C(plan, complex, complex, CUFFT_FORWARD),
                                         cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size),
                                         cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size),
                                         cufftDestroy(plan),
                                         cufftGetProperty(MAJOR_VERSION, &major),
                                         major};
    statuses.insert(statuses.end(), more.begin(), more.end());
    show_exact("misuse", statuses);
}

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what a crash leaves is whole lines
    one_dimension();
    more_dimensions();
    layouts();
    misuse();
}
