package passes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ApplyPolicies makes the custom calls with side effects of a module run on the devices that
// their device policies state (contract.PerDevice, contract.Once, contract.Gather), where several
// devices run the module. It returns the number of calls that it changed.
//
// In a module that a mesh of devices shares (sdy.mesh), XLA compiles such a call only inside of
// an sdy.manual_computation, whose body each device runs by itself. There the policy is PerDevice
// unless the call states Once. ApplyPolicies puts each call that is outside into a manual
// computation of its own, with the policy Gather or Once, which mean the same there: the operands are
// collected on all devices, one device makes the call, and the results are sent to all. So each device holds the whole
// operands and results while the call runs: a mesh of n devices needs n times their size. Foreign calls with side
// effects are treated in the same way, except for JAX's callbacks with a maximal sharding, which XLA itself runs on one
// device, and for those that JAX calls partitioned: each device makes such a call with its parts of the operands, as
// the module divides them, or with the whole of an operand for which the module leaves that to the compiler.
//
// In other modules, replicas may run the program. There Once is the only policy that needs a
// change: the replica makes the call, and the others get the results of a call or keep their own
// operands. The same holds for Once inside of a manual computation.
//
// Tokens keep the order of an effect over all devices: a call of one device begins when the calls
// before it have ended on each device, and those after it wait for its end. Calls of PerDevice are
// ordered on each device.
//
// If a policy cannot hold, ApplyPolicies returns an error for each such call, with its place and
// the reason, and changes nothing. Calls that it has changed before are not changed again.
func ApplyPolicies(m *mlir.Module) (int, error) {
	a, err := newPolicyApplier(m)
	if err != nil {
		return 0, err
	}
	type change struct {
		op     mlir.Operation
		policy contract.Placement
		wrap   bool
	}
	var changes []change
	var errs []error
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		if !callop.HasSideEffect(op) {
			continue
		}
		policy, wrap, err := a.policy(op)
		switch {
		case err != nil:
			errs = append(errs,
				fmt.Errorf("passes: ApplyPolicies: %s: %s: %w", op.Location().Position(), nameOfCall(op), err))
		case policy.Kind == contract.Once || policy.Kind == contract.Gather || wrap:
			changes = append(changes, change{op, policy, wrap})
		}
	}
	if err := errors.Join(errs...); err != nil || len(changes) == 0 {
		return 0, err
	}
	a.readChannels()
	for _, c := range changes {
		if err := a.apply(c.op, c.policy, c.wrap); err != nil {
			return 0, err
		}
	}
	return len(changes), m.Verify()
}

// nameOfCall returns the callback of a custom call, or its target, for errors.
func nameOfCall(op mlir.Operation) string {
	if call, ok := callop.AsCall(op); ok && call.Err == nil {
		return fmt.Sprintf("callback %q", call.Config.Name())
	}
	target, _ := op.Attribute("call_target_name")
	text, _ := target.Text()
	return "custom call @" + text
}

// A policyApplier changes the calls of a module.
type policyApplier struct {
	m          *mlir.Module
	c          *mlir.Context
	partitions int // 1 if no mesh shares the module
	mesh       stablehlo.Mesh
	meshed     bool
	where      func(mlir.Operation) callop.Surrounding // nil with one partition
	channel    int64                                   // the greatest one in the module
}

func newPolicyApplier(m *mlir.Module) (*policyApplier, error) {
	a := &policyApplier{m: m, c: m.Context(), partitions: callop.Partitions(m)}
	a.mesh, a.meshed = callop.MeshOf(m)
	if a.partitions > stablehlo.MaxDevices {
		return nil, fmt.Errorf("passes: ApplyPolicies: the module is for more than %d devices: use a smaller mesh, or a smaller mhlo.num_partitions", stablehlo.MaxDevices)
	}
	if a.meshed && a.mesh.NumDevices() != a.partitions {
		return nil, fmt.Errorf("passes: ApplyPolicies: the mesh %q has %d devices, but mhlo.num_partitions is %d: they must be equal", a.mesh.Name, a.mesh.NumDevices(), a.partitions)
	}
	if a.partitions > 1 {
		a.where = callop.Surroundings(m)
	}
	return a, nil
}

