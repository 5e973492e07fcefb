#include <complex>

#include "native.hpp"

HS_NATIVE(heat) {
    Index rows = n[0], columns = n[1];
    double *u = out(p, 1), *w = out(p, 3), moved = 0;
    std::memcpy(u, p[0], sizeof(double) * static_cast<std::size_t>(rows * columns));
    for (int step = 0; step < 20; ++step) {
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : moved)
        for (Index i = 1; i < rows - 1; ++i) {
            const double* c = u + i * columns;
            double *d = w + i * columns, row = 0;
#pragma omp simd reduction(+ : row)
            for (Index j = 1; j < columns - 1; ++j) {
                d[j] = 0.2 * (c[j] + c[j - columns] + c[j + columns] + c[j - 1] + c[j + 1]);
                row += std::fabs(d[j] - c[j]);
            }
            moved += row;
        }
#pragma omp parallel for num_threads(threads) schedule(static)
        for (Index i = 1; i < rows - 1; ++i) {
            std::memcpy(u + i * columns + 1, w + i * columns + 1,
                        sizeof(double) * static_cast<std::size_t>(columns - 2));
        }
    }
    *out(p, 2) = moved;
}

HS_NATIVE(stencil_27) {
    Index side = n[0], plane = side * side;
    double *u = out(p, 1), *w = out(p, 2);
    std::memcpy(u, p[0], sizeof(double) * static_cast<std::size_t>(side * plane));
    for (int step = 0; step < 5; ++step) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (Index i = 1; i < side - 1; ++i) {
            for (Index j = 1; j < side - 1; ++j) {
                const double* c = u + i * plane + j * side;
                double* d = w + i * plane + j * side;
#pragma omp simd
                for (Index k = 1; k < side - 1; ++k) {
                    double total = 0;
                    for (Index x = -1; x <= 1; ++x) {
                        for (Index y = -1; y <= 1; ++y) {
                            const double* r = c + x * plane + y * side + k;
                            total = x == -1 && y == -1 ? r[-1] + r[0] : total + r[-1] + r[0];
                            total += r[1];
                        }
                    }
                    d[k] = total * (1.0 / 27.0);
                }
            }
        }
#pragma omp parallel for num_threads(threads) schedule(static)
        for (Index i = 1; i < side - 1; ++i) {
            for (Index j = 1; j < side - 1; ++j) {
                Index at = i * plane + j * side + 1;
                std::memcpy(u + at, w + at, sizeof(double) * static_cast<std::size_t>(side - 2));
            }
        }
    }
}

HS_NATIVE(life) {
    Index rows = n[0], columns = n[1];
    Index *u = static_cast<Index*>(p[1]), *w = static_cast<Index*>(p[2]);
    std::memcpy(u, p[0], sizeof(Index) * static_cast<std::size_t>(rows * columns));
    for (int step = 0; step < 10; ++step) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (Index i = 1; i < rows - 1; ++i) {
            const Index *c = u + i * columns, *a = c - columns, *b = c + columns;
            Index* d = w + i * columns;
#pragma omp simd
            for (Index j = 1; j < columns - 1; ++j) {
                Index s = a[j - 1] + a[j] + a[j + 1] + c[j - 1] + c[j + 1] + b[j - 1] + b[j];
                s += b[j + 1];
                d[j] = (s == 3) | ((s == 2) & (c[j] == 1));
            }
        }
#pragma omp parallel for num_threads(threads) schedule(static)
        for (Index i = 1; i < rows - 1; ++i) {
            std::memcpy(u + i * columns + 1, w + i * columns + 1,
                        sizeof(Index) * static_cast<std::size_t>(columns - 2));
        }
    }
}

HS_NATIVE(strided_2d) {
    Index rows = n[0], columns = n[1];
    double* u = out(p, 1);
    std::memcpy(u, p[0], sizeof(double) * static_cast<std::size_t>(rows * columns));
    for (int step = 0; step < 10; ++step) {
        Index first = 1 + step % 2, pairs = (columns - first) / 2;
        // Neighbours above and below are of the same columns: the old values are needed.
        double* old = new double[static_cast<std::size_t>(rows * pairs)];
#pragma omp parallel for num_threads(threads) schedule(static)
        for (Index i = 1; i < rows - 1; ++i) {
            const double* c = u + i * columns + first;
            double* d = old + i * pairs;
#pragma omp simd
            for (Index k = 0; k < pairs; ++k) {
                d[k] =
                    0.25 * (c[2 * k - columns] + c[2 * k + columns] + c[2 * k - 1] + c[2 * k + 1]);
            }
        }
#pragma omp parallel for num_threads(threads) schedule(static)
        for (Index i = 1; i < rows - 1; ++i) {
            double* c = u + i * columns + first;
            for (Index k = 0; k < pairs; ++k) c[2 * k] = old[i * pairs + k];
        }
        delete[] old;
    }
}

