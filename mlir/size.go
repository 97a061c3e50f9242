package mlir

// A Size is a size, offset or stride of an operation: a number, or a value that the module
// computes. The zero Size is the number 0.
type Size struct {
	n     int64
	value Value
}

// Fixed returns the Size n.
func Fixed(n int64) Size { return Size{n: n} }

// Computed returns the Size that is the value v, of type index.
func Computed(v Value) Size { return Size{Dynamic, v} }

// FixedSizes returns the Size of each number.
func FixedSizes(n ...int64) []Size {
	list := make([]Size, len(n))
	for i := range n {
		list[i].n = n[i]
	}
	return list
}

// Number returns the number. It is Dynamic if s is a value.
func (s Size) Number() int64 { return s.n }

// Value returns the value, or nil if s is a number.
func (s Size) Value() Value { return s.value }
