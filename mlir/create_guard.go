package mlir

import (
	"fmt"
	"slices"
	"strings"
)

// The verifiers of some operations take for granted what the ones before them should
// have found, and crash: on Verify, and on String, which verifies too. These were found
// by making every operation that the libraries know with few and odd parts. What would
// crash is not made.
var createGuards = map[string]func(*OperationState) string{
	"linalg.broadcast":        operands(2),
	"linalg.transpose":        operands(2),
	"linalg":                  someOperand,
	"mhlo.reduce":             reduced,
	"sparse_tensor.coiterate": someOperand,
	"stablehlo.reduce":        reduced,
	"tm_tensor":               someOperand,
	"async.func":              functionType(1), // async.return takes the first for a token
	"gpu.func":                functionType(0), // the verifier asks for gpu.module around it before
	"tosa":                    tensorsOnly,
	"affine.dma_start":        func(s *OperationState) string { return transfer(s, "src_map", "dst_map", "tag_map") },
	"affine.dma_wait":         func(s *OperationState) string { return transfer(s, "tag_map") },
	"xegpu.create_mem_desc": func(s *OperationState) string {
		return want(allOf(s.Results, "!xegpu.mem_desc<"), "a result of type !xegpu.mem_desc")
	},
}

// createGuard is the guard of the operation, or of all of its dialect.
func createGuard(name string) func(*OperationState) string {
	if guard := createGuards[name]; guard != nil {
		return guard
	}
	dialect, _, _ := strings.Cut(name, ".")
	return createGuards[dialect]
}

// guarded is an error where the library would crash on what is about to be made.
func (k *operationKind) guarded(s *OperationState) error {
	if k.guard == nil || !k.registered {
		return nil
	}
	if missing := k.guard(&OperationState{Operands: slices.Clone(s.Operands), Results: slices.Clone(s.Results), Attributes: slices.Clone(s.Attributes), Regions: slices.Clone(s.Regions)}); missing != "" {
		return fmt.Errorf("mlir: %s needs %s: the library would crash on it", k.name, missing)
	}
	return nil
}

// guarded is that for an operation which was changed.
func (o Operation) guarded() error {
	kind := o.life.ctx.kind(o.Name())
	if kind.guard == nil {
		return nil
	}
	s := o.state()
	return kind.guarded(&s)
}

// state is what guards look at of an operation.
func (o Operation) state() (s OperationState) {
	for _, v := range o.Operands() {
		s.Operands = append(s.Operands, v)
	}
	for _, v := range o.Results() {
		s.Results = append(s.Results, v.Type())
	}
	for name, a := range o.Attributes() {
		s.Attributes = append(s.Attributes, NamedAttribute{name, a})
	}
	return s
}

func want(ok bool, what string) string {
	if ok {
		return ""
	}
	return what
}

// allOf reports whether the text of each type begins so.
func allOf(types []Type, prefixes ...string) bool {
	return !slices.ContainsFunc(types, func(t Type) bool {
		text := t.String()
		return !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
	})
}

func someOperand(s *OperationState) string { return want(len(s.Operands) > 0, "an operand") }

func operands(n int) func(*OperationState) string {
	return func(s *OperationState) string { return want(len(s.Operands) >= n, fmt.Sprintf("%d operands", n)) }
}

// reduced wants a body that returns something: the verifier indexes that.
func reduced(s *OperationState) string {
	for _, r := range s.Regions {
		first := r.First()
		if first.IsNil() || first.Terminator().IsNil() || first.Terminator().NumOperands() == 0 {
			return "a body that returns a value: make it before"
		}
	}
	return someOperand(s)
}

// functionType wants a type of functions with so many results.
func functionType(results int) func(*OperationState) string {
	return func(s *OperationState) string {
		return want(slices.ContainsFunc(s.Attributes, func(a NamedAttribute) bool {
			t, ok := a.Value.TypeValue()
			if !ok || a.Name != "function_type" {
				return false
			}
			_, out, ok := t.Signature()
			return ok && len(out) >= results
		}), fmt.Sprintf("as its attribute function_type a function type, with %d results or more", results))
	}
}

func tensorsOnly(s *OperationState) string {
	types := slices.Clone(s.Results)
	for _, v := range s.Operands {
		types = append(types, v.Type())
	}
	return want(allOf(types, "tensor<", "!tosa."), "operands and results that are tensors")
}

// transfer holds that an operation has its maps, and as many operands as these say: a
// memref and its indices for each, and at least one number.
func transfer(s *OperationState, maps ...string) string {
	operands := 1
	for _, name := range maps {
		i := slices.IndexFunc(s.Attributes, func(a NamedAttribute) bool { return a.Name == name })
		if i < 0 {
			return "the attribute " + name
		}
		m, ok := s.Attributes[i].Value.AffineMapValue()
		if !ok {
			return "an affine map as its attribute " + name
		}
		operands += 1 + m.NumInputs()
	}
	return want(len(s.Operands) >= operands, fmt.Sprintf("%d operands for its maps", operands))
}
