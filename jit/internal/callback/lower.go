// Package callback makes the custom calls of a module that functions of the host serve calls out of compiled code.
//
// Lower replaces each one, while the module is one of tensors, by a call of a function that is added to the module.
// Bufferization reads from the attributes of its parameters which arrays the call reads and which it writes, and copies
// only an array that is needed afterwards. The function passes the addresses of its arrays to package runtime, and thus to
// Calls.
package callback

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/hostcall"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Lower replaces the custom calls of a module that functions of the host serve, and binds them. The module has operations
// of StableHLO. The caller must close the Calls.
func Lower(m *mlir.Module, t hostcall.Targets) (*Calls, error) {
	var r callop.Reader
	c := newCalls()
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		s, ok, err := t.Read(&r, op)
		if err == nil && ok {
			err = c.lower(m, &s)
		}
		if err != nil {
			c.Close()
			return nil, located(op, err)
		}
	}
	return c, nil
}

func located(op mlir.Operation, err error) error {
	if p := op.Location().Position(); !p.IsZero() {
		return fmt.Errorf("the custom call at %s: %w", p, err)
	}
	return fmt.Errorf("a custom call: %w", err)
}

// A lowering is what takes the place of one call.
type lowering struct {
	site  *hostcall.Site
	data  hostcall.Data
	ids   int // the number of ids
	named int // the operand that names the callback or its server; -1 if there is none

	build    *mlir.Builder
	operands []mlir.Value // of the call of the added function, without signs
	access   []string     // "read", "write" or "read-write", by operand
	returned []int        // of these operands, those that the function returns, one for each result of the callback
}

// lower replaces one call, and adds its site to c.
func (c *Calls) lower(m *mlir.Module, s *hostcall.Site) error {
	if err := s.SetLayouts(); err != nil {
		return err
	}
	data, err := s.Data()
	if err != nil {
		return err
	}
	l := &lowering{site: s, data: data, ids: s.Config.NumIDs, named: -1,
		build: mlir.NewBuilder(mlir.Before(s.Op), s.Op.Location())}
	if !s.Config.Encoding.BindsEarly() {
		l.named = hostcall.NamedBy(s.Config, s.Op.NumOperands())
	}
	arrays, err := l.pass()
	if err != nil {
		return err
	}
	if err := c.bind(l, arrays); err != nil {
		return err
	}
	return l.replace(m, len(c.sites)-1)
}

// pass collects the operands and returns their shapes, in the order in which a site gets their arrays: the data, the ids,
// what names the callback, and the results that are not in an operand's memory.
func (l *lowering) pass() (arrays []tensor.Shape, err error) {
	s := l.site
	operands := []int{}
	for i := range len(l.data.Args) + l.ids {
		operands = append(operands, l.data.Before+i)
	}
	if l.named >= 0 {
		operands = append(operands, l.named)
	}
	for _, i := range operands {
		v := s.Op.Operand(i)
		shape, err := stablehlo.ShapeOf(v.Type())
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, shape)
		l.operands = append(l.operands, l.cast(v, signless(l.build, v.Type())))
		l.access = append(l.access, "read")
	}
	for i, shape := range l.data.Results {
		k := i // of an operand that passes through
		if s.Config.Form != contract.Passthrough {
			k = l.data.InPlace[i]
		}
		if k < 0 {
			k = len(l.operands)
			arrays = append(arrays, shape)
			l.operands = append(l.operands,
				l.create("tensor.empty", signless(l.build, s.Op.Result(l.data.Returned+i).Type())))
			l.access = append(l.access, "write")
		} else {
			l.access[k] = "read-write"
		}
		l.returned = append(l.returned, k)
	}
	return arrays, l.build.Err()
}

// create creates an operation with one result.
func (l *lowering) create(name string, t mlir.Type, operands ...mlir.Value) mlir.Value {
	if l.build.Err() != nil {
		return mlir.Value{}
	}
	return l.build.Create(mlir.OperationState{Name: name, Operands: operands, Results: []mlir.Type{t}}).Result(0)
}

// cast returns a value as one of a type that differs in signs.
func (l *lowering) cast(v mlir.Value, t mlir.Type) mlir.Value {
	if l.build.Err() != nil || v.Type().Equal(t) {
		return v
	}
	return l.create("builtin.unrealized_conversion_cast", t, v)
}

// signless returns a type of arrays without the signs of its elements, as linalg has them.
func signless(b *mlir.Builder, t mlir.Type) mlir.Type {
	elem, _ := t.Element()
	bits, sign, ok := elem.IntegerWidth()
	if !ok || sign == mlir.Signless {
		return t
	}
	dims, _ := t.Dims()
	plain, err := b.Context().TensorType(b.Context().IntegerType(bits, mlir.Signless), dims...)
	b.Fail(err)
	return plain
}

