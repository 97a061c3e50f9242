//go:build !amd64 && !arm64

package builder

import "runtime"

func frames(addresses *[depth]uintptr) { runtime.Callers(3, addresses[:]) }
