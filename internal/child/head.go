package child

// A Head is a writer that keeps the first 16 KiB, for what a child prints. It is not safe for
// concurrent use: read it when the child has ended.
type Head struct{ kept []byte }

// Write keeps what there is room for. It never fails.
func (h *Head) Write(b []byte) (int, error) {
	const enough = 16 << 10
	h.kept = append(h.kept, b[:min(len(b), enough-len(h.kept))]...)
	return len(b), nil
}

// String returns what was kept.
func (h *Head) String() string { return string(h.kept) }
