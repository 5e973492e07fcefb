#include "native.hpp"

HS_NATIVE(softmax) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Index i = 0; i < n[0]; ++i) {
        const double* x = in(p, 0) + i * n[1];
        double *y = out(p, 1) + i * n[1], most = x[0], total = 0;
#pragma omp simd reduction(max : most)
        for (Index j = 0; j < n[1]; ++j) most = x[j] > most ? x[j] : most;
        for (Index j = 0; j < n[1]; ++j) y[j] = std::exp(x[j] - most);
#pragma omp simd reduction(+ : total)
        for (Index j = 0; j < n[1]; ++j) total += y[j];
#pragma omp simd
        for (Index j = 0; j < n[1]; ++j) y[j] /= total;
    }
}

HS_NATIVE(normalise) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Index i = 0; i < n[0]; ++i) {
        const double* x = in(p, 0) + i * n[1];
        double *y = out(p, 1) + i * n[1], total = 0, squares = 0;
#pragma omp simd reduction(+ : total)
        for (Index j = 0; j < n[1]; ++j) total += x[j];
        double mean = total / static_cast<double>(n[1]);
#pragma omp simd reduction(+ : squares)
        for (Index j = 0; j < n[1]; ++j) squares += (x[j] - mean) * (x[j] - mean);
        double root = std::sqrt(squares / static_cast<double>(n[1]) + 1e-5);
#pragma omp simd
        for (Index j = 0; j < n[1]; ++j) y[j] = (x[j] - mean) / root;
    }
}
