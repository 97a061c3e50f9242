package lapack

import "math"

// A float is a real element type.
type float interface{ float32 | float64 }

// A scalar is an element type that LAPACK has.
type scalar interface {
	float32 | float64 | complex64 | complex128
}

// isComplex reports whether an element type is complex.
func isComplex[T scalar]() bool {
	var zero T
	switch any(zero).(type) {
	case complex64, complex128:
		return true
	}
	return false
}

// nan returns a value that is not a number.
func nan[T scalar]() T {
	n := math.NaN()
	var x T
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(n)
	case *float64:
		*p = n
	case *complex64:
		*p = complex(float32(n), float32(n))
	case *complex128:
		*p = complex(n, n)
	}
	return x
}

// finite reports whether all values are finite.
func finite[T scalar](values []T) bool {
	for _, v := range values {
		if v-v != 0 { // an infinity or NaN less itself is NaN
			return false
		}
	}
	return true
}

// size returns the number of elements that a workspace query stored.
func size[T scalar](stored T) int {
	switch x := any(stored).(type) {
	case float32:
		// A number above 2²⁴ may have been rounded down to a float32.
		return int(math.Nextafter32(x, math.MaxFloat32))
	case float64:
		return int(x)
	case complex64:
		return size(real(x))
	case complex128:
		return size(real(x))
	}
	panic("not reached")
}
