package stages

import (
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Plan is a module that is cut into stages. Close ends it. It is not safe for concurrent use,
// because its stages are modules of the context of the module that was cut.
type Plan struct {
	devices   []Device
	inputs    []tensor.Shape
	outputs   []tensor.Shape
	tokens    tokens
	main      *body
	stages    []*Stage
	callbacks []*Callback // in the order of the text
	replicas  int
	closed    bool
	options   engine.CompileOptions // of the stages; see compileWith
	prepare   passes.PrepareOptions // see Options.Prepare
	fallback  engine.Fallback       // see Options
	numbered  bool                  // main has the number of the replica as its last argument, which is no input
}

// Close releases the modules of the stages. Programs that were compiled stay.
func (p *Plan) Close() error {
	p.given("Close")
	p.closed = true
	for _, s := range p.stages {
		if s.module != nil {
			_ = s.module.Close()
		}
	}
	return nil
}

func (p *Plan) open(method string) error {
	if p.closed {
		return fmt.Errorf("stages: %s: the plan is %w", method, ErrClosed)
	}
	return nil
}

// A Stage is a part of the module without callbacks that are cut.
type Stage struct {
	Name       string // such as "stage 3"
	Operations int    // without constants
	Inputs     []tensor.Shape
	Outputs    []tensor.Shape
	After      []string // the callbacks that are called before it
	Device     int      // that runs it, as an index of Options.Devices

	number int
	module *mlir.Module
	donate []bool // by input: nothing needs the value afterwards

	replicas int // that execute it together; 0 if each does so by itself
}

// A Callback is a callback of the module, with what became of it.
type Callback struct {
	Name     string // or "id N"
	Config   contract.Config
	Decision Decision // Inline, Boundary or Lower
	Reason   string   // of the decision
	Loc      string   // source location in the module
	Inside   string   // the control flow around it, such as "while", "" for none
	// Args and Results are the data, without ids and tokens. They cross if the decision is
	// Boundary.
	Args, Results []tensor.Shape

	pure       bool                 // operations may take its place
	foreign    bool                 // the call is of a ForeignTarget, or of JAX
	attributes callbacks.Attributes // of a foreign call
	before     int                  // operands before Args
	returned   int                  // results before Results
	inPlace    []int                // by result: the argument that shares its memory, or -1
}

// Bytes returns how many bytes go to the callback and come back in one call.
func (c *Callback) Bytes() (in, out int) {
	for _, s := range c.Args {
		in += s.NumBytes()
	}
	if c.Config.Form != contract.Observe {
		for _, s := range c.Results {
			out += s.NumBytes()
		}
	}
	return in, out
}

// A body is a block that is cut. Its values have numbers: first those of outside that it
// captures, then its arguments, then what its steps compute.
type body struct {
	captures int // number of captured values
	args     int
	shapes   []tensor.Shape // of all values
	consts   []constant
	steps    []step
	results  []int // the values that its terminator returns

	// What follows from the above; see link.
	uses    []int   // by value: how often steps and results use it
	waiting [][]int // by value: the steps that wait for it, once for each use
	missing []int   // by step: how many of its uses are of values that other steps compute

	fetch [][]int // by value: the devices whose stages take it; nil if there is one device
}

// A constant is a value of a body that needs no stage.
type constant struct {
	value int
	data  tensor.View
}

// A step computes values of a body from others.
type step interface{ ends() flow }

// A flow is the values that a step needs and those that it computes.
type flow struct{ in, out []int }

func (f flow) ends() flow { return f }

// A stageStep runs a stage.
type stageStep struct {
	flow
	stage *Stage
}

// A callStep makes a call: its data, ids and tokens are in, and its results are out.
type callStep struct {
	flow
	callback *Callback
	index    int            // in Plan.callbacks
	shapes   []tensor.Shape // of the results
}

// A branchStep runs one of its bodies: the first for a true predicate or the index 0.
type branchStep struct {
	flow
	name     string // if or case
	selector int
	bodies   []*body
	captures [][]int // of each body
}

// A loopStep runs its body while its condition holds.
type loopStep struct {
	flow
	init                       []int
	cond, body                 *body
	condCaptures, bodyCaptures []int
}

// link derives what a run needs to know of the steps.
func (b *body) link() {
	b.uses = make([]int, len(b.shapes))
	b.waiting = make([][]int, len(b.shapes))
	b.missing = make([]int, len(b.steps))
	computed := make([]bool, len(b.shapes))
	for _, s := range b.steps {
		for _, v := range s.ends().out {
			computed[v] = true
		}
	}
	for i, s := range b.steps {
		for _, v := range s.ends().in {
			b.uses[v]++
			if computed[v] {
				b.waiting[v] = append(b.waiting[v], i)
				b.missing[i]++
			}
		}
	}
	for _, v := range b.results {
		b.uses[v]++
	}
}

// Stages returns the stages, in the order in which they were cut.
func (p *Plan) Stages() []*Stage {
	p.given("Stages")
	return p.stages
}

// Callbacks returns the callbacks of the module: first those that were lowered, then the others in the order
// of the text, after functions were inlined.
func (p *Plan) Callbacks() []*Callback {
	p.given("Callbacks")
	return p.callbacks
}

// given panics because a method was called on a nil pointer or a zero value.
func (p *Plan) given(method string) {
	if p == nil || p.devices == nil {
		panic(errtext.Receiver("stages: Plan."+method, p == nil, "Cut or Load"))
	}
}

// ErrClosed is the error, for errors.Is, of using an Executable or Plan that is closed, or a buffer that is closed or
// was donated.
var ErrClosed = engine.ErrClosed

func stageName(n int) string { return fmt.Sprintf("stage %d", n) }

// replicaShape is the shape of a replica's number.
var replicaShape = tensor.ShapeOf(tensor.U32)
