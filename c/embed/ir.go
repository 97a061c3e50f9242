package embed

/*
#include "api.h"
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/passes/order"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// libraries are the MLIR libraries that the host has opened, by their number less 1.
var libraries struct {
	sync.Mutex
	open []*mlir.Library
}

//export calliopeMLIROpen
func calliopeMLIROpen(path *C.char, number *C.int64_t) C.calliope_status {
	return protect(func() error {
		if number == nil {
			return invalid("calliope_mlir_open: library is NULL")
		}
		l, err := openLibrary(text(path))
		if err != nil {
			return err
		}
		if !l.HasDialect("stablehlo") {
			return invalid("calliope_mlir_open: %s lacks the dialect stablehlo", l.Path())
		}
		libraries.Lock()
		defer libraries.Unlock()
		for i, known := range libraries.open {
			if known == l {
				*number = C.int64_t(i + 1)
				return nil
			}
		}
		libraries.open = append(libraries.open, l)
		*number = C.int64_t(len(libraries.open))
		return nil
	})
}

// openLibrary opens the library at a path, "" for the process itself.
func openLibrary(path string) (*mlir.Library, error) {
	l, err := mlir.Open(mlir.OpenOptions{Path: path, Process: path == ""})
	if err == nil {
		return l, nil
	}
	if lacks := new(mlir.UnsupportedError); errors.As(err, &lacks) && path == "" {
		return nil, invalid("calliope_mlir_open: the process does not export %s: link the program with -rdynamic and with MLIR and StableHLO, or pass the path of a library", lacks.Function)
	} else if errors.As(err, &lacks) {
		return nil, invalid("calliope_mlir_open: %s does not export %s: it must export the C API of MLIR and of StableHLO", path, lacks.Function)
	}
	if reason := errors.Unwrap(err); reason != nil {
		err = reason // without the hint for programs in Go
	}
	return nil, invalid("calliope_mlir_open: %w", err)
}

// inContext calls f with a Context for the host's. The handles of f end with it.
func inContext(what string, library C.int64_t, context unsafe.Pointer, f func(*mlir.Context) error) (err error) {
	libraries.Lock()
	open := libraries.open
	libraries.Unlock()
	if library < 1 || int64(library) > int64(len(open)) {
		return invalid("%s: %d is no library: calliope_mlir_open returns its number", what, library)
	}
	if context == nil {
		return invalid("%s: the context (MlirContext.ptr) is NULL", what)
	}
	c := open[library-1].ContextFromPointer(context)
	defer func() { err = errors.Join(err, c.Close()) }() // also after a panic
	return f(c)
}

// inModule calls f with a Module for the host's.
func inModule(
	what string, library C.int64_t, context, module unsafe.Pointer, f func(*mlir.Module) error,
) C.calliope_status {
	return protect(func() error {
		if module == nil {
			return invalid("%s: the module (MlirModule.ptr) is NULL", what)
		}
		return inContext(what, library, context, func(c *mlir.Context) (err error) {
			m := c.ModuleFromPointer(module)
			defer func() { err = errors.Join(err, m.Close()) }()
			return f(m)
		})
	})
}

//export calliopeOrderEffects
func calliopeOrderEffects(library C.int64_t, context, module unsafe.Pointer) C.calliope_status {
	return inModule("calliope_order_effects", library, context, module, func(m *mlir.Module) error {
		_, err := passes.OrderEffects(m)
		return err
	})
}

//export calliopePrepare
func calliopePrepare(library C.int64_t, context, module unsafe.Pointer) C.calliope_status {
	return inModule("calliope_prepare", library, context, module, func(m *mlir.Module) error {
		return passes.Prepare(m, passes.PrepareOptions{})
	})
}

//export calliopeCheck
func calliopeCheck(library C.int64_t, context, module unsafe.Pointer) C.calliope_status {
	return inModule("calliope_check", library, context, module, func(m *mlir.Module) error {
		var err error
		m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
			if op.Name() != "stablehlo.custom_call" {
				return mlir.WalkContinue
			}
			if err = aliasing.CheckOperation(op); err != nil {
				return mlir.WalkStop
			}
			return mlir.WalkContinue
		})
		if err != nil {
			return err
		}
		unordered, err := order.Unordered(m, order.Options{})
		if err != nil {
			return err
		}
		return unordered.Err()
	})
}

//export calliopeAppend
func calliopeAppend(library C.int64_t, context, module, block, location unsafe.Pointer, d *C.calliope_operation,
	numOperands C.size_t, operands *unsafe.Pointer, numResults C.size_t, results *unsafe.Pointer,
	operation *unsafe.Pointer) C.calliope_status {
	const what = "calliope_append"
	return inModule(what, library, context, module, func(m *mlir.Module) error {
		config, checked, err := configOf(what, d)
		if err != nil {
			return err
		}
		values, err := pointers(what, "operands", numOperands, operands)
		if err != nil {
			return err
		}
		types, err := pointers(what, "results", numResults, results)
		if err != nil {
			return err
		}
		if len(types) > 0 && config.Form != contract.Call && config.Form != contract.Pure {
			return invalid("%s: an operation of the form %s has no results of its own: num_results must be 0, and not %d", what, config.Form, len(types))
		}
		to, ok := m.BlockFromPointer(block)
		if !ok {
			return invalid("%s: the block (MlirBlock.ptr) is NULL, or is not in the module", what)
		}
		call := stablehlo.CustomCallOp{
			Target: config.Form.Target(), APIVersion: stablehlo.TypedFFI, HasSideEffect: config.Form != contract.Pure,
		}
		for i, p := range values {
			v, ok := m.ValueFromPointer(p)
			if !ok {
				return invalid("%s: operands[%d] (MlirValue.ptr) is not in the module", what, i)
			}
			call.Operands = append(call.Operands, v)
		}
		for _, p := range types {
			call.Results = append(call.Results, m.Context().TypeFromPointer(p))
		}
		op, err := create(m.Context(), call, config, checked, endOf(to), location)
		if err != nil {
			return err
		}
		if operation != nil {
			store(unsafe.Pointer(operation), op.Pointer())
		}
		return nil
	})
}

// create creates a callback operation. checked says that it has the signature of the call.
func create(
	c *mlir.Context, call stablehlo.CustomCallOp, config contract.Config, checked bool, at mlir.InsertionPoint,
	location unsafe.Pointer,
) (mlir.Operation, error) {
	types := mlir.TypesOf(call.Operands)
	results := call.Results
	if config.Form == contract.Passthrough {
		call.Results, call.Aliases, results = types, aliasing.Passthrough(len(types)), types
	}
	if checked {
		signature, err := callop.Signature(types, results)
		if err != nil {
			return mlir.Operation{}, err
		}
		config.Signature = contract.SignatureHash(signature)
	}
	var err error
	if call.BackendConfig, err = callop.ConfigAttribute(c, config); err != nil {
		return mlir.Operation{}, err
	}
	if err := aliasing.CheckCall(call); err != nil {
		return mlir.Operation{}, err
	}
	loc := c.UnknownLocation()
	if location != nil {
		loc = c.LocationFromPointer(location)
	}
	b := mlir.NewBuilder(at, loc)
	return call.Create(b), b.Cause()
}

// endOf returns the end of a block, before its terminator.
func endOf(b mlir.Block) mlir.InsertionPoint {
	if end := b.Terminator(); !end.IsNil() {
		return mlir.Before(end)
	}
	return mlir.AtEnd(b)
}

// configOf reads the description of an operation.
func configOf(what string, d *C.calliope_operation) (config contract.Config, checked bool, err error) {
	if d == nil {
		return config, false, invalid("%s: the description is NULL", what)
	}
	if d.struct_size != C.sizeof_calliope_operation {
		return config, false,
			invalid("%s: description.struct_size is %d: set it to sizeof(calliope_operation), which is %d", what,
				d.struct_size, C.sizeof_calliope_operation)
	}
	for _, t := range []struct {
		field string
		text  *C.char
	}{
		{"form", d.form}, {"callback", d.callback}, {"registry", d.registry}, {"effect", d.effect},
		{"policy", d.policy}, {"loc", d.loc},
	} {
		if _, err := textOf(what+": description."+t.field, t.text); err != nil {
			return config, false, err
		}
	}
	config = contract.Config{
		Form: contract.Form(text(d.form)), Callback: text(d.callback), ID: int64(d.callback_id),
		Registry: text(d.registry), Effect: text(d.effect), Policy: contract.Policy(text(d.policy)), Loc: text(d.loc),
		Every: int64(d.every), Optional: d.optional != 0,
	}
	if err := config.Validate(); err != nil {
		return config, false, invalid("%s: %w", what, err)
	}
	if _, err := config.Policy.Placement(); err != nil {
		return config, false, invalid("%s: %w", what, err)
	}
	if config.Form == contract.Pure && config.Effect != "" {
		return config, false,
			invalid("%s: an operation of the form pure has no order: leave out the effect, or use the form call", what)
	}
	return config, d.check_signature != 0, nil
}

// pointers reads a list of pointers, none of which may be NULL.
func pointers(what, field string, n C.size_t, list *unsafe.Pointer) ([]unsafe.Pointer, error) {
	if n == 0 {
		return nil, nil
	}
	const most = 1 << 20
	if list == nil {
		return nil, invalid("%s: num_%s is %d, but %s is NULL", what, field, n, field)
	}
	if n > most {
		return nil, invalid("%s: num_%s is %d: an operation has %d at most", what, field, n, most)
	}
	all := unsafe.Slice(list, n)
	for i, p := range all {
		if p == nil {
			return nil, invalid("%s: %s[%d] is NULL", what, field, i)
		}
	}
	return all, nil
}
