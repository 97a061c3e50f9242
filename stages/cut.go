package stages

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/run/hostcall/reader"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A CutError reports an operation of a module that cannot be cut, or that stages cannot have.
type CutError struct {
	Operation string // its name
	Location  string // in the module, "" if it has none
	Err       error  // why
}

func (e *CutError) Error() string {
	at := e.Operation
	if e.Location != "" {
		at += " at " + e.Location
	}
	return fmt.Sprintf("stages: %s: %v", at, e.Err)
}

func (e *CutError) Unwrap() error { return e.Err }

func cutError(op mlir.Operation, format string, args ...any) error {
	e := &CutError{Operation: op.Name(), Err: fmt.Errorf(format, args...)}
	if p := op.Location().Position(); !p.IsZero() {
		e.Location = p.String()
	}
	return e
}

// given returns an error for a module that is nil.
func given(m *mlir.Module) error {
	if m == nil {
		return errors.New("stages: the module is nil: check the error that was returned with it")
	}
	return nil
}

// dropDevices removes what says which device makes a call: here all calls are of one.
func dropDevices(m *mlir.Module) error {
	for _, op := range slices.Collect(m.Operation().Index().Named("stablehlo.custom_call")) {
		if c, _ := stablehlo.AsCustomCall(op); c.Target == callop.Device {
			if err := op.Erase(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Cut cuts a module at its callbacks. It does not change the module. The error is a *CutError for
// what cannot be cut.
func Cut(m *mlir.Module, o Options) (*Plan, error) {
	if err := cmp.Or(given(m), o.check()); err != nil {
		return nil, err
	}
	whole := m.Clone()
	defer whole.Close()
	if err := cmp.Or(dropDevices(whole), refuse(whole)); err != nil {
		return nil, err
	}
	replicas, err := o.replicas(whole)
	if err != nil {
		return nil, err
	}
	if o.Prepare.RuntimeTokens {
		if _, err := passes.AddRuntimeTokens(whole); err != nil {
			return nil, err
		}
	}
	o.warnForce(whole)
	c := &cutter{
		module: whole, plan: &Plan{devices: o.devices(), replicas: replicas},
		stats:      callbacks.Stats(),
		boundaries: map[mlir.Operation]*Callback{}, holds: map[mlir.Operation]bool{},
		called: map[mlir.Operation][]string{},
	}
	if err := dropUnused(whole); err != nil {
		return nil, err
	}
	if err := c.lowerAll(o); err != nil {
		return nil, err
	}
	if err := o.inline(whole); err != nil {
		return nil, err
	}
	if err := dropUnused(whole); err != nil {
		return nil, err
	}
	main, err := c.find(o)
	if err == nil {
		err = c.numberReplicas(main)
	}
	if err != nil {
		return nil, err
	}
	if c.plan.tokens, err = runtimeTokens(whole, main); err != nil {
		return nil, err
	}
	if err := c.replaceTokens(main.Parent()); err != nil {
		return nil, err
	}
	if c.plan.main, err = c.body(main, nil); err == nil {
		err = c.plan.place(o.Place)
	}
	if err != nil {
		return nil, errors.Join(err, c.plan.Close())
	}
	c.plan.signature()
	c.plan.compileWith(o)
	return c.plan, nil
}

// dropUnused removes the functions that main does not call: they do not run.
func dropUnused(m *mlir.Module) error {
	order, _ := function.Defined(m)
	for _, f := range order {
		if name, _ := f.Symbol(); name != "main" {
			f.SetVisibility(mlir.Private)
		}
	}
	if err := passes.RunGuarded(m, "builtin.module(symbol-dce)"); err != nil {
		return fmt.Errorf("stages: %w", err)
	}
	return nil
}

// refuse returns an error for modules that stages cannot run.
func refuse(m *mlir.Module) error {
	if n := callop.Partitions(m); n > 1 {
		return fmt.Errorf("stages: the module is partitioned over %d devices, and the compiler that divides its arrays must have it whole: only modules of one partition are cut", n)
	}
	return nil
}

// A cutter cuts one module.
type cutter struct {
	module *mlir.Module
	plan   *Plan
	stats  []callbacks.Stat
	// boundaries are the callbacks that are cut, and holds the operations that contain some.
	boundaries map[mlir.Operation]*Callback
	holds      map[mlir.Operation]bool
	called     map[mlir.Operation][]string // by boundary: the callbacks that are it or in it
	before     []string                    // the callbacks that are called before the block that is cut
	indexes    map[*Callback]int
}

// find returns the block of main. It records the callbacks, which are in main after inlining, and refuses those that
// cannot be cut.
func (c *cutter) find(o Options) (mlir.Block, error) {
	_, functions := function.Defined(c.module)
	main, ok := functions["main"]
	if !ok {
		return mlir.Block{}, errors.New("stages: the module has no function main")
	}
	if main.Region(0).NumBlocks() != 1 {
		return mlir.Block{}, cutError(main, "it has several blocks, and only structured control flow is cut")
	}
	c.indexes = map[*Callback]int{}
	sites, err := o.sites(c.module)
	if err != nil {
		return mlir.Block{}, err
	}
	for _, s := range sites {
		callback, err := c.callback(&s, o)
		if err != nil {
			return mlir.Block{}, err
		}
		c.indexes[callback] = len(c.plan.callbacks)
		c.plan.callbacks = append(c.plan.callbacks, callback)
		if callback.Decision != Boundary {
			continue
		}
		if err := c.checkPolicy(s.Op, callback); err != nil {
			return mlir.Block{}, err
		}
		if err := s.SetLayouts(); err != nil {
			return mlir.Block{}, cutError(s.Op, "%w", err)
		}
		c.boundaries[s.Op] = callback
		c.called[s.Op] = []string{callback.Name}
		for around := s.Op.Parent(); around != main; around = around.Parent() {
			switch around.Name() {
			case "stablehlo.if", "stablehlo.case", "stablehlo.while":
				c.holds[around] = true
				c.called[around] = append(c.called[around], callback.Name)
				if callback.Inside == "" {
					callback.Inside = around.Name()[len("stablehlo."):]
				}
			case "func.func":
				return mlir.Block{}, cutError(s.Op, "the callback %q is in the function %s, which main does not call itself: an operation names it", callback.Name, symbolOf(around))
			default:
				return mlir.Block{},
					cutError(s.Op, "the callback %q is in a %s, which cannot be cut: move the callback out of it",
						callback.Name, around.Name())
			}
		}
	}
	return main.Region(0).First(), nil
}

// callback returns the description of a callback, with what becomes of it.
func (c *cutter) callback(s *reader.Site, o Options) (*Callback, error) {
	cb, err := callbackOf(s)
	if err == nil {
		cb.Decision, cb.Reason = c.decide(cb, o)
	}
	return cb, err
}

// signature sets the inputs and outputs of the plan.
func (p *Plan) signature() {
	n := p.main.args
	if p.numbered {
		n--
	}
	p.inputs = without(p.tokens, p.main.shapes[:n])
	for _, v := range without(p.tokens, p.main.results) {
		p.outputs = append(p.outputs, p.main.shapes[v])
	}
}

func symbolOf(f mlir.Operation) string {
	name, _ := f.Symbol()
	return name
}

// shapeOf returns the shape of a value that crosses.
func shapeOf(v mlir.Value) (tensor.Shape, error) {
	s, err := stablehlo.ShapeOf(v.Type())
	if err == nil && s.IsOpen() {
		err = fmt.Errorf("its dimensions are not known: %s", v.Type())
	}
	if err == nil {
		return s, nil
	}
	op := v.Owner()
	if v.IsArgument() {
		op = v.Block().Parent()
	}
	return s, cutError(op, "a value of type %s would cross between stages: %v", v.Type(), err)
}
