// Package npz reads and writes NumPy's array files: .npy (one array, format versions 1.0 to
// 3.0) and .npz (a zip archive of them).
//
// Element types that NumPy lacks are stored as integers of the same width: bfloat16 as
// uint16 bits, 8-bit floating point as uint8 bits, integers of 2 and 4 bits as int8 or
// uint8 values. An entry "dtypes" of a .npz file (JSON as bytes, array name to type name)
// may name the real types. Without it the reader's own expectation decides (see Array.As).
//
// The package exists because the Go libraries for these files do not read float16, format
// 3.0 or more than two dimensions, and panic on some damaged headers.
package npz
