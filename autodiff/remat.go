package autodiff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A RematPolicy says which values of a checkpoint reverse mode keeps, by the names of JAX. It computes the others
// again. Arguments, results and what calls with side effects return are always kept.
type RematPolicy string

const (
	EverythingSaveable          RematPolicy = "everything_saveable"              // as without a checkpoint
	NothingSaveable             RematPolicy = "nothing_saveable"                 // the default
	DotsSaveable                RematPolicy = "dots_saveable"                    // matrix products and convolutions
	DotsWithNoBatchDimsSaveable RematPolicy = "dots_with_no_batch_dims_saveable" // those without batch dimensions
)

// ValueName is the attribute of an operation whose results have a name for policies of checkpoints, as jax's
// checkpoint_name gives one. builder.RematName sets it.
const ValueName = "calliope.checkpoint_name"

// The policies that keep values by their names.
const (
	onlyNames   = "save_only_these_names:"
	butNames    = "save_any_names_but_these:"
	exceptNames = "save_anything_except_these_names:"
)

// SaveOnlyTheseNames returns the RematPolicy that keeps the values with these names (see ValueName), and no others.
func SaveOnlyTheseNames(names ...string) RematPolicy {
	return RematPolicy(onlyNames + strings.Join(names, ","))
}

// SaveAnyNamesButThese returns the RematPolicy that keeps the values with other names than these, and none without a
// name.
func SaveAnyNamesButThese(names ...string) RematPolicy {
	return RematPolicy(butNames + strings.Join(names, ","))
}

// SaveAnythingExceptTheseNames returns the RematPolicy that keeps all values but those with these names.
func SaveAnythingExceptTheseNames(names ...string) RematPolicy {
	return RematPolicy(exceptNames + strings.Join(names, ","))
}

// RematComposite is the name of a composite that is a checkpoint, with its RematPolicy as the composite attribute
// policy.
const RematComposite = transform.Checkpoint

// Remat makes a func.call a checkpoint. It sets the attribute calliope.checkpoint. "" is NothingSaveable.
func Remat(call mlir.Operation, p RematPolicy) {
	p = cmp.Or(p, NothingSaveable)
	call.SetAttribute(RematComposite, call.Context().StringAttribute(string(p)))
}

// keeps returns what tells of a policy whether the results of an operation are kept. It is nil for a policy that keeps
// all of them.
func (p RematPolicy) keeps() (keep func(op mlir.Operation) bool, known bool) {
	if keep, known = saved[p]; known {
		return keep, true
	}
	kind, list, _ := strings.Cut(string(p), ":")
	names := strings.Split(list, ",")
	named := func(op mlir.Operation) (has, listed bool) {
		a, has := op.Attribute(ValueName)
		if has {
			name, _ := a.Text()
			listed = slices.Contains(names, name)
		}
		return has, listed
	}
	switch kind + ":" {
	case onlyNames:
		keep = func(op mlir.Operation) bool { _, listed := named(op); return listed }
	case butNames:
		keep = func(op mlir.Operation) bool { has, listed := named(op); return has && !listed }
	case exceptNames:
		keep = func(op mlir.Operation) bool { _, listed := named(op); return !listed }
	}
	return keep, keep != nil
}

// saved tells for each policy without names whether the results of an operation are kept.
var saved = map[RematPolicy]func(op mlir.Operation) bool{
	EverythingSaveable: nil,
	NothingSaveable:    func(mlir.Operation) bool { return false },
	DotsSaveable: func(op mlir.Operation) bool {
		return slices.Contains([]string{"stablehlo.dot_general", "stablehlo.dot", "stablehlo.convolution"}, op.Name())
	},
	DotsWithNoBatchDimsSaveable: func(op mlir.Operation) bool {
		o, ok := stablehlo.AsDotGeneral(op)
		return ok && len(o.DotDimensionNumbers.LHSBatchingDimensions) == 0 || op.Name() == "stablehlo.dot"
	},
}

