package callop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestAttributes(t *testing.T) {
	dictionary, err := mlirtest.Context(t).ParseAttribute(
		`{a = true, b = "text", c = -1 : i8, d = 255 : ui8, e = 1.5 : f32, f = 2.5 : f64,
		g = array<i32: 1, 2>, h = dense<[3, 4]> : tensor<2xui16>, i = dense<7> : tensor<3xi64>, j = {k = 1 : i64}, l = [1], m = dense<1> : tensor<2x2xi32>,
		n = dense<0> : tensor<65536xi8>, o = dense<0> : tensor<1000000000000xi64>}`)
	check.NoError(t, err)
	want := []contract.Attr{
		{Key: "a", Value: true}, {Key: "b", Value: "text"}, {Key: "c", Value: int8(-1)}, {Key: "d", Value: uint8(255)},
		{Key: "e", Value: float32(1.5)}, {Key: "f", Value: 2.5}, {Key: "g", Value: []int32{1, 2}},
		{Key: "h", Value: []uint16{3, 4}},
		{Key: "i", Value: []int64{7, 7, 7}}, {Key: "j", Value: []contract.Attr{{Key: "k", Value: int64(1)}}},
		{Key: "l"}, {Key: "m"},
		{Key: "n", Value: make([]int8, 1<<16)}, {Key: "o"},
	}
	if diff := cmp.Diff(want, callop.Attributes(dictionary)); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
}