HS_NATIVE(nbody) {
    const double *mass = in(p, 0), *x = in(p, 1), *y = in(p, 2), *z = in(p, 3);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Index i = 0; i < n[0]; ++i) {
        double ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (Index j = 0; j < n[0]; ++j) {
            double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            double square = dx * dx + dy * dy + dz * dz + 0.01;
            double pull = mass[j] / (square * std::sqrt(square));
            ax += pull * dx, ay += pull * dy, az += pull * dz;
        }
        out(p, 4)[i] = ax, out(p, 5)[i] = ay, out(p, 6)[i] = az;
    }
}

HS_NATIVE(mandelbrot) {
    const double* c = in(p, 0);
    double* count = out(p, 1);
    Index all = n[0] * n[1];
#pragma omp parallel for num_threads(threads) schedule(static)
    for (Index first = 0; first < all; first += 64) {
        Index m = all - first < 64 ? all - first : 64;
        double re[64] = {}, im[64] = {}, hits[64] = {};
        for (int step = 0; step < 30; ++step) {
#pragma omp simd
            for (Index k = 0; k < m; ++k) {
                double a = re[k] * re[k], b = im[k] * im[k];
                bool inside = a + b < 4.0;
                double next = re[k] * im[k] + im[k] * re[k] + c[2 * (first + k) + 1];
                hits[k] += inside ? 1.0 : 0.0;
                re[k] = inside ? a - b + c[2 * (first + k)] : re[k];
                im[k] = inside ? next : im[k];
            }
        }
        for (Index k = 0; k < m; ++k) count[first + k] = hits[k];
    }
}

HS_NATIVE(lattice) {
    constexpr int x[] = {0, 1, -1, 0, 0, 1, -1, 1, -1}, y[] = {0, 0, 0, 1, -1, 1, -1, -1, 1};
    constexpr double w[] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                            1. / 36, 1. / 36, 1. / 36, 1. / 36};
    Index rows = n[1], columns = n[2], plane = rows * columns;
    double *f = out(p, 1), *g = out(p, 2);
    std::memcpy(f, p[0], sizeof(double) * static_cast<std::size_t>(9 * plane));
    std::memcpy(g, p[0], sizeof(double) * static_cast<std::size_t>(9 * plane));
    for (int step = 0; step < 10; ++step) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (Index i = 0; i < rows; ++i) {
            for (Index from = 0; from < columns; from += 256) {
                Index m = columns - from < 256 ? columns - from : 256;
                double rho[256], ux[256], uy[256], base[256];
                const double* c = f + i * columns + from;
#pragma omp simd
                for (Index j = 0; j < m; ++j) {
                    double v[9], total = 0;
                    for (int k = 0; k < 9; ++k) v[k] = c[k * plane + j], total += v[k];
                    rho[j] = total;
                    ux[j] = (v[1] - v[2] + v[5] - v[6] + v[7] - v[8]) / total;
                    uy[j] = (v[3] - v[4] + v[5] - v[6] - v[7] + v[8]) / total;
                    base[j] = 1.0 - 1.5 * (ux[j] * ux[j] + uy[j] * uy[j]);
                }
                for (int k = 0; k < 9; ++k) {
                    Index to = i + x[k];
                    if (to < 1 || to >= rows - 1) continue;
                    Index low = from + y[k] < 1 ? 1 - from - y[k] : 0;
                    Index high = columns - 1 - from - y[k] < m ? columns - 1 - from - y[k] : m;
                    double* d = g + k * plane + to * columns + from + y[k];
#pragma omp simd
                    for (Index j = low; j < high; ++j) {
                        double along = 3.0 * (x[k] * ux[j] + y[k] * uy[j]);
                        double rest = w[k] * rho[j] * (base[j] + along + 0.5 * along * along);
                        double old = c[k * plane + j];
                        d[j] = old + 1.2 * (rest - old);
                    }
                }
            }
        }
        double* other = f;
        f = g, g = other;
    }
}

HS_NATIVE(lu) {
    Index side = n[0];
    double* a = out(p, 1);
    std::memcpy(a, p[0], sizeof(double) * static_cast<std::size_t>(side * side));
    for (Index k = 0; k < side - 1; ++k) {
        const double* top = a + k * side;
#pragma omp parallel for num_threads(threads) schedule(static) if (side - k > 64)
        for (Index i = k + 1; i < side; ++i) {
            double* row = a + i * side;
            double factor = row[k] /= top[k];
#pragma omp simd
            for (Index j = k + 1; j < side; ++j) row[j] -= factor * top[j];
        }
    }
}
