package programs

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
)

// An elem is the type of an element.
type elem uint8

const (
	s32 elem = iota
	s64
	u8
	f32 // whose values are whole numbers, so that they are exact in any order of operations
	f64
	pred
)

func (e elem) isFloat() bool { return e == f32 || e == f64 }

// A shape is that of an array with 0, 1 or 2 dimensions.
type shape struct{ rank, rows, columns int }

var (
	scalar = shape{}
	vector = shape{1, 4, 1}
	half   = shape{1, 2, 1} // a device's part of a vector
	matrix = shape{2, 2, 2}
	empty  = shape{1, 0, 1}
)

func (s shape) dims() []int { return []int{s.rows, s.columns}[:s.rank] }

func (s shape) size() int {
	if s.rank == 0 {
		return 1
	}
	return s.rows * s.columns
}

// A kind is the type of an array.
type kind struct {
	elem  elem
	shape shape
}

// A variable is a value of a program. It is set once, or once in each iteration.
type variable struct {
	number int
	kind   kind
	same   bool // on all devices
}

// An operation is what a compute step does.
type operation string

// A step is one of the following. Steps may use the variables of the blocks around them.
type (
	step any

	compute struct {
		out     *variable
		op      operation
		args    []*variable
		literal []int64 // of a constant, and the exponent of a power
	}

	// A call calls Go, if cond is nil or true.
	call struct {
		site      int
		form      form
		name      string // of the function
		effect    string
		policy    contract.Policy
		device    int  // with the policies once and gather
		whole     bool // the arrays are whole ones, of all devices of a mesh
		optional  bool
		cond      *variable
		args, out []*variable
		tapped    bool // a tap was inserted after it
	}

	branch struct {
		isCase bool
		on     *variable // a pred, or an s32 for a case
		blocks []*block
		out    []*variable
	}

	// A loop runs its body while the condition holds, or until the counter is at the limit if there is no condition.
	loop struct {
		counter, limit *variable
		init, state    []*variable
		cond           *block
		body           *block
		out            []*variable
	}

	invoke struct {
		function  *function
		args, out []*variable
	}

	// A manual runs its body on each device of a mesh, on parts of the arguments.
	manual struct {
		args, params []*variable
		split        []bool // of each argument
		body         *block
		joined       []bool // the results that are parts
		out          []*variable
	}
)

// A form is what a call returns.
type form uint8

const (
	tap     form = iota // nothing
	through             // its arguments, perhaps changed
	answers             // new values
	pure                // new values that only depend on the arguments
)

// A block is a list of steps, and the variables that it yields.
type block struct {
	steps   []step
	results []*variable
}

type function struct {
	name   string
	params []*variable
	body   *block
}

// A program is a list of functions, of which each calls earlier ones. The last is main.
type program struct {
	seed      uint64
	functions []*function
	profile   profile
	donated   []bool // parameters of main
	aliased   []int  // the result that gets the memory of each parameter of main, or -1
	sites     int
	variables int

	overlap, tokens bool // options of the builder
}

func (p *program) main() *function { return p.functions[len(p.functions)-1] }

// A profile says what a program may have, because not every way can run everything.
type profile struct {
	devices int  // that run it; 0 is one
	once    bool // calls of one device, so that all devices take the same branches
	mesh    bool // the devices share the arrays
	old     bool // what older programs had: one effect, no forms but taps and answers
}

// each calls f for the steps of a block and of those in it.
func (b *block) each(f func(step)) {
	for _, s := range b.steps {
		f(s)
		for _, inner := range inner(s) {
			inner.each(f)
		}
	}
}

func inner(s step) []*block {
	switch s := s.(type) {
	case *branch:
		return s.blocks
	case *loop:
		return slices.DeleteFunc([]*block{s.cond, s.body}, func(b *block) bool { return b == nil })
	case *manual:
		return []*block{s.body}
	}
	return nil
}

// calls returns the calls of a program, in the order of its text.
func (p *program) calls() (list []*call) {
	for _, f := range p.functions {
		f.body.each(func(s step) {
			if c, ok := s.(*call); ok {
				list = append(list, c)
			}
		})
	}
	return list
}
