package operations_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tools/soak/structs"
)

// FuzzCreate creates operations one after the other in a block. Each takes four bytes of the
// input: two for the operation, one for the type, one for the numbers of parts. None may end
// the process. Their number is limited: printing one, and failing to create one with regions,
// takes time that grows with the module.
func FuzzCreate(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 1, 44, 3, 2})
	f.Add([]byte{3, 9, 9, 7, 2, 200, 14, 5})
	library := mlirtest.Library(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := library.NewContext(mlir.ContextOptions{})
		defer c.Close()
		m := c.NewModule(mlir.Location{})
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		number := b.Create(mlir.OperationState{Name: "arith.constant", Results: []mlir.Type{b.Type("i32")},
			Attributes: []mlir.NamedAttribute{{Name: "value", Value: b.Attribute("1 : i32")}}}).Result(0)
		data = data[:min(len(data), 4*100)]
		for ; len(data) >= 4; data = data[4:] {
			op := structs.All[(int(data[0])<<8+int(data[1]))%len(structs.All)]
			typ, err := c.ParseType(typeTexts[int(data[2])%len(typeTexts)])
			if err != nil {
				continue
			}
			value := b.Create(mlir.OperationState{Name: "builtin.unrealized_conversion_cast",
				Operands: []mlir.Value{number}, Results: []mlir.Type{typ}}).Result(0)
			p := &parts{c: c, value: value, other: value, n: int(data[3] % 4), typ: typ, attr: c.UnitAttribute(),
				text: "x", number: int64(int8(data[3]))}
			made := mlir.NewBuilder(m.Body(), mlir.Location{})
			_ = op.Make(p, data[3]&8 == 0).Create(made).String()
		}
		_ = m.Verify()
		_ = m.String()
	})
}
