package stablehlo

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// TypedFFI is the custom call API version of XLA's typed FFI.
const TypedFFI = 4

// CustomCallOp is the operation stablehlo.custom_call: a call of code outside the module. The compiler
// finds it by the name of its target.
type CustomCallOp struct {
	Target   string
	Operands []mlir.Value
	Results  []mlir.Type
	// APIVersion is 4 for a handler of XLA's typed FFI, and 1 to 3 for the old untyped
	// handlers. 0 means unspecified.
	APIVersion int
	// HasSideEffect keeps the call when its results are not used. It orders nothing.
	HasSideEffect bool
	// BackendConfig is a dictionary in API version 4, and a string in others. Nil
	// leaves it out.
	BackendConfig mlir.Attribute
	Aliases       []OutputOperandAlias
	// OperandLayouts and ResultLayouts are minor-to-major, one for each operand and
	// result, or one for each element if the only result is a tuple. Both are nil, or
	// neither is.
	OperandLayouts, ResultLayouts [][]int64
	// CalledComputations holds the names of the module's functions that the target may
	// call.
	CalledComputations []string
}

// Create creates the operation. It checks everything but the types of layouts and aliases,
// which the verifier checks.
func (o CustomCallOp) Create(b *mlir.Builder) mlir.Operation {
	attributes, err := o.Attributes(b.Context())
	b.Fail(err)
	return b.Create(mlir.OperationState{
		Name: "stablehlo.custom_call", Operands: o.Operands, Results: o.Results, Attributes: attributes,
	})
}

// Attributes returns the attributes that Create gives the operation, for callers that
// make many alike. It makes the same checks as Create. Of the operands it uses only their
// number, and of the results their number and whether the only one is a tuple.
func (o CustomCallOp) Attributes(c *mlir.Context) ([]mlir.NamedAttribute, error) {
	attributes, err := o.attributes(c)
	if err != nil {
		return nil, fmt.Errorf("stablehlo.custom_call @%s: %w", o.Target, err)
	}
	return attributes, nil
}

func (o CustomCallOp) attributes(c *mlir.Context) ([]mlir.NamedAttribute, error) {
	if o.Target == "" {
		return nil, errors.New("the name of the target is missing")
	}
	if o.APIVersion < 0 || o.APIVersion > TypedFFI {
		return nil, fmt.Errorf("there is no API version %d: use 4 for a typed FFI handler", o.APIVersion)
	}
	if !o.BackendConfig.IsNil() {
		_, isString := o.BackendConfig.Text()
		switch {
		case o.APIVersion == TypedFFI && !o.BackendConfig.IsDictionary():
			return nil, errors.New("with API version 4 the backend config must be a dictionary")
		case o.APIVersion != TypedFFI && !isString:
			return nil, fmt.Errorf("with API version %d the backend config must be a string: only version 4 takes a dictionary", o.APIVersion)
		}
	}
	if len(o.Aliases) > 0 && len(o.Results) == 0 {
		return nil, errors.New("there is no result to alias an operand to") // StableHLO's verifier crashes
	}
	if (o.OperandLayouts == nil) != (o.ResultLayouts == nil) {
		return nil, errors.New("operand layouts and result layouts must be given together")
	}
	i32 := c.IntegerType(32, mlir.Signless)
	out := []mlir.NamedAttribute{
		{Name: "api_version", Value: c.IntegerAttribute(i32, int64(o.APIVersion))},
		{Name: "call_target_name", Value: c.StringAttribute(o.Target)},
		// Always written, because tools disagree on what its absence means.
		{Name: "has_side_effect", Value: c.BoolAttribute(o.HasSideEffect)},
	}
	add := func(name string, a mlir.Attribute) {
		out = append(out, mlir.NamedAttribute{Name: name, Value: a})
	}
	if !o.BackendConfig.IsNil() {
		add("backend_config", o.BackendConfig)
	}
	if len(o.CalledComputations) > 0 {
		var symbols []mlir.Attribute
		for _, name := range o.CalledComputations {
			if name == "" {
				return nil, errors.New("a called computation has no name")
			}
			symbols = append(symbols, c.SymbolAttribute(name))
		}
		add("called_computations", c.ArrayAttribute(symbols...))
	}
	if o.OperandLayouts != nil {
		for _, l := range []struct {
			name    string
			layouts [][]int64
			n       int
		}{{"operand_layouts", o.OperandLayouts, len(o.Operands)},
			{"result_layouts", o.ResultLayouts, len(o.resultParts())}} {
			if len(l.layouts) != l.n {
				return nil, fmt.Errorf("%s has %d entries, but needs %d", l.name, len(l.layouts), l.n)
			}
			a, err := layoutsAttribute(c, l.layouts)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.name, err)
			}
			add(l.name, a)
		}
	}
	if len(o.Aliases) > 0 {
		var aliases []mlir.Attribute
		for _, alias := range o.Aliases {
			a, err := alias.Attribute(c)
			if err != nil {
				return nil, err
			}
			aliases = append(aliases, a)
		}
		add("output_operand_aliases", c.ArrayAttribute(aliases...))
	}
	return out, nil
}

