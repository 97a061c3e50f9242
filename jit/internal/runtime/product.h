#ifndef CALLIOPE_JIT_PRODUCT_H
#define CALLIOPE_JIT_PRODUCT_H

#include <stdint.h>

// A function that computes the product of a matrix of rows × inner elements and one of inner × columns. turned_left and
// turned_right say that an operand is the transposed matrix. The strides are the distances between rows in memory, in
// elements. memory is for intermediate results.
typedef void calliope_jit_kernel(int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,
                                 int64_t turned_right, int64_t left_stride, int64_t right_stride, int64_t out_stride,
                                 const char* left, const char* right, char* out, char* memory);

// What compiled code calls: the products of the matrices of two batches, whose rows follow one another in memory.
// operand_size and result_size are those of an element, and memory_size that of the kernel's memory, in bytes.
void calliope_jit_product(calliope_jit_kernel* kernel, int64_t operand_size, int64_t result_size, int64_t memory_size,
                          int64_t batch, int64_t rows, int64_t columns, int64_t inner, int64_t turned_left,
                          int64_t turned_right, const char* left, const char* right, char* out, char* memory);

#endif
