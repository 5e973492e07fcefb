// What memory gives: the bound that streaming kernels are measured against.
#include <immintrin.h>

#include "native.hpp"

namespace {

#ifdef __AVX512F__
constexpr Index kLanes = 8;
using Vector = __m512d;
Vector load(const double* p) { return _mm512_loadu_pd(p); }
void stream(double* p, Vector v) { _mm512_stream_pd(p, v); }
Vector triad(Vector a, Vector b) { return _mm512_add_pd(a, _mm512_mul_pd(b, _mm512_set1_pd(3))); }
#else
constexpr Index kLanes = 4;
using Vector = __m256d;
Vector load(const double* p) { return _mm256_loadu_pd(p); }
void stream(double* p, Vector v) { _mm256_stream_pd(p, v); }
Vector triad(Vector a, Vector b) { return _mm256_add_pd(a, _mm256_mul_pd(b, _mm256_set1_pd(3))); }
#endif

}  // namespace

// Buffers start on a cache line; n is a multiple of 8.
HS_NATIVE(probe_copy) {
    const double* a = in(p, 0);
    double* c = out(p, 1);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Index i = 0; i < n[0]; i += kLanes) stream(c + i, load(a + i));
    _mm_sfence();
}

HS_NATIVE(probe_triad) {
    const double* a = in(p, 0);
    const double* b = in(p, 1);
    double* c = out(p, 2);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Index i = 0; i < n[0]; i += kLanes) stream(c + i, triad(load(a + i), load(b + i)));
    _mm_sfence();
}

HS_NATIVE(probe_triad_plain) {
    const double* a = in(p, 0);
    const double* b = in(p, 1);
    double* c = out(p, 2);
#pragma omp parallel for simd num_threads(threads) schedule(static)
    for (Index i = 0; i < n[0]; ++i) c[i] = a[i] + 3.0 * b[i];
}

HS_NATIVE(probe_read) {
    const double* a = in(p, 0);
    double total = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : total)
    for (Index i = 0; i < n[0]; ++i) total += a[i];
    *out(p, 1) = total;
}
