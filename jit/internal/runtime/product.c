#include "product.h"

#include <stddef.h>

// Subroutines of Fortran: all arguments are addresses, and the lengths of the strings follow.
#define DEFINE(type, name)                                                                                            \
  typedef void (*name##_subroutine)(const char*, const char*, const int32_t*, const int32_t*, const int32_t*,         \
                                    const type*, const type*, const int32_t*, const type*, const int32_t*,            \
                                    const type*, type*, const int32_t*, size_t, size_t);                              \
  static name##_subroutine name;                                                                                      \
  static void product_##name(int64_t batch, int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,        \
                             int64_t turned_right, const type* left, const type* right, type* out) {                  \
    /* Matrices of Fortran are column-major, so this is the product of the transposed ones, in the other order. */    \
    const int32_t m = (int32_t)columns, n = (int32_t)rows, k = (int32_t)inner;                                        \
    const int32_t *lda = turned_right ? &k : &m, *ldb = turned_left ? &n : &k;                                        \
    const type one = 1, zero = 0;                                                                                     \
    for (int64_t i = 0; i < batch; i++) {                                                                             \
      name(turned_right ? "T" : "N", turned_left ? "T" : "N", &m, &n, &k, &one, right + i * columns * inner, lda,     \
           left + i * rows * inner, ldb, &zero, out + i * rows * columns, &m, 1, 1);                                  \
    }                                                                                                                 \
  }

DEFINE(float, sgemm)
DEFINE(double, dgemm)

void calliope_jit_set_products(void* single, void* twice) {
  sgemm = (sgemm_subroutine)single;
  dgemm = (dgemm_subroutine)twice;
}

void calliope_jit_product_f32(int64_t batch, int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,
                              int64_t turned_right, const float* left, const float* right, float* out) {
  product_sgemm(batch, rows, columns, inner, turned_left, turned_right, left, right, out);
}

void calliope_jit_product_f64(int64_t batch, int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,
                              int64_t turned_right, const double* left, const double* right, double* out) {
  product_dgemm(batch, rows, columns, inner, turned_left, turned_right, left, right, out);
}
