package dl

// #include "dl.h"
import "C"

// CanTrim reports whether the C library can return memory that it keeps to the system: glibc can.
const CanTrim = C.kCanTrim != 0

// Trim returns memory that the C library keeps to the system.
func Trim() { C.calliope_trim() }
