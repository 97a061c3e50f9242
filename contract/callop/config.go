package callop

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// ConfigAttribute returns a Config as the backend_config of a custom call, or the zero
// Attribute for the encoding that has none.
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
		case uint64: // a length, too small to be negative
			entries[i].Value = c.IntegerAttribute(c.IntegerType(64, mlir.Unsigned), int64(v))
		case []int64:
			entries[i].Value = mlir.NewDenseArray(c, v...)
		}
	}
	return c.DictionaryAttribute(entries...), nil
}

// ReadConfig reads a backend_config as the runtime does. The zero Attribute means that there is
// none.
func ReadConfig(dictionary mlir.Attribute) (contract.Config, error) {
	var attrs []contract.Attr
	if !dictionary.IsNil() {
		for key, a := range dictionary.Entries() {
			attrs = append(attrs, contract.Attr{Key: key, Value: valueOf(a)})
		}
	}
	return contract.Decode(attrs)
}

// valueOf returns the Go value of an attribute that the call frame of the typed FFI has.
func valueOf(a mlir.Attribute) any {
	switch a.Kind() {
	case mlir.AttrString:
		v, _ := a.Text()
		return v
	case mlir.AttrBool:
		v, _ := a.Bool()
		return v
	case mlir.AttrInteger:
		return integer(a)
	case mlir.AttrFloat:
		v, _ := a.Float()
		return v
	case mlir.AttrDenseArray:
		if words, ok := mlir.DenseArrayOf[int64](a); ok {
			return words
		}
	case mlir.AttrDenseElements:
		// XLA treats both the same, and portable artifacts have no other arrays.
		if words, ok := elements(a); ok {
			return words
		}
	}
	return unread(a.String())
}

// maxElements is greater than the number of words of any id. A splat of a few bytes may have
// very many elements.
const maxElements = 1 << 16

// elements returns the elements of a list of i64.
func elements(a mlir.Attribute) ([]int64, bool) {
	t, _ := a.Type()
	shape, err := stablehlo.ShapeOf(t)
	if err != nil || shape.DType != tensor.S64 || shape.Rank() != 1 || shape.Dims[0] > maxElements {
		return nil, false
	}
	d, err := mlir.DenseOf[int64](a)
	if err != nil {
		return nil, false
	}
	words, err := d.Values()
	return words, err == nil
}

// integer returns an integer in the Go type of its width in the module.
func integer(a mlir.Attribute) any {
	t, _ := a.Type()
	bits, sign, _ := t.IntegerWidth()
	v, _ := a.Int()
	switch unsigned := sign == mlir.Unsigned; {
	case bits == 64 && unsigned:
		return uint64(v)
	case bits == 64:
		return v
	case bits == 32 && unsigned:
		return uint32(v)
	case bits == 32:
		return int32(v)
	}
	return unread(a.String())
}

// unread is an attribute of a kind that the contract does not use, as MLIR prints it.
type unread string
