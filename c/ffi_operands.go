package c

/*
#include "ffi_handler.h"
*/
import "C"

import "unsafe"

// Between is the same call with the operands from first up to end only, for calls
// whose outer operands are not data. It is valid as long as the call itself.
func (c *Call) Between(first, end int) *Call {
	frame, call := *c.frame, *c
	args := &frame.args
	args.kinds = (*C.int32_t)(unsafe.Add(unsafe.Pointer(args.kinds), first*4))
	args.items = (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(args.items), first*8))
	args.size = C.int64_t(end - first)
	call.frame = &frame
	call.api = nil // XLA does not know this frame: see Defer
	return &call
}
