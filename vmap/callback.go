package vmap

import (
	"maps"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// customCall batches a callback, or runs another custom call in a loop.
func (b *batcher) customCall(op mlir.Operation) []mlir.Value {
	call, ok := callop.AsCall(op)
	custom, _ := stablehlo.AsCustomCall(op)
	switch {
	case !ok && callop.HasSideEffect(op) && b.method != contract.Sequential:
		transform.Fail(op, "@%s has side effects, and is no callback of which it is known how to batch it: "+
			"set Options.Method to %q to call it for each element", custom.Target, contract.Sequential)
	case !ok:
		return b.loop(op)
	case call.Err != nil:
		transform.Fail(op, "%v", call.Err)
	case b.axis != nil && b.axis.each: // as on the devices: each calls with its own arrays
		return b.loop(op)
	}
	method := call.Config.Batching.Method
	looks := call.Config.Form == contract.Observe || call.Config.Form == contract.Passthrough
	if name, ok := method.Function(); ok {
		return b.rule(op, name, b.all(op), call.Config)
	}
	if !known(method) {
		transform.Fail(op, "the key batch of the callback is %q: use one of %q, or the name of a function after @", method,
			contract.BatchMethods())
	}
	switch {
	case call.Config.Batching.Parallel != "": // a batch itself, which has no other form
		method = contract.Parallel
	case method == "" && !looks:
		method = b.method
	case method == "" && call.Config.Host.Encoding != contract.EncodingDictionary:
		method = contract.Sequential // another host, which does not learn of the transformation
	}
	switch method {
	case contract.Sequential:
		return b.loop(op)
	case contract.SequentialUnrolled:
		return b.unroll(op)
	case contract.ExpandDims:
		return b.once(op, call.Config, method, func(v mlir.Value) mlir.Value {
			if b.batched(v) {
				return b.get(v)
			}
			return b.Reshape(b.get(v), first(1, transform.Dims(v))...)
		})
	case contract.BroadcastAll:
		return b.once(op, call.Config, method, b.full)
	case contract.Parallel:
		return b.parallel(op, call.Config)
	}
	if looks {
		return b.once(op, call.Config, method, b.get)
	}
	transform.Fail(op, "the host computes the results of the callback %q, so that it must be said how to call it for a batch: "+
		"set the Batch of its options, the key batch of its backend_config, or Options.Method to one of %q",
		call.Config.Name(), contract.BatchMethods())
	return nil
}

// known reports whether a method is "" or one of contract.BatchMethods.
func known(m contract.BatchMethod) bool {
	return m == "" || slices.Contains(contract.BatchMethods(), m)
}

// rule calls the function of the module that computes the batch of an operation, and keeps a callback's derivative.
func (b *batcher) rule(op mlir.Operation, name string, operands []mlir.Value, config contract.Config) []mlir.Value {
	callee, ok := b.table.Lookup(name)
	if !ok || callee.Name() != "func.func" {
		transform.Fail(op, "the function @%s of its rule for batches is not in the module", name)
	}
	a, _ := callee.Attribute("function_type")
	t, _ := a.TypeValue()
	parameters, results, _ := t.Signature()
	types := mlir.TypesOf(op.ResultValues())
	for i, t := range types {
		types[i] = b.typeOf(t)
	}
	if config.NumTokens > 0 || !slices.Equal(parameters, mlir.TypesOf(operands)) || !slices.Equal(results, types) {
		transform.Fail(op, "the function @%s of its rule for batches has the type %s, but batches of the operands and results "+
			"need %s", name, t, b.Context.FunctionType(mlir.TypesOf(operands), types))
	}
	if jvp, ok := config.Derivative.JVP.Function(); ok {
		return b.withJVP(op, name, jvp, operands, results)
	}
	if vjp, ok := config.Derivative.VJP.Function(); ok {
		return b.withVJP(op, name, vjp, operands, results)
	}
	return b.call(name, operands, results)
}

// parallel calls a callback once, for the batch as a whole, which the runtime divides.
func (b *batcher) parallel(op mlir.Operation, config contract.Config) []mlir.Value {
	_, ids, tokens, err := config.Split(op.NumOperands())
	transform.Check(err)
	switch {
	case config.Form != contract.Call && config.Form != contract.Pure:
		transform.Fail(op, "the callback %q has no results that the host computes, so that its method cannot be %q: "+
			"leave it out, or use %q", config.Name(), contract.Parallel, contract.Sequential)
	case tokens > 0:
		transform.Fail(op, "the calls of %q are ordered, so that they cannot be made at the same time: use the method %q, "+
			"or leave out the effect", config.Name(), contract.Sequential)
	case config.Host.Encoding != contract.EncodingDictionary:
		transform.Fail(op, "the call of %q is written for another host, which cannot divide a batch: use the method %q",
			config.Name(), contract.Sequential)
	case slices.ContainsFunc(op.OperandValues()[op.NumOperands()-ids:], b.batched):
		transform.Fail(op, "the ids of %q differ in the batch, but one call has one list of ids: use the method %q",
			config.Name(), contract.Sequential)
	}
	if config.Derivative != (contract.Derivative{}) {
		return b.once(op, config, contract.Parallel, b.full) // each element has cotangents of all operands
	}
	return b.once(op, config, contract.Parallel, b.get)
}

// divided returns the key "parallel" of the batch of a call, which may have been a batch.
func divided(axes []int, parallel string) string {
	axis := make([]byte, len(axes))
	for i, a := range axes {
		axis[i] = '*'
		if a == contract.NotBatched {
			axis[i] = '.'
		}
	}
	if parallel == "" {
		return string(axis)
	}
	return string(axis) + "," + parallel
}

// once calls a callback once, with what argument makes of each operand.
func (b *batcher) once(
	op mlir.Operation, config contract.Config, method contract.BatchMethod, argument func(mlir.Value) mlir.Value,
) []mlir.Value {
	data, ids, tokens, err := config.Split(op.NumOperands())
	transform.Check(err)
	operands, axes := op.OperandValues(), make([]int, data)
	for i, v := range operands {
		if i >= data+ids {
			operands[i] = b.get(v)
			continue
		}
		operands[i] = argument(v)
		if i < data {
			if axes[i] = contract.NotBatched; transform.Rank(operands[i]) > transform.Rank(v) &&
				transform.Dims(operands[i])[0] == b.size {
				axes[i] = 0
			}
		}
	}
	made := b.copy(op)
	made.SetOperands(operands...)
	for _, name := range []string{"operand_layouts", "result_layouts"} { // of other shapes; row-major without them
		made.RemoveAttribute(name)
	}
	results := made.ResultValues()
	for i, v := range op.Results() {
		switch {
		case i >= len(results)-tokens:
		case config.Form == contract.Passthrough:
			results[i].SetType(operands[i].Type())
		default:
			results[i].SetType(b.typeOf(v.Type()))
		}
	}
	if config.Host.Encoding != contract.EncodingDictionary {
		return results
	}
	b.batchRules(op, &config, operands[:data], results[:len(results)-tokens])
	list, readable := contract.DecodeTransforms(config.Transforms)
	switch {
	case method == contract.Parallel:
		config.Batching.Parallel = divided(axes, config.Batching.Parallel)
	case readable || config.Transforms == "":
		config.Transforms = transform.Must(contract.EncodeTransforms(append(list, contract.Batch(axes...))...))
	}
	if config.Signature != "" && method != contract.Parallel {
		var of []mlir.Type
		switch config.Form {
		case contract.Passthrough:
			of = mlir.TypesOf(operands[:data])
		case contract.Call, contract.Pure:
			of = mlir.TypesOf(results[:len(results)-tokens])
		}
		config.Signature = contract.SignatureHash(transform.Must(callop.Signature(mlir.TypesOf(operands[:data]), of)))
	}
	name := "backend_config"
	if _, ok := op.Attribute("mhlo.backend_config"); ok {
		name = "mhlo.backend_config"
	}
	made.SetAttribute(name, transform.Must(callop.ConfigAttribute(b.Context, config)))
	return results
}

// unroll creates an operation for each element of the batch.
func (b *batcher) unroll(op mlir.Operation) []mlir.Value {
	of := b.dependencies(op)
	parts := make([][]mlir.Value, op.NumResults())
	tokens := map[mlir.Value]mlir.Value{} // that stand for those of the call
	for i := range b.size {
		mine := maps.Clone(tokens)
		for _, v := range of {
			start, limit := make([]int64, transform.Rank(v)+1), first(i+1, transform.Dims(v))
			start[0] = i
			mine[v] = b.Reshape(b.Slice(b.get(v), start, limit, transform.Ones(transform.Rank(v)+1)),
				transform.Dims(v)...)
		}
		var made mlir.Operation
		b.with(mine, func() { made = b.copy(op) })
		for k, v := range made.Results() {
			if token := b.before(op, k); !token.IsNil() {
				tokens[token] = v
			} else {
				v = b.Reshape(v, first(1, transform.Dims(v))...)
			}
			parts[k] = append(parts[k], v)
		}
	}
	results := make([]mlir.Value, len(parts))
	for k, list := range parts {
		if results[k] = list[len(list)-1]; !b.tokens[op.Result(k)] {
			results[k] = b.Do(stablehlo.ConcatenateOp{Inputs: list})
		}
	}
	return results
}