// replace adds the function of a site, and calls it in place of the operation.
func (l *lowering) replace(m *mlir.Module, site int) error {
	c, s := m.Context(), l.site
	name := fmt.Sprintf("calliope.call%d", site)
	added, err := c.Parse("callback", []byte(l.function(name, site)))
	if err != nil {
		return err
	}
	defer added.Close()
	for op := range added.Body().Operations() {
		if symbol, _ := op.Symbol(); symbol == name || site == 0 { // the runtime's function is declared once
			m.Body().Append(op.Clone())
		}
	}
	types := make([]mlir.Type, len(l.returned))
	for i, k := range l.returned {
		types[i] = l.operands[k].Type()
	}
	called := l.build.Create(mlir.OperationState{Name: "func.call", Operands: l.operands, Results: types,
		Attributes: []mlir.NamedAttribute{{Name: "callee", Value: c.SymbolAttribute(name)}}})
	for i, v := range s.Op.ResultValues() {
		if l.build.Err() != nil {
			break
		}
		if k := i - l.data.Returned; k >= 0 && k < len(types) {
			v.ReplaceAllUses(l.cast(called.Result(k), v.Type()))
		} else {
			v.ReplaceAllUses(l.passed(i, v.Type()))
		}
	}
	if l.build.Err() != nil {
		return l.build.Err()
	}
	return s.Op.Erase()
}

// passed returns what takes the place of a result that the callback does not fill: an id or token as it came, or zeros.
// The value of a token has no meaning.
func (l *lowering) passed(i int, t mlir.Type) mlir.Value {
	s, at := l.site, -1
	tokens := s.Op.NumResults() - s.Config.NumTokens // the first of them, which are the last results
	switch {
	case i < l.data.Returned: // a token of JAX
		if i < s.Tokens {
			at = i
		}
	case s.Config.Form == contract.Passthrough:
		at = l.data.Before + i
	case i >= tokens:
		at = l.data.Before + len(l.data.Args) + l.ids + i - tokens
	}
	if at >= 0 && s.Op.Operand(at).Type().Equal(t) {
		return s.Op.Operand(at)
	}
	if stablehlo.IsToken(t) {
		return l.create("stablehlo.create_token", t)
	}
	shape, err := stablehlo.ShapeOf(t)
	l.build.Fail(err)
	return stablehlo.Constant(l.build, tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())})
}

// function returns the text of the function that calls a site.
func (l *lowering) function(name string, site int) string {
	var parameters, results, values, body, pointers, types []string
	line := func(format string, a ...any) { body = append(body, "  "+fmt.Sprintf(format, a...)) }
	for i, v := range l.operands {
		t := v.Type().String()
		parameters = append(parameters, fmt.Sprintf("%%a%d: %s {bufferization.access = %q}", i, t, l.access[i]))
		buffer := "memref" + strings.TrimPrefix(t, "tensor")
		// The buffer is only read as far as this function says; what is written, the attribute says.
		line("%%b%d = bufferization.to_buffer %%a%d read_only : %s to %s", i, i, t, buffer)
		line("%%i%d = memref.extract_aligned_pointer_as_index %%b%d : %s -> index", i, i, buffer)
		line("%%w%d = arith.index_cast %%i%d : index to i64", i, i)
		line("%%p%d = llvm.inttoptr %%w%d : i64 to !llvm.ptr", i, i)
		pointers, types = append(pointers, fmt.Sprintf(", %%p%d", i)), append(types, ", !llvm.ptr")
	}
	for _, k := range l.returned {
		results = append(results, l.operands[k].Type().String())
		values = append(values, fmt.Sprintf("%%a%d", k))
	}
	line("%%site = llvm.mlir.constant(%d : i64) : i64", site)
	line("%%n = llvm.mlir.constant(%d : i64) : i64", len(l.operands))
	line("llvm.call @calliope_jit_call(%%site, %%n%s) vararg(!llvm.func<void (i64, i64, ...)>) : (i64, i64%s) -> ()",
		strings.Join(pointers, ""), strings.Join(types, ""))
	end := "return"
	if len(values) > 0 {
		end = fmt.Sprintf("return %s : %s", strings.Join(values, ", "), strings.Join(results, ", "))
	}
	return fmt.Sprintf("llvm.func @calliope_jit_call(i64, i64, ...)\nfunc.func private @%s(%s) -> (%s) {\n%s\n  %s\n}\n", name,
		strings.Join(parameters, ", "), strings.Join(results, ", "), strings.Join(body, "\n"), end)
}
