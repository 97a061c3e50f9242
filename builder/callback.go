package builder

import (
	"fmt"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Callback says which Go function is called. Name binds it by its name, so that the
// module can be saved and run by another program that registers the same name; ID
// binds a function without one, for this process only.
type Callback struct {
	Name     string
	ID       int64
	Registry string // the registry that holds it, "" for the default one
	Effect   string // taps of one effect run in the order in which they were built
	Optional bool   // does nothing where it is not registered
	Every    int64  // calls every n-th time only; 0 and 1 are each time
	In       *Func  // the function to call from; needed only where no argument says
}

// IOCallback calls Go with the values of a tree (a Value, or a struct, slice, array or
// map of trees) and returns the same values. It always runs, also when what it returns
// is not used. Results and operands share their memory, so nothing is copied unless
// an operand is needed unchanged elsewhere.
func IOCallback[T any](cb Callback, args T) T {
	operands, f, at := cb.start("io callback", args)
	if f == nil {
		return args
	}
	var results []mlir.Type
	for i, v := range operands {
		if err := v.static(); err != nil {
			f.b.fail(at, "io callback", operands, fmt.Errorf("result %d: %w", i, err))
			return args
		}
		results = append(results, v.v.Type())
	}
	op, ok := cb.emit(f, at, "io callback", contract.Passthrough, operands, results)
	if !ok {
		return args
	}
	return rebuild(args, f.results(op))
}

// Tap calls Go with the values of a tree and gives nothing back, so that the program
// goes on with the values as they were. Taps of one effect run in the order in which
// they were built.
func Tap[T any](cb Callback, args T) {
	operands, f, at := cb.start("tap", args)
	if f == nil {
		return
	}
	token, ok := f.token(cb.Effect, at)
	if !ok {
		return
	}
	op, ok := cb.emit(f, at, "tap", contract.Observe, append(operands, token), []mlir.Type{token.v.Type()})
	if ok {
		f.setToken(cb.Effect, f.results(op)[0])
	}
}

// RuntimeCall calls Go with the values of a tree and returns what it gives, which the
// template says: a tree whose leaves Like made. It always runs, also when what it
// returns is not used.
func RuntimeCall[T, R any](cb Callback, template R, args T) R {
	return call(cb, contract.Call, "runtime call", template, args)
}

// PureCall is RuntimeCall for a function whose results depend on its arguments only
// and that does nothing else: it may be dropped, merged with an equal one, or moved.
func PureCall[T, R any](cb Callback, template R, args T) R {
	return call(cb, contract.Pure, "pure call", template, args)
}

func call[T, R any](cb Callback, form contract.Form, name string, template R, args T) R {
	operands, f, at := cb.start(name, args)
	if f == nil {
		return template
	}
	want, err := leaves(template)
	if err != nil {
		f.b.fail(at, name, operands, fmt.Errorf("the template: %w", err))
		return template
	}
	var results []mlir.Type
	for i, w := range want {
		t, err := w.template(f.b.ctx)
		if err != nil {
			f.b.fail(at, name, operands, fmt.Errorf("result %d of the template: %w", i, err))
			return template
		}
		results = append(results, t)
	}
	op, ok := cb.emit(f, at, name, form, operands, results)
	if !ok {
		return template
	}
	return rebuild(template, f.results(op))
}

// start takes the arguments apart and finds the function that they belong to. There
// is none where an earlier mistake makes it pointless to go on.
func (cb Callback) start(name string, args any) ([]Value, *Func, place) {
	operands, err := leaves(args)
	f := cb.In
	if f == nil {
		f = funcOf(operands...)
	}
	if f == nil {
		panic("builder: " + name + ": no argument says in which function it stands: set Callback.In")
	}
	at := f.b.here()
	if err != nil {
		f.b.fail(at, name, nil, err)
		return nil, nil, at
	}
	if !f.usable(at, name, operands) {
		return nil, nil, at
	}
	return operands, f, at
}

// emit adds the custom call of a callback. Of the operands of an observing one the
// last is its token.
func (cb Callback) emit(f *Func, at place, name string, form contract.Form, operands []Value, results []mlir.Type) (mlir.Operation, bool) {
	config := contract.Config{
		Form: form, Callback: cb.Name, ID: cb.ID, Registry: cb.Registry,
		Effect: cb.Effect, Optional: cb.Optional, Every: cb.Every,
		Loc: at.short(),
	}
	call := stablehlo.CustomCall{
		Target: form.Target(), APIVersion: stablehlo.TypedFFI, HasSideEffect: form.HasSideEffect(), Results: results,
	}
	data, dataResults := operands, results
	switch form {
	case contract.Passthrough:
		call.Aliases = aliasing.Passthrough(len(operands))
	case contract.Observe:
		data, dataResults = operands[:len(operands)-1], nil
		config.NumTokens = 1
		call.Aliases = aliasing.List{aliasing.Result(0, 1, len(operands)-1)}
	}
	for _, v := range operands {
		call.Operands = append(call.Operands, v.v)
	}
	signature, err := signature(data, dataResults)
	if err == nil && config.ByName() {
		config.Signature = contract.SignatureHash(signature)
	}
	if err == nil {
		call.BackendConfig, err = f.b.backendConfig(config)
	}
	if err != nil {
		f.b.fail(at, name, data, err)
		return mlir.Operation{}, false
	}
	return f.append(at, name, operands, call)
}

func signature(operands []Value, results []mlir.Type) (string, error) {
	var in, out []tensor.Shape
	for _, v := range operands {
		in = append(in, v.Shape())
	}
	for _, t := range results {
		s, err := stablehlo.ShapeOf(t)
		if err != nil {
			return "", err
		}
		out = append(out, s)
	}
	return contract.Signature(in, out), nil
}

// backendConfig is the contract's dictionary.
func (b *Builder) backendConfig(config contract.Config) (mlir.Attribute, error) {
	attrs, err := config.Attrs()
	if err != nil {
		return mlir.Attribute{}, err
	}
	i64 := b.ctx.IntegerType(64, mlir.Signless)
	entries := make([]mlir.NamedAttribute, len(attrs))
	for i, a := range attrs {
		entries[i].Name = a.Key
		switch v := a.Value.(type) {
		case string:
			entries[i].Value = b.ctx.StringAttribute(v)
		case bool:
			entries[i].Value = b.ctx.BoolAttribute(v)
		case int64:
			entries[i].Value = b.ctx.IntegerAttribute(i64, v)
		}
	}
	return b.ctx.DictionaryAttribute(entries...), nil
}
