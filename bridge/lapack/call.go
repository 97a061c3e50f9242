package lapack

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/fortran"
	"github.com/calliope-mlir/calliope/tensor"
)

// A call is one call of a target.
type call struct {
	target  string
	routine fortran.Routine
	frame   *callbacks.Frame
	batch   []int // the leading dimensions
	n       int   // number of matrices
	err     error // the first one
}

// serve makes a call.
func (r *routine) serve(v variant, address fortran.Routine, f *callbacks.Frame) error {
	c := &call{target: v.target(), routine: address, frame: f}
	if len(f.Args) != r.operands || len(f.Results) != r.results {
		return c.errorf("the call has %d operands and %d results, and must have %d and %d", len(f.Args), len(f.Results), r.operands, r.results)
	}
	// A recorded call that is replayed was not checked by a compile.
	if err := r.check(f.Attributes); err != nil {
		return c.errorf("%w", err)
	}
	return v.run(c)
}

func (c *call) errorf(format string, args ...any) error {
	return fmt.Errorf("lapack: "+c.target+": "+format, args...)
}

// fail keeps the first error.
func (c *call) fail(format string, args ...any) {
	if c.err == nil {
		c.err = c.errorf(format, args...)
	}
}

// matrix returns the last two dimensions of an operand. The others are those of the batch.
func (c *call) matrix(i int) (rows, columns int) {
	dims := c.frame.Args[i].Shape.Dims
	n := len(dims) - 2
	if n < 0 {
		c.fail("operand %d is %s, and must be a matrix or a batch of them", i, c.frame.Args[i].Shape)
		return 0, 0
	}
	c.batch, c.n = dims[:n], 1
	for _, d := range c.batch {
		c.n *= d
	}
	rows, columns = dims[n], dims[n+1]
	if max(rows, columns) > math.MaxInt32 {
		c.fail("operand %d is %s, which is too large for a LAPACK with 32-bit integers", i, c.frame.Args[i].Shape)
	}
	return rows, columns
}

// square is matrix for an operand with as many rows as columns.
func (c *call) square(i int) int {
	rows, columns := c.matrix(i)
	if rows != columns {
		c.fail("operand %d is %s, and must be square", i, c.frame.Args[i].Shape)
	}
	return rows
}

// quadratic fails for matrices that need a workspace of n² elements, times a small number,
// whose size has more than 32 bits.
func (c *call) quadratic(n int) {
	if n > 20_000 { // LAPACK's formulas have 5 n² at most
		c.fail("operand 0 is %s, which is too large for a LAPACK with 32-bit integers", c.frame.Args[0].Shape)
	}
}

// last returns the last dimension of an operand, 0 if it is a scalar.
func (c *call) last(i int) int {
	if dims := c.frame.Args[i].Shape.Dims; len(dims) > 0 {
		return dims[len(dims)-1]
	}
	return 0
}

// An array is an operand or result: one item for each matrix of the batch.
type array[T tensor.Element] struct {
	data []T
	step int // elements of an item
}

// item returns the elements of an item.
func (a array[T]) item(i int) []T { return a.data[i*a.step:][:a.step] }

// at returns the address of an item.
func (a array[T]) at(i int) unsafe.Pointer { return address(a.item(i)) }

// fill sets each element of an item.
func (a array[T]) fill(i int, value T) {
	item := a.item(i)
	for k := range item {
		item[k] = value
	}
}

// operand returns an operand whose items have these dimensions.
func operand[T tensor.Element](c *call, i int, dims ...int) array[T] {
	return arrayOf[T](c, "operand", i, c.frame.Args[i], dims)
}

// result returns a result whose items have these dimensions.
func result[T tensor.Element](c *call, i int, dims ...int) array[T] {
	return arrayOf[T](c, "result", i, c.frame.Results[i], dims)
}

// inPlace returns a result that has the elements of an operand. XLA may have given them one
// memory.
func inPlace[T tensor.Element](c *call, i int, from array[T], dims ...int) array[T] {
	to := result[T](c, i, dims...)
	if c.err == nil && unsafe.SliceData(to.data) != unsafe.SliceData(from.data) {
		copy(to.data, from.data)
	}
	return to
}

func arrayOf[T tensor.Element](c *call, what string, i int, v tensor.View, dims []int) array[T] {
	if c.err != nil {
		return array[T]{}
	}
	want := tensor.ShapeOf(tensor.DTypeOf[T](), slices.Concat(c.batch, dims)...)
	if v.Shape.DType != want.DType || !slices.Equal(v.Shape.Dims, want.Dims) {
		c.fail("%s %d is %s, and must be %s, to fit the other operands", what, i, v.Shape, want)
		return array[T]{}
	}
	data, err := tensor.Slice[T](v)
	if err != nil {
		c.fail("%s %d: %w", what, i, err)
		return array[T]{}
	}
	step := 1
	for _, d := range dims {
		step *= d
	}
	return array[T]{data, step}
}

// address returns the address of the first element.
func address[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// integer returns the address of a number, for an argument that LAPACK only reads.
func integer(n int) unsafe.Pointer {
	value := int32(n)
	return unsafe.Pointer(&value)
}

// leading returns the address of a leading dimension, which LAPACK needs to be 1 at least.
func leading(rows int) unsafe.Pointer { return integer(max(1, rows)) }

// char returns the address of a character, for an argument that LAPACK only reads.
func char(b byte) unsafe.Pointer { return unsafe.Pointer(&b) }

// memory returns the address of n elements, 1 at least.
func memory[T any](n int) unsafe.Pointer { return address(make([]T, max(1, n))) }

// workspace returns the workspace that a routine asks for, and the address of its size. run
// calls the routine with the length -1: it then only stores the best size in the workspace.
func workspace[T scalar](c *call, run func(work, length unsafe.Pointer)) (work, length unsafe.Pointer) {
	best := new(T)
	run(unsafe.Pointer(best), integer(-1))
	n := max(1, size(*best))
	if n > math.MaxInt32 {
		c.fail("operand 0 is %s, which needs a workspace of %d elements, too many for a LAPACK with 32-bit integers", c.frame.Args[0].Shape, n)
		return nil, nil
	}
	return memory[T](n), integer(n)
}

// each calls a routine for each matrix, with a workspace. run makes the call for matrix i.
func each[T scalar](c *call, run func(i int, work, length unsafe.Pointer)) error {
	if c.err != nil || c.n == 0 {
		return c.err
	}
	work, length := workspace[T](c, func(work, length unsafe.Pointer) { run(0, work, length) })
	if c.err != nil {
		return c.err
	}
	for i := range c.n {
		run(i, work, length)
	}
	return nil
}
