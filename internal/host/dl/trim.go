package dl

// #include "dl.h"
import "C"

// CanTrim reports whether the C library can return memory that it keeps to the system: glibc can.
const CanTrim = C.kCanTrim != 0

// Trim returns memory that the C library keeps to the system.
func Trim() { C.calliope_trim() }

// Allocated returns the bytes that the process has allocated by malloc and has not freed, or 0 if the C library does
// not count them: glibc does since 2.33.
func Allocated() int64 { return int64(C.calliope_allocated()) }
