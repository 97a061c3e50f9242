//go:build !amd64 && !arm64

package callers

import "runtime"

// Addresses writes the addresses that the function which calls it, that function's caller, and
// so on return to, innermost first, and leaves the rest of the slice.
func Addresses(addresses []uintptr) { runtime.Callers(3, addresses) }
