// Package cached copies memory that is read again soon.
package cached

const (
	// piece is less than 1 MiB. From that size on, Go's copy writes past the caches on
	// amd64 (runtime/memmove_amd64.s), so the next reader of the copy waits for main
	// memory: a copy of a copy of 1 MiB takes 47 us in pieces and 73 to 112 us in one.
	piece = 512 << 10

	// most is a size that does not fit into caches anyway. Writing past them is faster
	// then.
	most = 8 << 20
)

// Copy is like the built-in copy but leaves the copy in the caches if it fits. The slices
// must not overlap.
func Copy(to, from []byte) int {
	n := min(len(to), len(from))
	if n > most {
		return copy(to, from)
	}
	for done := 0; done < n; done += piece {
		copy(to[done:n], from[done:min(n, done+piece)])
	}
	return n
}
