package lapack

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/fortran"
	"github.com/calliope-mlir/calliope/tensor"
)

// A call is one call of a target.
type call struct {
	target  string
	routine fortran.Routine
	frame   *callbacks.Frame
	batch   []int // the leading dimensions
	n       int   // number of matrices
	least   int   // elements that a workspace must have, whatever LAPACK asks for
	err     error // the first one
}

// serve makes a call.
func (r *routine) serve(v variant, address fortran.Routine, f *callbacks.Frame) error {
	c := &call{target: v.target(), routine: address, frame: f}
	if len(f.Args) != r.operands || len(f.Results) != r.results {
		return c.errorf("the call has %d operands and %d results, and must have %d and %d", len(f.Args), len(f.Results),
			r.operands, r.results)
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

// all returns an argument that is each item in turn.
func (a array[T]) all() fortran.Arg { return a.from(0) }

// from is all without the first items.
func (a array[T]) from(i int) fortran.Arg {
	var element T
	return fortran.Arg{Address: address(a.data[i*a.step:]), Step: a.step * int(unsafe.Sizeof(element))}
}

// rest is all without the first element of each item.
func (a array[T]) rest() fortran.Arg {
	arg := a.all()
	if len(a.data) > 0 {
		arg.Address = address(a.data[1:])
	}
	return arg
}

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

// to returns an argument that is the same in all calls.
func to[T any](value *T) fortran.Arg { return fortran.Arg{Address: unsafe.Pointer(value)} }

// integer returns an argument that LAPACK only reads.
func integer(n int) fortran.Arg {
	value := int32(n)
	return to(&value)
}

// leading returns a leading dimension, which LAPACK needs to be 1 at least.
func leading(rows int) fortran.Arg { return integer(max(1, rows)) }

// char returns an argument that LAPACK only reads.
func char(b byte) fortran.Arg { return to(&b) }

// memory returns memory of n elements, 1 at least.
func memory[T any](n int) fortran.Arg { return to(unsafe.SliceData(make([]T, max(1, n)))) }

// workspace returns the workspace that a routine asks for, and its size. run calls the routine
// with the size -1: it then only stores the best size in the workspace.
func workspace[T scalar](c *call, run func(work, length fortran.Arg)) (work, length fortran.Arg) {
	best := new(T)
	run(to(best), integer(-1))
	n := size(*best)
	if n < 0 || n > math.MaxInt32 { // negative: LAPACK's own arithmetic has 32 bits
		c.fail("operand 0 is %s, whose workspace is too large for a LAPACK with 32-bit integers", c.frame.Args[0].Shape)
		return fortran.Arg{}, fortran.Arg{}
	}
	n = max(n, c.least, 1)
	return memory[T](n), integer(n)
}

// each calls a routine for each matrix, with a workspace. run calls it a number of times,
// from the first matrix on.
func each[T scalar](c *call, run func(times int, work, length fortran.Arg)) error {
	if c.err != nil || c.n == 0 {
		return c.err
	}
	work, length := workspace[T](c, func(work, length fortran.Arg) { run(1, work, length) })
	if c.err == nil {
		run(c.n, work, length)
	}
	return c.err
}
