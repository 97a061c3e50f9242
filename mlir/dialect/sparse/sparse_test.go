package sparse_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/sparse"
)

const function = "mlirSparseTensorEncodingAttrGet"

var sameParts = cmp.Options{
	cmp.Comparer(func(a, b affine.Map) bool { return a == b }),
	cmp.Comparer(func(a, b mlir.Attribute) bool { return a.Equal(b) }),
}

func TestEncoding(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		two := affine.Identity(c, 2)
		blocks := check.Must(affine.ParseMap(c, "(d0, d1) -> (d0 floordiv 2, d1 mod 4, d1 floordiv 4)"))
		nm := check.Must(affine.ParseMap(c, "(d0, d1) -> (d0, d1 floordiv 4, d1 mod 4)"))
		for want, e := range map[string]sparse.Encoding{
			"map = (d0, d1) -> (d0 : dense, d1 : compressed)": {
				Levels: []sparse.Level{{Format: sparse.Dense}, {Format: sparse.Compressed}}, DimToLevel: two,
				LevelToDim: two},
			"map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 8": {
				Levels: []sparse.Level{{Format: sparse.Compressed, NonUnique: true},
					{Format: sparse.Singleton, SoA: true}},
				DimToLevel: two, LevelToDim: two, PosWidth: 32, CrdWidth: 8},
			"map = (d0, d1) -> (d0 : batch, d1 : loose_compressed(nonordered)), explicitVal = 1.0 : f32, implicitVal = 0.0 : f32": {
				Levels:     []sparse.Level{{Format: sparse.Batch}, {Format: sparse.LooseCompressed, NonOrdered: true}},
				DimToLevel: two, LevelToDim: two, Explicit: mlirtest.Attribute(c, "1.0 : f32"),
				Implicit: mlirtest.Attribute(c, "0.0 : f32")},
			"map = (d0, d1) -> (d0 : dense, d1 floordiv 4 : dense, d1 mod 4 : structured[2, 4])": {
				Levels: []sparse.Level{{Format: sparse.Dense}, {Format: sparse.Dense},
					{Format: sparse.NOutOfM, N: 2, M: 4}},
				DimToLevel: nm},
			"map = [s0](d0, d1) -> (s0 : dense, d0 : compressed, d1 : compressed)": {
				Levels: []sparse.Level{{Format: sparse.Dense}, {Format: sparse.Compressed},
					{Format: sparse.Compressed}},
				DimToLevel: check.Must(affine.ParseMap(c, "(d0, d1)[s0] -> (s0, d0, d1)"))},
		} {
			a, err := e.Attribute(c)
			if !mlirtest.Supported(t, c.Library(), err, function) {
				continue
			}
			text := "#sparse_tensor.encoding<{ " + want + " }>"
			if !a.Equal(mlirtest.Attribute(c, text)) {
				t.Errorf("the attribute is %s, want %s", a, text)
			}
			got := check.Must(sparse.ReadEncoding(a))
			if e.LevelToDim.IsNil() {
				e.LevelToDim = got.LevelToDim // computed by MLIR
			}
			if diff := cmp.Diff(e, got, sameParts); diff != "" {
				t.Errorf("%s read back (-want +got):\n%s", text, diff)
			}
		}
		if !c.Library().Has(function) {
			_, err := sparse.ReadEncoding(c.UnitAttribute())
			mlirtest.Unsupported(t, err)
			return
		}
		dense := []sparse.Level{{Format: sparse.Dense}, {Format: sparse.Dense}}
		level := func(l sparse.Level) sparse.Encoding {
			return sparse.Encoding{Levels: []sparse.Level{{}, l}, DimToLevel: two}
		}
		for want, e := range map[string]sparse.Encoding{
			"must have at least one level":          {DimToLevel: two},
			"DimToLevel of the encoding is missing": {Levels: dense},
			"does not map dimensions to 2 levels":   {Levels: dense, DimToLevel: affine.Identity(c, 3)},
			"does not map dimensions to 3 levels": {Levels: append(dense, sparse.Level{}),
				DimToLevel: check.Must(affine.ParseMap(c, "(d0)[s0] -> (d0, s0)"))},
			"is not the inverse":                {Levels: dense, DimToLevel: two, LevelToDim: affine.Identity(c, 3)},
			"or 0 for an index, not 7":          {Levels: dense, DimToLevel: two, PosWidth: 7},
			"or 0 for an index, not -8":         {Levels: dense, DimToLevel: two, CrdWidth: -8},
			"has the unknown format 9":          level(sparse.Level{Format: 9}),
			"has the unknown format -1":         level(sparse.Level{Format: -1}),
			"it cannot have properties":         level(sparse.Level{NonUnique: true}),
			"not a singleton and cannot be SoA": level(sparse.Level{Format: sparse.Compressed, SoA: true}),
			"cannot have 5 out of 4":            level(sparse.Level{Format: sparse.NOutOfM, N: 5, M: 4}),
			"cannot have 1 out of 256":          level(sparse.Level{Format: sparse.NOutOfM, N: 1, M: 256}),
			"only NOutOfM has them":             level(sparse.Level{Format: sparse.Compressed, N: 1}),
		} {
			_, err := e.Attribute(c)
			check.Error(t, err, want)
		}
		// Encodings that the verifier of the dialect rejects.
		for _, e := range []sparse.Encoding{
			{Levels: []sparse.Level{{}, {}, {}}, DimToLevel: blocks},
			{Levels: dense, DimToLevel: two, Explicit: c.StringAttribute("s")},
			{Levels: []sparse.Level{{Format: sparse.Singleton}, {}}, DimToLevel: two},
		} {
			if a, err := e.Attribute(c); err == nil && !a.Equal(mlirtest.Attribute(c, a.String())) {
				t.Errorf("%s does not parse to itself", a)
			}
		}
		_, err := sparse.ReadEncoding(c.UnitAttribute())
		check.Error(t, err, "unit is not an encoding")
		check.Panics(t, "called on a zero value", func() { sparse.ReadEncoding(mlir.Attribute{}) })
		other := mlirtest.ContextOf(t, c.Library())
		check.Panics(t, "of another context",
			func() { sparse.Encoding{Levels: dense, DimToLevel: two}.Attribute(other) })
	})
}

// This example encodes a matrix in compressed sparse rows.
func ExampleEncoding() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	fmt.Println(sparse.Encoding{
		Levels:     []sparse.Level{{Format: sparse.Dense}, {Format: sparse.Compressed}},
		DimToLevel: affine.Identity(c, 2),
	}.Attribute(c))
	// Output: #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }> <nil>
}