// readChannels finds the greatest channel.
func (a *policyApplier) readChannels() {
	for op := range a.m.Operation().All() {
		if attr, ok := op.Attribute("channel_handle"); ok {
			if handle, ok := stablehlo.AsChannelHandle(attr); ok {
				a.channel = max(a.channel, handle.Handle)
			}
		}
	}
}

// policy returns what to do with a call: Once and Gather need a change, in a manual computation
// of its own if wrap is true.
func (a *policyApplier) policy(op mlir.Operation) (p contract.Placement, wrap bool, err error) {
	config := contract.Config{}
	if call, ok := callop.AsCall(op); ok {
		if call.Err != nil {
			return p, false, call.Err
		}
		config = call.Config
	}
	if p, err = config.Policy.Placement(); err != nil {
		return p, false, err
	}
	if p.Kind == contract.Gather && (config.Optional || config.Every > 1) {
		return p, false,
			errors.New("a call with the policy gather cannot be optional, nor sampled with every: use once")
	}
	if a.partitions == 1 {
		switch {
		case p.Kind == contract.Gather:
			err = errors.New("the policy gather needs a module whose arrays a mesh of devices shares, and this one has no mesh: replicas have arrays of their own: use per_device or once")
		case p.Kind == contract.Once && isGuarded(op):
			p = contract.Placement{}
		}
		return p, false, err
	}
	if p.Device >= a.partitions {
		return p, false, fmt.Errorf("the policy %s names the device %d, but the module has %d devices, from 0",
			config.Policy, p.Device, a.partitions)
	}
	switch at := a.where(op); {
	case at.Inside && at.Outside:
		return p, false, errors.New("its function is called inside and outside of manual computations: write one function for each")
	case at.Inside && isGuarded(op):
		return contract.Placement{}, false, nil
	case at.Inside && p.Kind == contract.Gather:
		return p, false, errors.New("the policy gather is for calls outside of manual computations, where arrays are whole: make the call after the manual computation")
	case at.Inside:
		return p, false, nil
	case !at.Outside, p.Kind == "" && callop.IsPlaced(a.m, op): // never called, or on one device already
		return contract.Placement{}, false, nil
	case p.Kind == contract.PerDevice:
		return p, false, errors.New("the policy per_device is for calls inside of a manual computation, where each device has its part of the arrays: make the call in one")
	case !a.meshed:
		return p, false, fmt.Errorf("the module has %d partitions and no sdy.mesh, so its shardings are XLA's own (mhlo.sharding), and a call with side effects cannot be put into a manual computation: lower the module with Shardy", a.partitions)
	}
	for _, t := range mlir.TypesOf(append(op.OperandValues(), op.ResultValues()...)) {
		if s, shapeErr := stablehlo.ShapeOf(t); shapeErr != nil || s.Check() != nil {
			return p, false, fmt.Errorf("it has the type %s, which cannot enter or leave a manual computation: only arrays with static shapes can", t)
		}
	}
	switch {
	case p.Kind == "" && isPartitioned(op) && op.NumResults() == 0:
		p.Kind = contract.PerDevice
	case p.Kind == "":
		p.Kind = contract.Gather
		if device, ok := callop.Maximal(a.m, op); ok && device < a.partitions {
			p.Device = device
		}
	}
	return p, true, nil
}

// isGuarded reports whether only one device makes the call: whether it is in an if that
// compares the device's number.
func isGuarded(op mlir.Operation) bool {
	parent := op.Parent()
	if parent.IsNil() || parent.Name() != "stablehlo.if" {
		return false
	}
	compare, ok := stablehlo.AsCompare(parent.Operand(0).Owner())
	if !ok || compare.LHS.Owner().IsNil() {
		return false
	}
	name := compare.LHS.Owner().Name()
	return name == "stablehlo.partition_id" || name == "stablehlo.replica_id"
}

