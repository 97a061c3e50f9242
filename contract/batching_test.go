package contract_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestDivide divides batches into the calls of their elements. Each array has its index in memory as its elements.
func TestDivide(t *testing.T) {
	for _, test := range []struct {
		parallel, signature string
		want                string  // the signature of an element
		in                  [][]int // the first number in each operand of each element
		err                 string
	}{
		{parallel: "", signature: "s8[2],s8[]->s8[3]", want: "s8[2],s8[]->s8[3]", in: [][]int{{0, 0}}},
		{
			parallel: "*.", signature: "s8[3,2],s8[4]->s8[3]", want: "s8[2],s8[4]->s8[]",
			in: [][]int{{0, 0}, {2, 0}, {4, 0}},
		},
		{
			parallel: "*..,*.*", signature: "s8[2,3,2],s8[4],s8[3]->s8[2,3]", want: "s8[2],s8[4],s8[]->s8[]",
			in: [][]int{{0, 0, 0}, {2, 0, 1}, {4, 0, 2}, {6, 0, 0}, {8, 0, 1}, {10, 0, 2}},
		},
		{
			parallel: "*.,.*", signature: "s8[2,5],s8[2]->", want: "s8[5],s8[]->",
			in: [][]int{{0, 0}, {0, 1}, {5, 0}, {5, 1}},
		},
		{parallel: "*", signature: "s8[0,2]->s8[0]", want: "s8[2]->s8[]"},
		{parallel: "*.", signature: "s8[3]->s8[3]", err: `callback "f" has 1 data operands, but its key parallel is "*."`},
		{parallel: "**", signature: "s8[3],s8[]->s8[3]", err: "operand 1 is s8[], which lacks dimension 0 of the batch"},
		{parallel: "**", signature: "s8[3],s8[2]->s8[3]", err: "operand 1 is s8[2], which lacks dimension 0 of the batch"},
		{parallel: "*,*", signature: "s8[3,2]->s8[3]", err: "result 0 is s8[3], which lacks dimension 1 of the batch"},
	} {
		t.Run(test.parallel+" "+test.signature, func(t *testing.T) {
			operands, results, err := contract.ParseSignature(test.signature)
			check.NoError(t, err)
			parts, err := contract.Config{Form: contract.Pure, Callback: "f",
				Batching: contract.Batching{Parallel: test.parallel}}.
				Divide(operands, results)
			if test.err != "" {
				check.Error(t, err, test.err)
				return
			}
			check.NoError(t, err)
			check.Diff(t, "an element", test.want, contract.Signature(parts.Operands, parts.Results))
			check.Diff(t, "number of elements", len(test.in), parts.Len())
			for i := range parts.Len() {
				in, out := parts.Of(numbered(operands), numbered(results), i)
				var first []int
				for _, v := range in {
					first = append(first, int(v.Data[0]))
					check.Diff(t, "bytes", v.Shape.NumBytes(), len(v.Data))
				}
				check.Diff(t, "operands", test.in[i], first)
				for _, v := range out {
					check.Diff(t, "result", i*v.Shape.NumBytes(), int(v.Data[0]))
				}
			}
		})
	}
}

func numbered(shapes []tensor.Shape) (list []tensor.View) {
	for _, s := range shapes {
		data := make([]byte, s.NumBytes())
		for i := range data {
			data[i] = byte(i)
		}
		list = append(list, tensor.View{Shape: s, Data: data})
	}
	return list
}