// settings are those of one derivation.
type settings struct {
	maxSteps    int64
	sqrtLoops   bool
	reverse     bool                    // tangents are transposed
	linearize   bool                    // and their transpose is, too
	checkpoints int                     // how many there are
	split       map[mlir.Operation]bool // the loops that expandLoop made
}

// recomputed is the attribute of the operations of a checkpoint while a function is transformed: the number of the
// checkpoint and its policy. The results of a checkpoint inside of another one are those of the outer one.
const recomputed = "calliope.autodiff.recomputed"

// see returns what marks the operations of a call that is a checkpoint or part of one. It returns nil for a composite
// with a rule, which stays.
func (s *settings) see(call mlir.Operation) (func(mlir.Operation), error) {
	if transform.HasRule(call) {
		return nil, nil
	}
	tag, tagged := call.Attribute(recomputed)
	if policy, ok := transform.CheckpointOf(call); ok && !tagged {
		p := NothingSaveable
		if !policy.IsNil() {
			text, _ := policy.Text()
			p = RematPolicy(text)
		}
		keep, known := p.keeps()
		if !known {
			return nil, fmt.Errorf("there is no policy %q of checkpoints", p)
		}
		if keep != nil {
			tag, tagged = s.tag(call.Context(), p), true
		}
	}
	return func(op mlir.Operation) {
		if tagged {
			op.SetAttribute(recomputed, tag)
		}
	}, nil
}

// tag returns the mark of a new checkpoint.
func (s *settings) tag(c *mlir.Context, p RematPolicy) mlir.Attribute {
	s.checkpoints++
	return c.StringAttribute(fmt.Sprintf("%d %s", s.checkpoints, p))
}

// marker returns a function that marks what was created between op and next like op, which may be replaced.
func (f *forward) marker(op, next mlir.Operation) func() {
	if f.checkpoints == 0 {
		return func() {}
	}
	tag, ok := op.Attribute(recomputed)
	if !ok {
		return func() {}
	}
	var start mlir.Operation
	f.At(op, func() { start = f.unused() })
	return func() {
		for made := start.Next(); made != next; made = made.Next() {
			made.SetAttribute(recomputed, tag)
		}
		transform.Check(start.Erase())
	}
}

// unused creates a constant that marks a place.
func (e *emitter) unused() mlir.Operation {
	return transform.Must(mlir.Create(mlir.Before(e.Before), mlir.OperationState{
		Name: "stablehlo.constant", Location: e.Loc, InferResults: true,
		Attributes: []mlir.NamedAttribute{
			{Name: "value", Value: transform.Must(e.Context.ParseAttribute("dense<false> : tensor<i1>"))}},
	}))
}

// recompute is the function recompute for a block and its transpose in another one.
func (b *backward) recompute(from, to mlir.Block) {
	if b.checkpoints > 0 {
		recompute(from, to, mlir.Operation{})
	}
}

// recompute makes the operations of a transpose use copies of what checkpoints do not keep. The operations
// that are transposed are those of from, and the transpose is in to. If that is the same block, it begins after end.
// A barrier keeps compilers from merging the copies with what they are copies of.
func recompute(from, to mlir.Block, end mlir.Operation) {
	r := recomputation{from: from, to: to, number: map[mlir.Operation]string{}, kept: map[mlir.Value]bool{},
		transposed: map[mlir.Operation]bool{}}
	before, after := transform.Operations(from), transform.Operations(to)
	if from == to {
		i := slices.Index(before, end)
		before, after = before[:i], before[i+1:]
	}
	for _, op := range before {
		if tag, ok := op.Attribute(recomputed); ok {
			r.number[op], _ = tag.Text()
		}
	}
	if len(r.number) == 0 {
		return
	}
	for _, op := range append(before, from.Terminator()) {
		r.see(op)
	}
	first, needed := map[string]mlir.Operation{}, map[string][]mlir.Value{}
	var order []string
	for _, op := range after {
		r.transposed[op] = true
		for inner := range op.All() {
			for _, v := range inner.Operands() {
				tag := r.lost(v)
				if tag == "" || slices.Contains(needed[tag], v) {
					continue
				}
				if first[tag].IsNil() {
					first[tag], order = op, append(order, tag)
				}
				needed[tag] = append(needed[tag], v)
			}
		}
	}
	for _, tag := range order {
		r.copy(tag, before, first[tag], needed[tag])
	}
}

