package autodiff

import (
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ofCallback is the rule of callbacks.
var ofCallback = rule{jvp: jvpCall, transpose: transposeCall}

// calls has the calls of the host, whatever their target.
var calls = map[string]rule{"stablehlo.custom_call": ofCallback}

// targets returns the rules of the custom calls whose target this package knows: those of callbacks, of JAX's LAPACK
// and of GSPMD.
func targets() map[string]rule {
	list := map[string]rule{sharding: {jvp: jointly(0), transpose: transposeSharding}}
	for _, target := range append(contract.Targets(), pending, postponed) {
		list[target] = ofCallback
	}
	for routine, derive := range decompositions {
		r := rule{jvp: derive, transpose: transposeCall}
		if transpose, ok := transposes[routine]; ok {
			r.transpose = transpose
		}
		list[routine] = r
		for _, letter := range "sdcz" {
			list["lapack_"+string(letter)+routine+"_ffi"] = r
		}
	}
	return list
}

func transposeSharding(b *backward, op mlir.Operation) {
	b.to(op, 0, func(g mlir.Value) mlir.Value { return cloned(b, op, g) })
}

// pending is the target of a call that stands for the tangents of another one until it is transposed. Its last operands
// are tangents, in which it is linear. Its dictionary is that of the other call.
const pending = "calliope.autodiff.pending"

// postponed is the target of a call that stands for the transpose of a pending one, until Linearize transposes it, too.
const postponed = "calliope.autodiff.postponed"

// sharding is the target of GSPMD's calls that say how a value is divided over devices.
const sharding = "Sharding"

// callback is a call of the host by the contract.
type callback struct {
	op                mlir.Operation
	config            contract.Config
	operands, results []mlir.Value // the data
	tokens            []mlir.Value // those that it returns
}

func jvpCall(f *forward, op mlir.Operation) {
	call, ok := callop.AsCall(op)
	custom, _ := stablehlo.AsCustomCall(op)
	c := callback{op: op, config: call.Config}
	fits := ok && call.Err == nil
	if fits {
		c.operands = op.OperandValues()[:max(0, op.NumOperands()-call.Config.NumIDs-call.Config.NumTokens)]
		numResults := max(0, op.NumResults()-call.Config.NumTokens)
		c.results, c.tokens = op.ResultValues()[:numResults], op.ResultValues()[numResults:]
	}
	switch d := c.config.Derivative; {
	case fits && c.config.Form == contract.Passthrough:
		c.passThrough(f, custom)
	case fits && f.reverse && d.Transpose != "":
		f.pend(c, c.operands, c.results)
	case fits && d.Transpose != "":
		c.linear(f)
	case fits && f.linearize && ofHost(d.JVP):
		c.config.Derivative.VJP = ""
		f.pend(c, slices.Concat(c.operands, c.results), c.results)
	case fits && f.linearize && d.JVP == "" && ofHost(d.VJP):
		transform.Fail(op, "@%s has a rule for cotangents only: Linearize needs one for tangents, the key jvp", custom.Target)
	case fits && f.reverse && d.VJP != "" && !(f.linearize && d.JVP != ""):
		f.pend(c, slices.Concat(c.operands, c.results), c.results)
	case fits && d.JVP != "" && (!f.reverse || !ofHost(d.JVP)):
		c.tangents(f)
	case fits && d.JVP != "":
		transform.Fail(op, "the callback %s computes the derivative of @%s along tangents only: give it a rule for cotangents, "+
			"the key vjp, or make a function of the module the rule", d.JVP, custom.Target)
	case fits && d.VJP != "":
		transform.Fail(op, "@%s has a rule for cotangents only: give it one for tangents, the key jvp", custom.Target)
	default:
		transform.Fail(op, "the host computes the results of @%s, so that they have no derivative: "+
			"compute them in the module (stages.LowerCallbacks), call a function that only looks at its values, "+
			"use builder.CustomVJP or CustomJVP, or name the rule of its derivative by the keys jvp, vjp or transpose of its backend_config",
			custom.Target)
	}
}

// ofHost reports whether a rule is a callback, and not a function of the module.
func ofHost(r contract.Rule) bool { _, ok := r.Callback(); return ok }

// withTangent returns the values that have tangents.
func withTangent(values []mlir.Value) (list []mlir.Value) {
	for _, v := range values {
		if differentiable(v.Type()) {
			list = append(list, v)
		}
	}
	return list
}

// pend creates a call that stands for the tangents of results: operands are what its transpose needs.
func (f *forward) pend(c callback, operands, results []mlir.Value) {
	for _, v := range withTangent(c.operands) {
		operands = append(operands, f.full(v))
	}
	of := withTangent(results)
	made := f.Op(stablehlo.CustomCallOp{
		Target: pending, Operands: operands, Results: mlir.TypesOf(of), APIVersion: stablehlo.TypedFFI,
		BackendConfig: transform.Must(callop.ConfigAttribute(f.Context, c.config)),
	})
	made.SetAttribute(numTangents, f.count(len(withTangent(c.operands))))
	made.SetAttribute(numResults, f.count(len(c.results)))
	for i, v := range of {
		f.set(v, made.Result(i))
	}
}

// The attributes of a pending call with the number of its tangents, or of the cotangents of its transpose, and of the
// results of the call that it stands for.
const (
	numTangents = "calliope.autodiff.tangents"
	numResults  = "calliope.autodiff.results"
)

// passThrough passes the tangents on. In forward mode the call gets them after the values; in reverse mode the
// transpose calls the function with the cotangents.
func (c callback) passThrough(f *forward, custom stablehlo.CustomCallOp) {
	order, err := rewrite.PassthroughOrder(custom)
	if err != nil {
		transform.Fail(c.op, "the callback does not pass its operands through: %v", err)
	}
	transforms, known := contract.DecodeTransforms(c.config.Transforms)
	plain := known && c.config.Host.Encoding == contract.EncodingDictionary && slices.IsSorted(order)
	if c.config.Transforms == "" {
		plain = c.config.Host.Encoding == contract.EncodingDictionary && slices.IsSorted(order)
	}
	if !plain {
		for i, operand := range order[:c.op.NumResults()] {
			f.set(c.op.Result(i), f.operand(c.op, operand))
		}
		return
	}
	n := len(c.operands)
	c.results = c.op.ResultValues()[:n]
	c.config.Transforms = transform.Must(contract.EncodeTransforms(append(transforms, contract.JVP())...))
	if f.reverse {
		f.pend(c, nil, c.results)
		return
	}
	of := withTangent(c.results)
	operands := slices.Clone(c.operands)
	for _, v := range withTangent(c.operands) {
		operands = append(operands, f.full(v))
	}
	made := c.passing(f.emitter, operands, c.op.OperandValues()[n:])
	for i, v := range of {
		f.set(v, made[n+i])
	}
	rest := append(made[:n:n], made[len(operands):]...)
	for i, v := range c.op.ResultValues() {
		if g := f.tangent(v); !g.IsNil() {
			f.set(rest[i], g)
		}
		v.ReplaceAllUses(rest[i])
	}
	transform.Check(c.op.Erase())
}

// passing creates a call of the passthrough form with other data, and with ids and tokens.
func (c callback) passing(e *emitter, data, rest []mlir.Value) []mlir.Value {
	operands := slices.Concat(data, rest)
	if c.config.Signature != "" {
		c.config.Signature = contract.SignatureHash(transform.Must(callop.Signature(mlir.TypesOf(data),
			mlir.TypesOf(data))))
	}
	target := c.config.Form.Target()
	if o, ok := stablehlo.AsCustomCall(c.op); ok && o.Target != pending {
		target = o.Target
	}
	return e.Op(stablehlo.CustomCallOp{
		Target: target, Operands: operands, Results: mlir.TypesOf(operands), APIVersion: stablehlo.TypedFFI,
		HasSideEffect: true, BackendConfig: transform.Must(callop.ConfigAttribute(e.Context, c.config)),
		Aliases: aliasing.Passthrough(len(operands)),
	}).ResultValues()
}

// linear calls the function of a call that is linear with the tangents.
func (c callback) linear(f *forward) {
	var operands []mlir.Value
	for _, v := range c.operands {
		if !differentiable(v.Type()) {
			transform.Fail(c.op, "a call with a transpose takes %s, which has no tangent", v.Type())
		}
		operands = append(operands, f.full(v))
	}
	itself, transpose := contract.Rule(c.config.Callback), c.config.Derivative.Transpose
	for i, g := range f.named(c, itself, transpose, operands, mlir.TypesOf(c.results), c.tokens) {
		f.set(c.results[i], g)
	}
}

// tangents calls the rule for forward mode instead of the call itself.
func (c callback) tangents(f *forward) {
	operands := slices.Clone(c.operands)
	for _, v := range withTangent(c.operands) {
		operands = append(operands, f.full(v))
	}
	of := withTangent(c.results)
	tokens := c.op.OperandValues()[c.op.NumOperands()-len(c.tokens):]
	rule := c.config.Derivative.JVP
	made := f.named(c, rule, "", operands, append(mlir.TypesOf(c.results), mlir.TypesOf(of)...), tokens)
	n := len(c.results)
	for i, v := range of {
		f.set(v, made[n+i])
	}
	for i, v := range c.results {
		if g := f.tangent(v); !g.IsNil() {
			f.set(made[i], g)
		}
		v.ReplaceAllUses(made[i])
	}
	if !ofHost(rule) { // a function has no tokens
		transform.Replace(c.tokens, tokens)
	}
	transform.Check(c.op.Erase())
}

// named calls what a rule names, for a call of the host. transpose is that of the new call, if that is linear.
// tokens order it, and what the call returned goes through it.
func (e *emitter) named(
	c callback, rule, transpose contract.Rule, operands []mlir.Value, results []mlir.Type, tokens []mlir.Value,
) []mlir.Value {
	if name, ok := rule.Function(); ok {
		made := e.call(c.op, name, operands)
		if !slices.Equal(mlir.TypesOf(made), results) {
			transform.Fail(c.op, "the function @%s of its rule returns %v, not %v", name, mlir.TypesOf(made), results)
		}
		return made
	}
	config := contract.Config{
		Form: c.config.Form, Callback: string(rule), Registry: c.config.Registry, Policy: c.config.Policy,
		Loc: c.config.Loc, NumTokens: len(tokens), Derivative: contract.Derivative{Transpose: transpose},
	}
	_, byFunction := c.config.Batching.Method.Function()
	if !byFunction || rule == contract.Rule(c.config.Callback) { // a function for a batch is that of one callback
		config.Batching.Method = c.config.Batching.Method
	}
	if parallel := c.config.Batching.Parallel; parallel != "" { // vmap batches all operands then
		axis := strings.Repeat("*", len(operands))
		config.Batching.Parallel = axis + strings.Repeat(","+axis, strings.Count(parallel, ","))
	}
	if len(tokens) > 0 {
		config.Effect = c.config.Effect
	}
	o := stablehlo.CustomCallOp{
		Target: config.Form.Target(), Operands: slices.Concat(operands, tokens),
		Results:    slices.Concat(results, mlir.TypesOf(tokens)),
		APIVersion: stablehlo.TypedFFI, HasSideEffect: config.Form != contract.Pure,
		BackendConfig: transform.Must(callop.ConfigAttribute(e.Context, config)),
	}
	for i := range tokens {
		alias := stablehlo.OutputOperandAlias{OperandIndex: int64(len(operands) + i)}
		if len(o.Results) > 1 {
			alias.OutputTupleIndices = []int64{int64(len(results) + i)}
		}
		o.Aliases = append(o.Aliases, alias)
	}
	made := e.Op(o)
	for i := range tokens {
		c.tokens[i].ReplaceUsesIf(made.Result(len(results)+i), func(u mlir.Use) bool { return u.Owner != made })
	}
	return made.ResultValues()[:len(results)]
}

// module returns the module of an operation.
func module(op mlir.Operation) mlir.Operation {
	for !op.Parent().IsNil() {
		op = op.Parent()
	}
	return op
}

// call creates what a function of the module does, for an operation with a rule, and returns the results.
func (e *emitter) call(op mlir.Operation, name string, operands []mlir.Value) (results []mlir.Value) {
	table := transform.Must(module(op).SymbolTable())
	f, ok := table.Lookup(name)
	if !ok || f.Name() != "func.func" || f.Region(0).NumBlocks() != 1 {
		transform.Fail(op, "the function @%s of its rule is not in the module", name)
	}
	f = f.Clone()
	defer func() { transform.Check(f.Erase()) }()
	if at, err := transform.InlineEach(f, table, new(settings).see); err != nil {
		transform.Fail(at, "%v", err)
	}
	body := f.Region(0).First()
	if !slices.Equal(mlir.TypesOf(body.ArgumentValues()), mlir.TypesOf(operands)) {
		transform.Fail(op, "the function @%s of its rule takes %v, and is given %v", name,
			mlir.TypesOf(body.ArgumentValues()),
			mlir.TypesOf(operands))
	}
	var mapping mlir.Mapping
	for i, v := range body.ArgumentValues() {
		mapping.Map(v, operands[i])
	}
	for _, inner := range transform.Operations(body) {
		e.Before.Block().InsertBefore(e.Before, inner.CloneWith(&mapping))
	}
	for _, v := range body.Terminator().Operands() {
		v, _ = mapping.Value(v)
		results = append(results, v)
	}
	return results
}

// transposeCall calls the rule for reverse mode, or with the cotangents the function that values pass through.
func transposeCall(b *backward, op mlir.Operation) {
	call, ok := callop.AsCall(op)
	custom, _ := stablehlo.AsCustomCall(op)
	if !ok || call.Err != nil {
		transform.Fail(op, "the host computes the results of @%s, so that they have no transpose", custom.Target)
	}
	c := callback{op: op, config: call.Config}
	known := op.NumOperands()
	switch a, isPending := op.Attribute(numTangents); {
	case isPending:
		n, _ := a.Int()
		known -= int(n)
	case c.config.Derivative.Transpose != "" && c.config.NumTokens+c.config.NumIDs == 0:
		known = 0 // it is linear in all of its operands
	default:
		transform.Fail(op, "the host computes the results of @%s, so that they have no transpose: if the callback is linear in "+
			"its operands, name the one that transposes it by the key transpose of its backend_config", custom.Target)
	}
	var cotangents []mlir.Value
	for _, v := range op.Results() {
		cotangents = append(cotangents, b.orZero(b.cotangents[v], v.Type()))
	}
	inputs := op.OperandValues()[known:] // the tangents
	var made []mlir.Value
	switch {
	case c.config.Form == contract.Passthrough:
		transforms, _ := contract.DecodeTransforms(c.config.Transforms)
		c.config.Transforms = transform.Must(contract.EncodeTransforms(append(transforms, contract.Transpose())...))
		c.config.NumTokens, c.config.NumIDs, c.config.Effect = 0, 0, ""
		made = c.passing(b.emitter, cotangents, nil)
	case c.config.Derivative.Transpose != "":
		itself := contract.Rule(c.config.Callback)
		made = b.named(c, c.config.Derivative.Transpose, itself, cotangents, mlir.TypesOf(inputs), nil)
	case custom.Target == postponed:
		made = b.again(c, op.OperandValues()[:known:known], cotangents, mlir.TypesOf(inputs))
	case c.config.Derivative.VJP == "":
		made = b.postpone(c, append(op.OperandValues()[:known:known], cotangents...), len(cotangents),
			mlir.TypesOf(inputs))
	default:
		made = b.named(c, c.config.Derivative.VJP, "", append(op.OperandValues()[:known:known], cotangents...),
			mlir.TypesOf(inputs), nil)
	}
	for i, v := range inputs {
		b.add(v, made[i])
	}
}

// postpone creates a call that stands for the transpose of a pending one, of which the rule for tangents is known.
func (b *backward) postpone(c callback, operands []mlir.Value, cotangents int, results []mlir.Type) []mlir.Value {
	made := b.Op(stablehlo.CustomCallOp{
		Target: postponed, Operands: operands, Results: results, APIVersion: stablehlo.TypedFFI,
		BackendConfig: transform.Must(callop.ConfigAttribute(b.Context, c.config)),
	})
	of, _ := c.op.Attribute(numResults)
	made.SetAttribute(numResults, of)
	made.SetAttribute(numTangents, b.count(cotangents))
	return made.ResultValues()
}

// again calls the rule for tangents, for the transpose of the transpose. known are the operands and the results of the
// call that the rule is for.
func (b *backward) again(c callback, known, tangents []mlir.Value, of []mlir.Type) []mlir.Value {
	a, _ := c.op.Attribute(numResults)
	n, _ := a.Int()
	operands, results := known[:len(known)-int(n)], known[len(known)-int(n):]
	made := b.named(c, c.config.Derivative.JVP, "", slices.Concat(operands, tangents),
		append(mlir.TypesOf(results), of...), nil)
	return made[len(results):]
}
