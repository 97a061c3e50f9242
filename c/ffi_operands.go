package c

/*
#include "ffi_handler.h"
*/
import "C"

import "unsafe"

// Narrow leaves of the call's operands those from first up to end, for calls whose outer
// operands are not data, until the function that it returns is called: the frame is
// XLA's, for this call alone.
func (c *Call) Narrow(first, end int) (restore func()) {
	args := &c.frame.args
	was := *args
	args.kinds = (*C.int32_t)(unsafe.Add(unsafe.Pointer(args.kinds), first*4))
	args.items = (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(args.items), first*8))
	args.size = C.int64_t(end - first)
	return func() { *args = was }
}
