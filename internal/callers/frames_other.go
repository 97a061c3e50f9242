//go:build !amd64 && !arm64

package callers

import "runtime"

// Addresses are the addresses that the function which calls it, that function's caller, and
// so on return to, innermost first.
func Addresses(addresses *[Depth]uintptr) { runtime.Callers(3, addresses[:]) }