// recomputation is the state of recompute.
type recomputation struct {
	from, to   mlir.Block
	number     map[mlir.Operation]string // the tags of the operations that are transposed
	kept       map[mlir.Value]bool       // the results of checkpoints
	transposed map[mlir.Operation]bool   // the operations of the transpose
}

// see finds the values that an operation uses of checkpoints that it is not in, and its own that are kept.
func (r *recomputation) see(op mlir.Operation) {
	for inner := range op.All() {
		for _, v := range inner.Operands() {
			if v.IsResult() && r.number[v.Owner()] != r.number[op] {
				r.kept[v] = true
			}
		}
	}
	tag, ok := r.number[op]
	if !ok {
		return
	}
	_, policy, _ := strings.Cut(tag, " ")
	if keep, _ := RematPolicy(policy).keeps(); keep(op) || !transform.IsPure(op) {
		for _, v := range op.Results() {
			r.kept[v] = true
		}
	}
}

// lost returns the tag of the checkpoint that computes a value and does not keep it, or "".
func (r *recomputation) lost(v mlir.Value) string {
	if !v.IsResult() || r.kept[v] {
		return ""
	}
	return r.number[v.Owner()]
}

// copy copies the operations of a checkpoint that values need before the first operation that needs one.
func (r *recomputation) copy(tag string, before []mlir.Operation, first mlir.Operation, values []mlir.Value) {
	need := map[mlir.Value]bool{}
	for _, v := range values {
		need[v] = true
	}
	var list []mlir.Operation
	var inputs []mlir.Value
	for i := len(before) - 1; i >= 0; i-- {
		op := before[i]
		if r.number[op] != tag || !slices.ContainsFunc(op.ResultValues(), func(v mlir.Value) bool { return need[v] }) {
			continue
		}
		list = append(list, op)
		for inner := range op.All() {
			for _, v := range inner.Operands() {
				switch {
				case r.lost(v) == tag:
					need[v] = true
				case transform.Home(v) == r.from && !isConstant(v) && !slices.Contains(inputs, v):
					inputs = append(inputs, v)
				}
			}
		}
	}
	slices.Reverse(list)
	e := newEmitter(first, first.Location())
	n := len(inputs)
	for _, v := range first.Operands() { // to make the copies wait for what comes back
		if transform.Home(v) == r.to && (v.IsArgument() && r.from != r.to || v.IsResult() && r.transposed[v.Owner()]) &&
			!isConstant(v) &&
			!slices.Contains(inputs, v) {
			inputs = append(inputs, v)
		}
	}
	var m mlir.Mapping
	if len(inputs) > 0 {
		barrier := e.Op(stablehlo.OptimizationBarrierOp{Operand: inputs})
		r.transposed[barrier] = true
		for i, v := range inputs {
			if i < n {
				m.Map(v, barrier.Result(i))
			} else {
				first.ReplaceUsesOf(v, barrier.Result(i))
			}
		}
	}
	for _, op := range list {
		copied := op.CloneWith(&m)
		copied.RemoveAttribute(recomputed)
		first.Block().InsertBefore(first, copied)
	}
	for _, v := range values {
		with, _ := m.Value(v)
		v.ReplaceUsesIf(with, func(u mlir.Use) bool {
			op := u.Owner
			for op.Block() != r.to {
				if op = op.Parent(); op.IsNil() || op.Block().IsNil() {
					return false
				}
			}
			return r.transposed[op]
		})
	}
}

// isConstant reports whether a value is computed from nothing.
func isConstant(v mlir.Value) bool {
	return isMadeBy(v, "stablehlo.constant") || isMadeBy(v, "stablehlo.iota")
}
