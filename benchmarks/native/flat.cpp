#include "native.hpp"

HS_NATIVE(axpy) {
    const double *a = in(p, 0), *b = in(p, 1), *c = in(p, 2);
    double* y = out(p, 3);
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (Index i = 0; i < n[0]; ++i) y[i] = a[i] * b[i] + c[i];
}

template <class T>
static void horner(const T* x, T* y, Index n, int threads) {
    constexpr T c[] = {T(0.1), T(0.2), T(0.3), T(0.4), T(0.5), T(0.6)};
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (Index i = 0; i < n; ++i) {
        T v = x[i];
        y[i] = ((((v * c[0] + c[1]) * v + c[2]) * v + c[3]) * v + c[4]) * v + c[5];
    }
}

HS_NATIVE(polynomial) { horner(in(p, 0), out(p, 1), n[0], threads); }
HS_NATIVE(polynomial32) {
    horner(static_cast<const float*>(p[0]), static_cast<float*>(p[1]), n[0], threads);
}

HS_NATIVE(ten) {
    const double *a = in(p, 0), *b = in(p, 1);
    double* out_ = out(p, 2);
#pragma omp parallel for simd num_threads(threads) schedule(static) if (n[0] > 20000)
    for (Index i = 0; i < n[0]; ++i) {
        double y = ((a[i] + b[i]) * a[i] - 0.5) / 3.0;
        y = (std::sqrt(std::fabs(y)) + b[i]) * 0.25;
        out_[i] = (y > a[i] ? y : a[i]) - b[i];
    }
}

HS_NATIVE(state) {
    const double *salt = in(p, 0), *heat = in(p, 1), *press = in(p, 2);
    double* y = out(p, 3);
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (Index i = 0; i < n[0]; ++i) {
        double s = salt[i], t = heat[i], q = press[i], root = std::sqrt(s);
        double water = 6.536332e-9 * t - 1.120083e-6;
        water = (((water * t + 1.001685e-4) * t - 9.095290e-3) * t + 6.793952e-2) * t + 999.842594;
        double a = (((5.3875e-9 * t - 8.2467e-7) * t + 7.6438e-5) * t - 4.0899e-3) * t + 0.824493;
        double b = (-1.6546e-6 * t + 1.0227e-4) * t - 5.72466e-3;
        double surface = water + s * (a + root * b + 4.8314e-4 * s);
        double k = (((-5.155288e-5 * t + 1.360477e-2) * t - 2.327105) * t + 148.4206) * t;
        k += 19652.21;
        double ks = ((-6.1670e-5 * t + 1.09987e-2) * t - 0.603459) * t + 54.6746;
        double kr = (-5.3009e-4 * t + 1.6483e-2) * t + 7.944e-2;
        k = k + s * (ks + root * kr);
        double a1 = ((-5.77905e-7 * t + 1.16092e-4) * t + 1.43713e-3) * t + 3.239908;
        a1 = a1 + s * ((-1.6078e-6 * t - 1.0981e-5) * t + 2.2838e-3 + 1.91075e-4 * root);
        double b2 = (5.2787e-8 * t - 6.12293e-6) * t + 8.50935e-5;
        b2 = b2 + s * ((9.1697e-10 * t + 2.0816e-8) * t - 9.9348e-7);
        k = (b2 * q + a1) * q + k;
        y[i] = surface / (1.0 - q / k);
    }
}

static double share(double d) {
    double size = std::fabs(d), k = 1.0 / (1.0 + 0.2316419 * size);
    double poly = (((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k;
    double tail = std::exp(-0.5 * size * size) * (poly + 0.319381530) * k * 0.3989422804014327;
    return d < 0 ? tail : 1.0 - tail;
}

HS_NATIVE(black_scholes) {
    const double* stock = in(p, 0);
    double total = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : total)
    for (Index i = 0; i < n[0]; ++i) {
        double d1 = (std::log(stock[i] / 65.0) + 0.0625) / 0.2;
        total += stock[i] * share(d1) - 64.0 * share(d1 - 0.2);
    }
    *out(p, 1) = total;
}

HS_NATIVE(rosenbrock) {
    const double* x = in(p, 0);
    double total = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : total)
    for (Index i = 0; i < n[0] - 1; ++i) {
        double a = x[i + 1] - x[i] * x[i], b = 1.0 - x[i];
        total += 100.0 * (a * a) + b * b;
    }
    *out(p, 1) = total;
}

HS_NATIVE(sum) {
    const double* x = in(p, 0);
    double total = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : total)
    for (Index i = 0; i < n[0]; ++i) total += x[i];
    *out(p, 1) = total;
}

HS_NATIVE(strided) {
    double* u = out(p, 1);
    std::memcpy(u, p[0], sizeof(double) * static_cast<std::size_t>(n[0]));
    for (int step = 0; step < 10; ++step) {
        Index first = 1 + step % 2, pairs = (n[0] - first) / 2;
#pragma omp parallel for simd num_threads(threads) schedule(static)
        for (Index k = 0; k < pairs; ++k) {
            Index i = first + 2 * k;
            u[i] = 0.5 * (u[i - 1] + u[i + 1]);
        }
    }
}

HS_NATIVE(gather) {
    const double *w = in(p, 0), *x = in(p, 1);
    const Index* index = static_cast<const Index*>(p[2]);
    double total = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : total)
    for (Index i = 0; i < n[0]; ++i) total += w[i] * x[index[i]];
    *out(p, 3) = total;
}

HS_NATIVE(scan) {
    const double *x = in(p, 0), *w = in(p, 1);
    double* y = out(p, 2);
    Index parts = threads, length = (n[0] + parts - 1) / parts;
    double sums[64] = {};
    auto end_of = [&](Index k) { return (k + 1) * length < n[0] ? (k + 1) * length : n[0]; };
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (Index k = 0; k < parts; ++k) {
        double total = 0;
        for (Index i = k * length; i < end_of(k); ++i) y[i] = total += std::exp(x[i]);
        sums[k] = total;
    }
    for (Index k = 1; k < parts; ++k) sums[k] += sums[k - 1];
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (Index k = 0; k < parts; ++k) {
        double before = k ? sums[k - 1] : 0;
        for (Index i = k * length; i < end_of(k); ++i) y[i] = (before + y[i]) * w[i];
    }
}
