package main

// #include <stdlib.h>
// #include "plugin.h"
import "C"

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
)

// A memory is memory of C that callers are given. It is of one value, and freed with it.
type memory struct{ list []unsafe.Pointer }

// bytes returns n bytes of C, at least one.
func (m *memory) bytes(n int) unsafe.Pointer {
	p := C.calloc(1, C.size_t(max(n, 1)))
	m.list = append(m.list, p)
	return p
}

// string returns a copy of a text.
func (m *memory) string(s string) (text abi.Ptr[byte], size int) { return copied(m, []byte(s)), len(s) }

// copied returns a copy of a list.
func copied[T any](m *memory, list []T) abi.Ptr[T] {
	var one T
	p := (*T)(m.bytes(len(list) * int(unsafe.Sizeof(one))))
	copy(unsafe.Slice(p, len(list)), list)
	return abi.To(p)
}

// strings returns copies of texts, and of their sizes.
func (m *memory) strings(list []string) (texts abi.Ptr[abi.Ptr[byte]], sizes abi.Ptr[int]) {
	var all []abi.Ptr[byte]
	var lengths []int
	for _, s := range list {
		text, size := m.string(s)
		all, lengths = append(all, text), append(lengths, size)
	}
	return copied(m, all), copied(m, lengths)
}

func (m *memory) free() {
	for _, p := range m.list {
		C.free(p)
	}
	m.list = nil
}

// give returns a copy of data that the caller frees by deleter.
func give(data []byte) abi.Ptr[byte] {
	p := C.malloc(C.size_t(max(len(data), 1)))
	copy(unsafe.Slice((*byte)(p), len(data)), data)
	return abi.To((*byte)(p))
}

// deleter is a function of C that frees what give returned.
var deleter = uintptr(C.calliope_deleter())