// apply replaces a call by one that the devices of the policy make.
func (a *policyApplier) apply(op mlir.Operation, p contract.Placement, wrap bool) error {
	if p.Kind == contract.PerDevice {
		return a.onParts(op)
	}
	g := guard{policyApplier: a, e: emitter{rewrite.Before(op)}, call: op, device: p.Device, share: wrap}
	if call, ok := callop.AsCall(op); ok {
		g.form, g.tokens = call.Config.Form, call.Config.NumTokens
	}
	operands := op.OperandValues()
	var results []mlir.Value
	var err error
	if !wrap {
		results, err = g.build(operands), g.e.Cause()
	} else {
		results, err = a.manual(op, operands, a.whole(operands),
			func(block mlir.Block, inside []mlir.Value) ([]mlir.Value, error) {
				g.e = emitter{rewrite.Emitter{Builder: g.e.At(block)}}
				return g.build(inside), g.e.Cause()
			})
	}
	if err != nil {
		return err
	}
	for i, v := range op.Results() {
		v.ReplaceAllUses(results[i])
	}
	return op.Erase()
}

// manual adds a manual computation before a call that it replaces. parts are those of the operands.
// build makes the body, and returns the results of the call, which all devices have.
func (a *policyApplier) manual(
	op mlir.Operation, operands []mlir.Value, parts []operandPart,
	build func(mlir.Block, []mlir.Value) ([]mlir.Value, error),
) ([]mlir.Value, error) {
	// Shardy refuses a manual computation without operands and results, and XLA drops one whose results, or some whose
	// operands, have no elements. A token has one.
	n, own := op.NumResults(), len(operands)
	kept := !haveElements(operands) && (own > 0 || n == 0) || n > 0 && !haveElements(op.ResultValues())
	if kept {
		first, err := callop.FirstToken(a.c, op.Location())
		if err != nil {
			return nil, err
		}
		operands = append(slices.Clone(operands), op.Block().InsertBefore(op, first).Result(0))
		parts = append(slices.Clone(parts), a.whole(operands[len(operands)-1:])...)
	}
	var types []mlir.Type
	var in []string
	for _, p := range parts {
		types, in = append(types, p.Type), append(in, p.sharding)
	}
	block := a.c.NewBlock(op.Location(), types...)
	inside := block.ArgumentValues()
	results, err := build(block, inside[:own])
	if err != nil {
		return nil, err
	}
	if kept {
		results = append(results, inside[own])
	}
	if _, err := mlir.Create(block,
		mlir.OperationState{Name: "sdy.return", Location: op.Location(), Operands: results}); err != nil {
		return nil, err
	}
	region := a.c.NewRegion()
	region.Append(block)
	resultTypes := make([]mlir.Type, len(results))
	for i, v := range results {
		resultTypes[i] = v.Type()
	}
	state := mlir.OperationState{
		Name: callop.Manual, Location: op.Location(), Operands: operands, Results: resultTypes,
		Regions: []mlir.Region{region},
	}
	axes := make([]string, len(a.mesh.Axes))
	for i, axis := range a.mesh.Axes {
		axes[i] = a.c.StringAttribute(axis.Name).String()
	}
	if state.Attributes, err = callop.ManualAttributes(a.c, in, a.replicated(resultTypes), axes); err != nil {
		return nil, fmt.Errorf("passes: ApplyPolicies: %w", err)
	}
	made, err := mlir.Create(a.c, state)
	if err != nil {
		return nil, err
	}
	return op.Block().InsertBefore(op, made).ResultValues()[:n], nil
}

// haveElements reports whether an array of some has elements.
func haveElements(values []mlir.Value) bool {
	return slices.ContainsFunc(values, func(v mlir.Value) bool {
		dims, ok := v.Type().Dims()
		return !ok || !slices.Contains(dims, 0)
	})
}

// replicated returns shardings of arrays that every device has in full.
func (a *policyApplier) replicated(types []mlir.Type) []string {
	parts := make([]string, len(types))
	for i, t := range types {
		dims, _ := t.Dims()
		empty := make([]string, len(dims))
		for j := range empty {
			empty[j] = "{}"
		}
		parts[i] = "<" + a.c.SymbolAttribute(a.mesh.Name).String() + ", [" + strings.Join(empty, ", ") + "]>"
	}
	return parts
}
