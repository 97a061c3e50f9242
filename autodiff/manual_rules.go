package autodiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// shardy has the operations that say how arrays are divided over devices.
var shardy = map[string]rule{
	callop.Manual:             {jvp: jvpManual, transpose: transposeManual},
	"sdy.sharding_constraint": constraint, "sdy.reshard": constraint, "sdy.propagation_barrier": same(cloned),
}

// constraint holds for tangents and cotangents, too, unless it leaves axes to be added up: only the partitioner knows
// what is to be added up there.
var constraint = rule{
	multilinear: true,
	jvp: func(f *forward, op mlir.Operation) {
		if g := f.tangent(op.Operand(0)); isUnreduced(op) {
			f.set(op.Result(0), g)
			return
		}
		jointly(0)(f, op)
	},
	transpose: func(b *backward, op mlir.Operation) {
		b.to(op, 0, func(g mlir.Value) mlir.Value {
			if isUnreduced(op) {
				return g
			}
			return cloned(b, op, g)
		})
	},
}

func isUnreduced(op mlir.Operation) bool {
	a, _ := op.Attribute("sharding")
	return strings.Contains(a.String(), ", unreduced=")
}

// cloned is the transpose of an operation that is its own.
func cloned(b *backward, op mlir.Operation, g mlir.Value) mlir.Value { return b.Clone(op, g).Result(0) }

func asManual(op mlir.Operation) transform.Manual {
	m, err := transform.AsManual(op)
	if err != nil {
		transform.Fail(op, "%v", err)
	}
	return m
}

// jvpManual adds the tangents of the operands and results, which have the shardings of these.
func jvpManual(f *forward, op mlir.Operation) {
	m := asManual(op)
	operands := op.OperandValues()
	for i, v := range op.OperandValues() {
		if g := f.tangent(v); !g.IsNil() {
			operands, m.In = append(operands, g), append(m.In, m.In[i])
			f.set(m.Body.Argument(i), m.Body.AddArgument(m.Body.Argument(i).Type(), op.Location()))
		}
	}
	inner := &forward{newEmitter(m.Body.Terminator(), op.Location()), f.tangents, f.settings}
	inner.block(m.Body)
	inner.Loc = op.Location()
	active := make([]bool, op.NumResults())
	for i, v := range m.Body.Terminator().Operands() {
		active[i] = !inner.tangent(v).IsNil()
	}
	inner.appendTangents(m.Body.Terminator(), active)
	m.Out = append(m.Out, transform.Filter(m.Out, active)...)
	m.Write(op)
	f.withTangents(op, operands, active)
}

