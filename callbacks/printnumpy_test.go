package callbacks_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

var arrays = flag.String("arrays", "testdata/arrays.json",
	"the arrays that TestPrintReadsLikeNumPy prints, as testdata/arrays.py writes them")

// Arrays of all types, with NaN and infinities, empty ones, scalars, long and wide
// ones read as NumPy writes them. So do scalars in a format.
func TestPrintReadsLikeNumPy(t *testing.T) {
	data, err := os.ReadFile(*arrays)
	check.NoError(t, err)
	var cases []struct {
		DType                             string
		Dims                              []int
		Data, Text                        string
		Scalar                            *string
		Threshold, Edge, Width, Precision int
	}
	check.NoError(t, json.Unmarshal(data, &cases))
	if len(cases) < 400 {
		t.Fatalf("there are only %d cases", len(cases))
	}
	failed := 0
	seen := map[tensor.DType]bool{}
	for i, c := range cases {
		d, err := tensor.ParseDType(c.DType)
		check.NoError(t, err)
		seen[d] = true
		raw, err := hex.DecodeString(c.Data)
		check.NoError(t, err)
		v := tensor.View{Shape: tensor.ShapeOf(d, c.Dims...), Data: raw}
		o := callbacks.PrintOptions{Threshold: c.Threshold, EdgeItems: c.Edge, LineWidth: c.Width,
			Precision: c.Precision}
		got, want := printed(t, o, v), c.Text+"\n"
		if c.Scalar != nil {
			o.Format = "{}"
			got, want = got+printed(t, o, v), want+*c.Scalar+"\n"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("case %d, %s (-NumPy +got):\n%s\n%s\nfor\n%s", i, v.Shape, diff, c.Data, want)
			if failed++; failed > 10 {
				t.FailNow()
			}
		}
	}
	if len(seen) < len(tensor.DTypes()) && len(cases) < 10000 {
		t.Errorf("of %d element types only %d are printed", len(tensor.DTypes()), len(seen))
	}
}

// printed is what Print writes of arrays.
func printed(t testing.TB, o callbacks.PrintOptions, args ...tensor.View) string {
	t.Helper()
	var b bytes.Buffer
	o.To = &b
	p, err := callbacks.Print(o)
	check.NoError(t, err)
	check.NoError(t, p(&callbacks.Frame{Name: "p", Args: args}))
	return b.String()
}
