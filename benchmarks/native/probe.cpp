// What memory gives: the bound that streaming kernels are measured against.
#include <immintrin.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

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

// Whose turn it is, on a cache line of its own.
struct alignas(64) Turn {
    std::atomic<Index> number;
};

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

// Bytes of the last cache before memory.
HS_NATIVE(probe_last_cache) {
    const long third = sysconf(_SC_LEVEL3_CACHE_SIZE), second = sysconf(_SC_LEVEL2_CACHE_SIZE);
    *out(p, 0) = static_cast<double>(third > 0 ? third : second);
}

// Seconds that two threads need to hand something over and get it back: four times as long where
// their cores share no cache. The first extent is how often they do it.
HS_NATIVE(probe_meeting) {
    using Clock = std::chrono::steady_clock;
    Turn asked{}, answered{};
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            {
                auto begin = Clock::now();
                for (Index k = 1; k <= n[0]; ++k) {
                    // From the second turn on the other thread is there.
                    if (k == 2) begin = Clock::now();
                    asked.number.store(k, std::memory_order_release);
                    while (answered.number.load(std::memory_order_acquire) != k) _mm_pause();
                }
                const std::chrono::duration<double> took = Clock::now() - begin;
                *out(p, 0) = took.count() / static_cast<double>(n[0] - 1);
            }
#pragma omp section
            for (Index k = 1; k <= n[0]; ++k) {
                while (asked.number.load(std::memory_order_acquire) != k) _mm_pause();
                answered.number.store(k, std::memory_order_release);
            }
        }
    }
}
