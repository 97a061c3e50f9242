package passes

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
)

// ConfigAttribute writes a Config as the backend_config of a custom call. It is the
// zero Attribute for the encoding that has none.
func ConfigAttribute(c *mlir.Context, config contract.Config) (mlir.Attribute, error) {
	attrs, err := config.Attrs()
	if err != nil || len(attrs) == 0 {
		return mlir.Attribute{}, err
	}
	entries := make([]mlir.NamedAttribute, len(attrs))
	for i, a := range attrs {
		entries[i].Name = a.Key
		switch v := a.Value.(type) {
		case string:
			entries[i].Value = c.StringAttribute(v)
		case bool:
			entries[i].Value = c.BoolAttribute(v)
		case int64:
			entries[i].Value = c.IntegerAttribute(c.IntegerType(64, mlir.Signless), v)
		case uint64: // a length, far from where the sign would be
			entries[i].Value = c.IntegerAttribute(c.IntegerType(64, mlir.Unsigned), int64(v))
		case []int64:
			entries[i].Value = mlir.NewDenseArray(c, v...)
		}
	}
	return c.DictionaryAttribute(entries...), nil
}

// configAttrs is the way back. What a Config cannot have stays nil, which Decode
// refuses.
func configAttrs(dictionary mlir.Attribute) []contract.Attr {
	var attrs []contract.Attr
	for key, a := range dictionary.Entries() {
		attr := contract.Attr{Key: key}
		switch a.Kind() {
		case mlir.AttrString:
			attr.Value, _ = a.Text()
		case mlir.AttrBool:
			attr.Value, _ = a.Bool()
		case mlir.AttrInteger:
			attr.Value = integer(a)
		case mlir.AttrDenseArray:
			if words, ok := mlir.DenseArrayOf[int64](a); ok {
				attr.Value = words
			}
		}
		attrs = append(attrs, attr)
	}
	return attrs
}

// integer is an integer as XLA hands it to a handler: only 64 bits are of use here.
func integer(a mlir.Attribute) any {
	t, _ := a.Type()
	bits, sign, _ := t.IntegerWidth()
	switch {
	case bits == 64 && sign == mlir.Unsigned:
		v, _ := a.Uint()
		return v
	case bits == 64:
		v, _ := a.Int()
		return v
	}
	return nil
}
