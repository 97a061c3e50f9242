package capi

import "C"

import "unsafe"

//export calliopeHostCall
func calliopeHostCall(slot C.int, argument unsafe.Pointer) {
	hosts.Lock()
	f := hosts.functions[slot]
	hosts.Unlock()
	if f != nil {
		f(argument)
	}
}