// resultParts returns the types that have an entry in ResultLayouts.
func (o CustomCallOp) resultParts() []mlir.Type {
	if len(o.Results) == 1 {
		if elements, isTuple := o.Results[0].Elements(); isTuple {
			return elements
		}
	}
	return o.Results
}

// layoutsAttribute returns an array of dense<…> : tensor<Nxindex>, one for each layout.
func layoutsAttribute(c *mlir.Context, layouts [][]int64) (mlir.Attribute, error) {
	var out []mlir.Attribute
	for _, l := range layouts {
		t, err := c.TensorType(c.IndexType(), int64(len(l)))
		if err != nil {
			return mlir.Attribute{}, err
		}
		a, err := c.ParseAttribute("dense<" + ods.List(l) + "> : " + t.String())
		if err != nil {
			return mlir.Attribute{}, err
		}
		out = append(out, a)
	}
	return c.ArrayAttribute(out...), nil
}

// AsCustomCall returns op as a CustomCallOp. It returns false if op is another operation.
// The API version is 1 if op does not have one. Attributes of other dialects on the call,
// such as JAX's mhlo.backend_config, are not read.
func AsCustomCall(op mlir.Operation) (CustomCallOp, bool) {
	if op.Name() != "stablehlo.custom_call" {
		return CustomCallOp{}, false
	}
	return ReadCustomCall(op), true
}

// ReadCustomCall is AsCustomCall for an operation of another dialect that has the attributes of a
// custom call, such as mhlo.custom_call. Aliases of another dialect are not read.
func ReadCustomCall(op mlir.Operation) CustomCallOp {
	o := CustomCallOp{APIVersion: 1, Operands: op.OperandValues(), Results: mlir.TypesOf(op.ResultValues())}
	// By name: MLIR makes the whole list of attributes anew for each one that an iteration returns.
	for _, name := range customCallAttributes {
		a, ok := op.Attribute(name)
		if !ok {
			continue
		}
		switch name {
		case "call_target_name":
			o.Target, _ = a.Text()
		case "api_version":
			v, _ := a.Int()
			o.APIVersion = int(v)
		case "has_side_effect":
			o.HasSideEffect, _ = a.Bool()
		case "backend_config":
			o.BackendConfig = a
		case "output_operand_aliases":
			elements, _ := a.Elements()
			for _, e := range elements {
				if alias, ok := AsOutputOperandAlias(e); ok {
					o.Aliases = append(o.Aliases, alias)
				}
			}
		case "called_computations":
			elements, _ := a.Elements()
			for _, e := range elements {
				symbol, _ := e.Symbol()
				o.CalledComputations = append(o.CalledComputations, symbol)
			}
		case "operand_layouts":
			o.OperandLayouts = layouts(a)
		case "result_layouts":
			o.ResultLayouts = layouts(a)
		}
	}
	return o
}

// TypedConfig reports whether XLA serves a custom call by a handler of its typed FFI. It returns the dictionary of
// attributes that the handler gets, the zero Attribute if there is none. Such a call has the API version 4, and the
// dictionary in backend_config. Or, as JAX writes it, it has version 1 or none, no backend_config or an empty string,
// and an mhlo.backend_config, which gives no attributes if it is not a dictionary.
func TypedConfig(op mlir.Operation) (dictionary mlir.Attribute, typed bool) {
	config, has := op.Attribute("backend_config")
	if a, ok := op.Attribute("api_version"); ok {
		switch version, _ := a.Int(); version {
		case TypedFFI:
			return config, true
		case 1:
		default:
			return mlir.Attribute{}, false
		}
	}
	if has {
		if text, ok := config.Text(); !ok || text != "" {
			return mlir.Attribute{}, false
		}
	}
	if dictionary, typed = op.Attribute("mhlo.backend_config"); typed && !dictionary.IsDictionary() {
		dictionary = mlir.Attribute{}
	}
	return dictionary, typed
}

var customCallAttributes = []string{
	"call_target_name", "api_version", "has_side_effect", "backend_config", "output_operand_aliases",
	"called_computations", "operand_layouts", "result_layouts",
}

func layouts(a mlir.Attribute) [][]int64 {
	elements, _ := a.Elements()
	out := make([][]int64, len(elements))
	for i, e := range elements {
		out[i] = e.Indices()
	}
	return out
}
