package runtime

// #include "product.h"
import "C"

import "unsafe"

// SetProducts sets the subroutines sgemm and dgemm of a BLAS library, whose integers have 32 bits. No code may run that
// computes products.
func SetProducts(single, double unsafe.Pointer) { C.calliope_jit_set_products(single, double) }
