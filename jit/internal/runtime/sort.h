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

// Its address. cgo does not know functions with further arguments.
extern void* const calliope_jit_sort_address;

#endif