// transposeManual replaces a manual computation by what is not linear in it, which also returns the values that
// the transpose needs, and creates the transpose. The cotangent of a result of which several devices have a copy
// is divided among them, and that of such an operand added up.
func transposeManual(b *backward, op mlir.Operation) {
	m := asManual(op)
	mesh, name, err := m.Mesh()
	if err != nil {
		transform.Fail(op, "%v", err)
	}
	body := m.Body
	known, knownIn := make([]bool, op.NumResults()), make([]bool, op.NumOperands())
	for i, v := range op.Results() {
		known[i] = !b.linear[v]
	}
	for i, v := range op.Operands() {
		knownIn[i] = !b.linear[v]
	}

	// The transposed body.
	region, to := b.Context.NewRegion(), b.Context.NewBlock(b.Loc)
	region.Append(to)
	transform.Must(mlir.Create(to, mlir.OperationState{Name: "sdy.return", Location: b.Loc}))
	part := b.within(to.Terminator())
	part.emitter, part.source = newEmitter(to.Terminator(), b.Loc), newEmitter(body.Terminator(), b.Loc)
	yields := body.Terminator().OperandValues()
	body.Terminator().SetOperands(transform.Filter(yields, known)...)
	var operands []mlir.Value
	var in, out []string
	for i, v := range yields {
		g := b.cotangents[op.Result(i)]
		if known[i] || g.IsNil() {
			continue
		}
		operands, in = append(operands, g), append(in, m.Out[i])
		share := to.AddArgument(v.Type(), b.Loc)
		if copies, _ := m.Groups(mesh, m.Copied(m.Out[i])); copies > 1 {
			share = part.scale(share, 1/float64(copies))
		}
		part.add(v, share)
	}
	part.block(body)
	part.Loc = b.Loc
	var gradients, of []mlir.Value
	var types []mlir.Type
	for i, v := range op.Operands() {
		g := part.cotangents[body.Argument(i)]
		if g.IsNil() {
			continue
		}
		if copies, list := m.Groups(mesh, m.Copied(m.In[i])); copies > 1 {
			g = part.Do(stablehlo.AllReduceOp{
				Operands: []mlir.Value{g}, ReplicaGroups: stablehlo.GroupsOf(list...), Computation: part.adder(g),
				ChannelHandle: &stablehlo.ChannelHandle{Handle: 1, Type: 1}, UseGlobalDeviceIDs: true,
			})
		}
		gradients, of, types, out = append(gradients, g), append(of, v), append(types, v.Type()), append(out, m.In[i])
	}
	to.Terminator().SetOperands(gradients...)
	b.recompute(body, to)

	// The values that it needs: operands, and others with a first dimension for the devices.
	copyConstants(body, to)
	first := b.within(to.First())
	first.emitter = newEmitter(to.First(), b.Loc)
	last := part.source
	last.Before = body.Terminator()
	kept, keptTypes := body.Terminator().OperandValues(), transform.Filter(mlir.TypesOf(op.ResultValues()), known)
	var later []string // the shardings of the others
	numKnown := len(kept)
	for _, v := range residuals(body, to) {
		if v.IsArgument() {
			operands, in = append(operands, op.Operand(v.Index())), append(in, m.In[v.Index()])
			replaceIn(to, v, to.AddArgument(v.Type(), b.Loc))
		}
	}
	for _, v := range residuals(body, to) {
		devices, _ := m.Groups(mesh, m.Axes)
		shape := append([]int64{1}, transform.Dims(v)...)
		kept = append(kept, last.Reshape(v, shape...))
		argument := to.AddArgument(kept[len(kept)-1].Type(), b.Loc)
		replaceIn(to, v, first.Reshape(argument, transform.Dims(v)...))
		shape[0] = devices
		keptTypes = append(keptTypes, transform.Must(b.Context.TensorType(transform.Element(v.Type()), shape...)))
		dimensions := append([]string{"{" + strings.Join(m.Axes, ", ") + "}"},
			slices.Repeat([]string{"{?}"}, transform.Rank(v))...)
		later = append(later, fmt.Sprintf("<%s, [%s]>", name, strings.Join(dimensions, ", ")))
	}
	body.Terminator().SetOperands(kept...)
	for i := len(knownIn) - 1; i >= 0; i-- {
		if !knownIn[i] {
			eraseLinear(body, i)
		}
	}
	before := transform.Manual{In: transform.Filter(m.In, knownIn),
		Out: append(transform.Filter(m.Out, known), later...), Axes: m.Axes}
	made := b.Remake(op, transform.Filter(op.OperandValues(), knownIn), keptTypes)
	before.Write(made)
	transform.Replace(transform.Filter(op.ResultValues(), known), made.ResultValues()[:numKnown])
	transform.Check(op.Erase())
	if len(of) == 0 {
		transform.Check(region.Erase())
		return
	}

	transposed := transform.Must(mlir.Create(mlir.Before(b.Before), mlir.OperationState{
		Name: callop.Manual, Location: b.Loc, Operands: append(operands, made.ResultValues()[numKnown:]...),
		Results:    types,
		Attributes: transform.Manual{In: append(in, later...), Out: out, Axes: m.Axes}.Attributes(b.Context),
		Regions:    []mlir.Region{region},
	}))
	for i, v := range of {
		b.add(v, transposed.Result(i))
	}
}
