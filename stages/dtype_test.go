package stages_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestElementTypes passes arrays of each element type to a callback and back, also those that devices pack.
func TestElementTypes(t *testing.T) {
	check.NoRaces(t)
	register(t, "copy", func(f *callbacks.Frame) error {
		copy(f.Results[0].Data, f.Args[0].Data)
		return nil
	}, callbacks.Options{})
	client := newClient(t)
	same := 0
	for _, d := range tensor.DTypes() {
		t.Run(d.String(), func(t *testing.T) {
			b := builder.New(mlirtest.Context(t), builder.Options{})
			s := tensor.ShapeOf(d, 2, 3)
			f := b.Func("main", s)
			x := builder.Reverse(f.Param(0), 0)
			f.Return(builder.Reverse(builder.RuntimeCall(builder.Like(s), x, builder.Callback{Name: "copy"}), 1), x)
			m, err := b.Module()
			check.NoError(t, err)
			check.Cleanup(t, m)
			in := tensor.View{Shape: s, Data: make([]byte, s.NumBytes())}
			for i := range in.Data {
				in.Data[i] = byte(i % 2)
			}
			var want string
			for i, o := range []stages.Options{{Devices: stages.On(client.Engine())},
				{Devices: stages.On(client.Engine()), Force: cutAll("copy")}, {}} {
				e, err := stages.Compile(t.Context(), m, o)
				if err != nil {
					t.Fatalf("way %d: %v", i, err)
				}
				got, err := e.Call(t.Context(), in)
				check.NoError(t, e.Close())
				if err != nil {
					t.Fatalf("way %d: %v", i, err)
				}
				text := fmt.Sprint(got)
				if i == 0 {
					want = text
				}
				check.Diff(t, fmt.Sprintf("way %d", i), want, text)
			}
			same++
		})
	}
	check.Diff(t, "element types", len(tensor.DTypes()), same)
}
