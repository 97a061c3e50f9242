package callop

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
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
	if dictionary.IsNil() {
		return contract.Decode(nil)
	}
	attrs := Attributes(dictionary)
	for i, a := range attrs {
		if a.Value == nil {
			of, _ := dictionary.Entry(a.Key)
			attrs[i].Value = unread(of.String())
		}
	}
	return contract.Decode(attrs)
}

// unread is an attribute of a kind that no handler gets, as MLIR prints it.
type unread string
