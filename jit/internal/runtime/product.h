#ifndef CALLIOPE_JIT_PRODUCT_H
#define CALLIOPE_JIT_PRODUCT_H

#include <stdint.h>

// Sets the subroutines sgemm and dgemm of a BLAS library, whose integers have 32 bits.
void calliope_jit_set_products(void* single, void* twice);

// What compiled code calls: the products of the matrices of two batches, of rows × inner and inner × columns elements.
// turned_left and turned_right say that an operand has the transposed matrices.
void calliope_jit_product_f32(int64_t batch, int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,
                              int64_t turned_right, const float* left, const float* right, float* out);
void calliope_jit_product_f64(int64_t batch, int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,
                              int64_t turned_right, const double* left, const double* right, double* out);

#endif
