package movement

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// A program is a function main, with arguments for its parameters, and the functions that it calls.
type program struct {
	number  uint64 // of the run
	main    *block
	inputs  []array
	helpers []*function
	// numbers says that floating-point numbers are whole, and small enough for exact sums. Otherwise they have any
	// bits, and are only moved.
	numbers bool
}

type function struct {
	name string
	*block
}

// A block has steps, one after the other. Those of a loop and of a branch also use values from around them.
type block struct {
	params  []*value
	steps   []*step
	results []*value
}

// A step computes values.
type step struct {
	operation
	args   []*value
	out    []*value
	blocks []*block  // of a loop: the condition and the body; of a branch: those that it chooses from
	callee *function // of a call
}

// An operation is what a step does.
type operation interface {
	// text returns the operation with operands, attributes and type, as StableHLO writes it.
	text(args []string, in []kind, out kind) string
	// element computes an element of the result.
	element(args []array, out kind, at []int) uint64
}

// control is an operation with blocks, or a call.
type control string

const (
	loop   control = "while"
	choice control = "if" // true is the first block
	cases  control = "case"
	call   control = "call"
)

func (c control) text([]string, []kind, kind) string  { panic(string(c)) }
func (c control) element([]array, kind, []int) uint64 { panic(string(c)) }
func (s *step) is(c control) bool                     { return s.operation == operation(c) }
func (b *block) add(s *step)                          { b.steps = append(b.steps, s) }
func (v *value) of(list []*value) bool                { return slices.Contains(list, v) }
func one(o operation, out *value, args ...*value) *step {
	return &step{operation: o, args: args, out: []*value{out}}
}
func kinds(list []*value) (k []kind) {
	for _, v := range list {
		k = append(k, v.kind)
	}
	return k
}

// A value is one of a program.
type value struct{ kind }

// A kind is the element type and the shape of a value.
type kind struct {
	elem tensor.DType
	dims []int
}

func of(elem tensor.DType, dims ...int) kind { return kind{elem, dims} }

func (k kind) String() string { return progen.Type(k.elem.MLIR(), k.dims...) }

func (k kind) equal(other kind) bool { return k.elem == other.elem && slices.Equal(k.dims, other.dims) }

// with returns the kind of another shape.
func (k kind) with(dims ...int) kind { return kind{k.elem, dims} }

func (k kind) size() int {
	n := 1
	for _, d := range k.dims {
		n *= d
	}
	return n
}

func (k kind) isScalar() bool { return len(k.dims) == 0 }

// each calls f with each position, the last dimension first. f must not keep the position.
func (k kind) each(f func(i int, at []int)) {
	at := make([]int, len(k.dims))
	for i := range k.size() {
		f(i, at)
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < k.dims[d] {
				break
			}
			at[d] = 0
		}
	}
}

// index returns the number of the element at a position.
func (k kind) index(at []int) (i int) {
	for d, n := range at {
		i = i*k.dims[d] + n
	}
	return i
}

// clone returns a copy of a program of which nothing is shared but operations and inputs.
func (p *program) clone() *program {
	c := cloner{map[*value]*value{}, map[*function]*function{}}
	copied := *p
	copied.helpers = nil
	for _, f := range p.helpers { // a function follows those that it calls
		c.functions[f] = &function{f.name, c.block(f.block)}
		copied.helpers = append(copied.helpers, c.functions[f])
	}
	copied.main, copied.inputs = c.block(p.main), slices.Clone(p.inputs)
	return &copied
}

type cloner struct {
	values    map[*value]*value
	functions map[*function]*function // nil keeps them
}

func (c cloner) value(v *value) *value {
	if w := c.values[v]; w != nil {
		return w
	}
	return v
}

func (c cloner) all(list []*value) (out []*value) {
	for _, v := range list {
		out = append(out, c.value(v))
	}
	return out
}

func (c cloner) define(list []*value) (out []*value) {
	for _, v := range list {
		c.values[v] = &value{v.kind}
	}
	return c.all(list)
}

func (c cloner) block(b *block) *block {
	out := &block{params: c.define(b.params)}
	for _, s := range b.steps {
		t := &step{operation: s.operation, args: c.all(s.args), callee: s.callee}
		if f := c.functions[s.callee]; f != nil {
			t.callee = f
		}
		for _, in := range s.blocks {
			t.blocks = append(t.blocks, c.block(in))
		}
		t.out = c.define(s.out)
		out.add(t)
	}
	out.results = c.all(b.results)
	return out
}

// walk calls f for each step of a block and of those in it.
func (b *block) walk(f func(*block, *step)) {
	for _, s := range b.steps {
		f(b, s)
		for _, in := range s.blocks {
			in.walk(f)
		}
	}
}

// blocks calls f for main and for each function.
func (p *program) blocks(f func(*block)) {
	for _, h := range p.helpers {
		f(h.block)
	}
	f(p.main)
}
