package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// addConverter creates the library's type converter for a pattern. Without a TypeConverter,
// the types stay as they are.
func (v *Conversion) addConverter(t *capi.Table, p ConversionPattern) capi.MlirTypeConverter {
	types := p.Types
	if types == nil {
		types = &TypeConverter{Convert: func(t Type) ([]Type, bool) { return []Type{t}, true }}
	}
	functions := capi.TypeConverter{Convert: func(from capi.MlirType) ([]capi.MlirType, bool) {
		to, ok := v.convertType(types, v.ctx.typ(from))
		raw := make([]capi.MlirType, len(to))
		for i, t := range to {
			raw[i] = t.raw
		}
		return raw, ok
	}}
	if types.Source != nil {
		functions.Source = func(r capi.MlirRewriterBase, to capi.MlirType, inputs []capi.MlirValue,
			loc capi.MlirLocation) (made capi.MlirValue) {
			v.materialize(t, r, "TypeConverter.Source", inputs, func(r *Rewriter, from []Value) error {
				value, err := types.Source(r, v.ctx.typ(to), from, v.ctx.location(loc))
				if err != nil || value.IsNil() {
					return err
				}
				raw, err := v.made(value, v.ctx.typ(to), "TypeConverter.Source")
				made = raw
				return err
			})
			return made
		}
	}
	if types.Target != nil {
		functions.Target = func(r capi.MlirRewriterBase, to []capi.MlirType, inputs []capi.MlirValue,
			loc capi.MlirLocation, original capi.MlirType, out []capi.MlirValue) (done bool) {
			v.materialize(t, r, "TypeConverter.Target", inputs, func(r *Rewriter, from []Value) error {
				wanted := make([]Type, len(to))
				for i := range to {
					wanted[i] = v.ctx.typ(to[i])
				}
				var of Type
				if original.Ptr != nil {
					of = v.ctx.typ(original)
				}
				values, err := types.Target(r, wanted, from, v.ctx.location(loc), of)
				if err != nil || len(values) == 0 && len(to) > 0 {
					return err
				}
				if len(values) != len(to) {
					return fmt.Errorf("mlir: TypeConverter.Target returned %d values instead of %d", len(values),
						len(to))
				}
				for i, value := range values {
					if out[i], err = v.made(value, wanted[i], "TypeConverter.Target"); err != nil {
						return err
					}
				}
				done = true
				return nil
			})
			return done
		}
	}
	converter, destroy := capi.CreateTypeConverter(t, functions)
	v.forget = append(v.forget, destroy)
	return converter
}

// convertType calls TypeConverter.Convert.
func (v *Conversion) convertType(types *TypeConverter, from Type) (to []Type, ok bool) {
	if v.failed != nil {
		return nil, false
	}
	err := recovered(func() error {
		if to, ok = types.Convert(from); !ok {
			return nil
		}
		for _, t := range to {
			t.in(v.ctx, "TypeConverter.Convert")
		}
		return nil
	})
	if err != nil {
		v.failed = &PatternError{Pattern: "TypeConverter.Convert", Err: err}
		return nil, false
	}
	return to, ok
}

// materialize calls Go code that creates values, with a rewriter at the place for them.
func (v *Conversion) materialize(
	t *capi.Table, raw capi.MlirRewriterBase, name string, inputs []capi.MlirValue, f func(*Rewriter, []Value) error,
) {
	v.call(name, capi.MlirOperation{}, false, func(this *call) error {
		c := v.ctx
		r := &Rewriter{c: c, raw: raw, life: this.life, call: this, at: point{
			block:  c.block(capi.MlirRewriterBaseGetInsertionBlock(t, raw)),
			before: c.operation(capi.MlirRewriterBaseGetOperationAfterInsertion(t, raw))}}
		from := make([]Value, len(inputs))
		for i, input := range inputs {
			from[i] = c.value(input)
		}
		return f(r, from)
	})
}

// made returns a value that a materialization created, if it has the type that is wanted.
func (v *Conversion) made(value Value, want Type, by string) (capi.MlirValue, error) {
	raw := value.in(v.ctx, by)
	if got := value.Type(); got != want {
		return capi.MlirValue{}, fmt.Errorf("mlir: %s returned a value of type %s instead of %s", by, got, want)
	}
	return raw, nil
}
