package contract_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestTransforms(t *testing.T) {
	for _, test := range []struct {
		name       string
		list       []contract.Transform
		text, form string
	}{
		{"none", nil, "", ""},
		{"batch", []contract.Transform{contract.Batch(0, 0)},
			`[{"name":"batch","params":{"batch_dims":[0,0]}}]`, "[('batch', {'batch_dims': (0, 0)})]"},
		{"an argument that is not batched", []contract.Transform{contract.Batch(contract.NotBatched, 0)},
			`[{"name":"batch","params":{"batch_dims":[null,0]}}]`, "[('batch', {'batch_dims': (None, 0)})]"},
		{"one argument", []contract.Transform{contract.Batch(1)},
			`[{"name":"batch","params":{"batch_dims":[1]}}]`, "[('batch', {'batch_dims': (1,)})]"},
		{"composed", []contract.Transform{contract.JVP(), contract.Transpose(), contract.Batch(contract.NotBatched, 0)},
			`[{"name":"jvp"},{"name":"transpose"},{"name":"batch","params":{"batch_dims":[null,0]}}]`,
			"['jvp', 'transpose', ('batch', {'batch_dims': (None, 0)})]"},
		{"mask", []contract.Transform{contract.Mask([]int{2, 3}, nil)},
			`[{"name":"mask","params":{"logical_shapes":[[2,3],[]]}}]`, "[('mask', {'logical_shapes': ((2, 3), ())})]"},
		{"others", []contract.Transform{{Name: "own", Params: map[string]any{
			"b": true, "a": "it's", "f": 0.5, "m": map[string]any{"k": false, "n": nil}, "n": int64(1) << 60,
			"w": float64(1e30), "x": float64(-2), "y": map[string]any{}, "q": `"'`,
		}}}, `[{"name":"own","params":{"a":"it's","b":true,"f":0.5,"m":{"k":false,"n":null},"n":1152921504606846976,"q":"\"'","w":1e+30,"x":-2.0,"y":{}}}]`,
			`[('own', {'a': "it's", 'b': True, 'f': 0.5, 'm': {'k': False, 'n': None}, 'n': 1152921504606846976, 'q': '"\'', 'w': 1e+30, 'x': -2.0, 'y': {}})]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := check.Must(contract.EncodeTransforms(test.list...))
			check.Diff(t, "text", test.text, text)
			check.Diff(t, "form", test.form, contract.TransformText(text))
			list, ok := contract.DecodeTransforms(text)
			if d := cmp.Diff(test.list, list); d != "" || ok != (len(test.list) > 0) {
				t.Errorf("decoded (%v) (-want +got):\n%s", ok, d)
			}
		})
	}
}

// TestTransformText keeps texts that are not lists of transformations.
func TestTransformText(t *testing.T) {
	for _, text := range []string{"", "vmap(8)", "[('batch', {'batch_dims': (0, 0)})]", "[]", "null", "3",
		`[{"name":""}]`, `[{"name":"a","x":1}]`, `[{"name":"a"}] and more`, `[{"name":"a","params":{"x":1e999}}]`} {
		check.Diff(t, "text", text, contract.TransformText(text))
		if list, ok := contract.DecodeTransforms(text); ok {
			t.Errorf("%q is decoded as %v", text, list)
		}
	}
}

func TestTransformErrors(t *testing.T) {
	for _, test := range []struct {
		transform contract.Transform
		want      string
	}{
		{contract.Transform{}, "transform 0 has no name"},
		{contract.Transform{Name: "a", Params: map[string]any{"x": math.NaN()}},
			`parameter "x" of the transform "a" is NaN, which JSON cannot hold`},
		{contract.Transform{Name: "a", Params: map[string]any{"x": []any{[]int{1}}}},
			`parameter "x" of the transform "a" is a []int: use nil`},
		{contract.Transform{Name: "a", Params: map[string]any{"x": map[string]any{"y": uint8(1)}}},
			"is a uint8: use nil"},
	} {
		_, err := contract.EncodeTransforms(test.transform)
		check.Error(t, err, test.want)
	}
}

func FuzzTransformText(f *testing.F) {
	f.Add(`[{"name":"batch","params":{"batch_dims":[null,0]}}]`)
	f.Add(`[{"name":"'\"\\"}]`)
	f.Add(`[{"name":"a","params":{}}]`)
	f.Add(`[{"name":"a","params":{"x":{},"y":[],"z":[1,-2.5,1e9,true,"s",null]}},{"name":"b"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		list, ok := contract.DecodeTransforms(text)
		contract.TransformText(text)
		if !ok {
			return
		}
		again, ok := contract.DecodeTransforms(check.Must(contract.EncodeTransforms(list...)))
		if d := cmp.Diff(list, again); d != "" || !ok {
			t.Errorf("encoded and decoded again (-want +got):\n%s", d)
		}
	})
}
