// Package callback makes the custom calls of a module that functions of the host serve calls out of compiled code.
//
// Lower replaces each one, while the module is one of tensors, by a call of a function that is added to the module.
// Bufferization reads from the attributes of its parameters which arrays the call reads and which it writes, and copies
// only an array that is needed afterwards. The function passes the addresses of its arrays to package runtime, and thus
// to Calls.
package callback

import (
	"cmp"
	"fmt"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/run/hostcall"
	"github.com/calliope-mlir/calliope/internal/run/hostcall/reader"
	"github.com/calliope-mlir/calliope/jit/internal/extern"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Lower replaces the custom calls of a module that functions of the host serve, and binds them. The module has
// operations of StableHLO. The caller must close the Calls.
func Lower(m *mlir.Module, t reader.Targets) (*Calls, error) {
	var r callop.Reader
	c := newCalls()
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		if call, _ := stablehlo.AsCustomCall(op); call.Target == callop.Device {
			if err := c.lowerDevice(m, op); err != nil {
				c.Close()
				return nil, err
			}
			continue
		}
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

// lowerDevice has the code tell which device makes the calls that follow.
func (c *Calls) lowerDevice(m *mlir.Module, op mlir.Operation) error {
	b := mlir.NewBuilder(mlir.Before(op), op.Location())
	call := extern.Call{Function: "calliope_jit_device",
		Arrays: []extern.Array{{Value: op.Operand(0), Access: extern.Read}}}
	call.Create(b, m, fmt.Sprintf("calliope.device%d", c.devices))
	c.devices++
	return cmp.Or(b.Err(), op.Erase())
}

func located(op mlir.Operation, err error) error {
	if p := op.Location().Position(); !p.IsZero() {
		return fmt.Errorf("the custom call at %s: %w", p, err)
	}
	return fmt.Errorf("a custom call: %w", err)
}

// A lowering is what takes the place of one call.
type lowering struct {
	site  *reader.Site
	data  reader.Data
	ids   int // the number of ids
	named int // the operand that names the callback or its server; -1 if there is none

	build   *mlir.Builder
	arrays  []tensor.Shape // the data, the ids, what names the callback, the results in no operand's memory
	place   []int          // in call.Arrays, by array; -1 for one without elements, which is not passed
	results []int          // the arrays that are results
	call    extern.Call
}

// lower replaces one call, and adds its site to c.
func (c *Calls) lower(m *mlir.Module, s *reader.Site) error {
	data, err := s.Data() // of the shapes that the module states, whatever the layouts
	if err != nil {
		return err
	}
	if err := s.SetLayouts(); err != nil {
		return err
	}
	l := &lowering{site: s, data: data, ids: s.Config.NumIDs, named: -1,
		build: mlir.NewBuilder(mlir.Before(s.Op), s.Op.Location())}
	if !s.Config.Host.Encoding.BindsEarly() {
		l.named = hostcall.NamedBy(s.Config, s.Op.NumOperands())
	}
	if err := l.pass(); err != nil {
		return err
	}
	if err := c.bind(l); err != nil {
		return err
	}
	return l.replace(m, len(c.sites)-1)
}

// pass collects the arrays, in the order in which a site gets them.
func (l *lowering) pass() error {
	s := l.site
	operands := []int{}
	for i := range len(l.data.Args) + l.ids {
		operands = append(operands, l.data.Before+i)
	}
	if l.named >= 0 {
		operands = append(operands, l.named)
	}
	for k, i := range operands {
		v := s.Op.Operand(i)
		shape, err := stablehlo.ShapeOf(v.Type())
		if err != nil {
			return err
		}
		if k < len(l.data.Args) {
			shape = l.data.Args[k]
		}
		l.add(shape, extern.Cast(l.build, v, extern.Signless(l.build, v.Type())), extern.Read)
	}
	for i, shape := range l.data.Results {
		k := i // of an operand that passes through
		if s.Config.Form != contract.Passthrough {
			k = l.data.InPlace[i]
		}
		if k < 0 {
			k = len(l.arrays)
			l.add(shape, extern.Empty(l.build, s.Op.Result(l.data.Returned+i).Type()), extern.Write)
		} else if at := l.place[k]; at >= 0 {
			l.call.Arrays[at].Access = extern.ReadWrite
		}
		l.results = append(l.results, k)
	}
	return l.build.Err()
}

// add adds an array.
func (l *lowering) add(shape tensor.Shape, v mlir.Value, access extern.Access) {
	l.arrays = append(l.arrays, shape)
	if shape.NumElements() == 0 {
		l.place = append(l.place, -1)
		return
	}
	l.place = append(l.place, len(l.call.Arrays))
	l.call.Arrays = append(l.call.Arrays, extern.Array{Value: v, Access: access})
}

// replace puts the call of a site in the place of the operation.
func (l *lowering) replace(m *mlir.Module, site int) error {
	l.call.Function, l.call.Fixed = "calliope_jit_call", 2
	l.call.Numbers = []int64{int64(site), int64(len(l.call.Arrays))}
	after := l.call.Create(l.build, m, fmt.Sprintf("calliope.call%d", site))
	for i, v := range l.site.Op.ResultValues() {
		if l.build.Err() != nil {
			return l.build.Err()
		}
		if k := i - l.data.Returned; k >= 0 && k < len(l.results) && l.place[l.results[k]] >= 0 {
			v.ReplaceAllUses(extern.Cast(l.build, after[l.place[l.results[k]]], v.Type()))
		} else {
			v.ReplaceAllUses(l.passed(i, v.Type()))
		}
	}
	if l.build.Err() != nil {
		return l.build.Err()
	}
	return l.site.Op.Erase()
}

// passed returns what takes the place of a result that the function does not return: an id or token as it came, or
// zeros. The value of a token has no meaning.
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
		return stablehlo.CreateTokenOp{}.Create(l.build).Result(0)
	}
	shape, err := stablehlo.ShapeOf(t)
	l.build.Fail(err)
	return stablehlo.Constant(l.build, tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())})
}
