#ifndef CALLIOPE_JIT_SORT_H
#define CALLIOPE_JIT_SORT_H

#include <stdint.h>

// What compiled code calls: sorts rows of n elements of several operands together, and leaves the order of equal ones.
// An operand is an array of outer × n × inner elements, whose rows are along its second dimension. less is a packed
// function of the addresses of two elements of each operand, and of the captured ones: whether the first of them come
// before the second. The further arguments are the size of an element of each operand, the addresses of the operands,
// the addresses of the results, that of memory for two numbers of 32 bits for each element of a row and then for the
// row, where that of each operand is aligned to 16 bytes, and captured addresses.
void calliope_jit_sort(void (*less)(void**), int64_t outer, int64_t n, int64_t inner, int64_t operands,
                       int64_t captured, ...);

// What compiled code calls where the order of elements is that of integers: sorts rows as calliope_jit_sort does. The
// integers are the keys, an array of such rows of elements of key_size bytes. They are in the order of unsigned ones
// after the bits of flip are flipped. The further arguments are the size of an element of each operand, the addresses of
// the keys, the operands and the results, and that of memory of memory_size bytes, for two pairs of a key and a place
// for each element of a row.
void calliope_jit_sort_by_keys(int64_t outer, int64_t n, int64_t inner, int64_t key_size, uint64_t flip,
                               int64_t memory_size, int64_t operands, ...);

// Their addresses. cgo does not know functions with further arguments.
extern void *const calliope_jit_sort_address, *const calliope_jit_sort_by_keys_address;

#endif
