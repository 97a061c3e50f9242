package operations_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/affine"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
	"github.com/calliope-mlir/calliope/mlir/dialect/ptr"
	"github.com/calliope-mlir/calliope/tools/soak/structs"
)

type creator = structs.Creator

func of[T creator](name string, read func(mlir.Operation) (T, bool)) structs.Operation {
	return structs.Operation{Name: name, Zero: *new(T),
		Read: func(op mlir.Operation) (creator, bool) { return read(op) }}
}

// TestProperties creates operations with properties that are not attributes, and reads them.
func TestProperties(t *testing.T) {
	const address = "!ptr.ptr<#ptr.generic_space>"
	tests := []struct {
		of   structs.Operation
		make func(c *mlir.Context, in []mlir.Value) creator
		want string
	}{
		{of("llvm.add", llvm.AsAdd), func(c *mlir.Context, in []mlir.Value) creator {
			return llvm.AddOp{LHS: in[0], RHS: in[0],
				OverflowFlags: llvm.IntegerOverflowFlagsNsw | llvm.IntegerOverflowFlagsNuw}
		}, "llvm.add %arg0, %arg0 overflow<nsw, nuw> : i32"},
		{of("llvm.sub", llvm.AsSub), func(c *mlir.Context, in []mlir.Value) creator {
			return llvm.SubOp{LHS: in[0], RHS: in[0], OverflowFlags: llvm.IntegerOverflowFlagsNuw}
		}, "llvm.sub %arg0, %arg0 overflow<nuw> : i32"},
		{of("llvm.mul", llvm.AsMul), func(c *mlir.Context, in []mlir.Value) creator {
			return llvm.MulOp{LHS: in[0], RHS: in[0], OverflowFlags: llvm.IntegerOverflowFlagsNsw}
		}, "llvm.mul %arg0, %arg0 overflow<nsw> : i32"},
		{of("llvm.shl", llvm.AsShl), func(c *mlir.Context, in []mlir.Value) creator {
			return llvm.ShlOp{LHS: in[0], RHS: in[0]}
		}, "llvm.shl %arg0, %arg0 : i32"},
		{of("llvm.trunc", llvm.AsTrunc), func(c *mlir.Context, in []mlir.Value) creator {
			return llvm.TruncOp{Arg: in[0], ResType: c.IntegerType(8, mlir.Signless),
				OverflowFlags: llvm.IntegerOverflowFlagsNsw}
		}, "llvm.trunc %arg0 overflow<nsw> : i32 to i8"},
		{of("llvm.getelementptr", llvm.AsGEP), func(c *mlir.Context, in []mlir.Value) creator {
			return llvm.GEPOp{Base: in[1], RawConstantIndices: []int32{1}, ElemType: in[0].Type(),
				ResType:     in[1].Type(),
				NoWrapFlags: llvm.GEPNoWrapFlagsInbounds | llvm.GEPNoWrapFlagsNuw}
		}, "llvm.getelementptr inbounds|nuw %arg1[1] : (!llvm.ptr) -> !llvm.ptr, i32"},
		{of("affine.linearize_index", affine.AsLinearizeIndex), func(c *mlir.Context, in []mlir.Value) creator {
			return affine.LinearizeIndexOp{MultiIndex: []mlir.Value{in[2], in[2]}, StaticBasis: []int64{2, 3},
				LinearIndexType: in[2].Type(), Disjoint: true}
		}, "affine.linearize_index disjoint [%arg2, %arg2] by (2, 3) : index"},
		{of("ptr.ptr_add", ptr.AsAdd), func(c *mlir.Context, in []mlir.Value) creator {
			return ptr.AddOp{Base: in[3], Offset: in[0], Flags: ptr.PtrAddFlagsNuw}
		}, "ptr.ptr_add nuw %arg3, %arg0 : " + address + ", i32"},
		{of("ptr.load", ptr.AsLoad), func(c *mlir.Context, in []mlir.Value) creator {
			return ptr.LoadOp{Ptr: in[3], ValueType: in[0].Type(), Alignment: 8, Ordering: ptr.AtomicOrderingAcquire,
				Volatile: true, Nontemporal: true}
		}, "ptr.load volatile %arg3 atomic acquire nontemporal alignment = 8 : " + address + " -> i32"},
		{of("ptr.store", ptr.AsStore), func(c *mlir.Context, in []mlir.Value) creator {
			return ptr.StoreOp{Ptr: in[3], Value: in[0], InvariantGroup: true}
		}, "ptr.store %arg0, %arg3 invariant_group : i32, " + address},
	}
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		function := "func.func @f(%arg0: i32, %arg1: !llvm.ptr, %arg2: index) {\n  return\n}"
		if c.Registered("ptr.load") {
			function = strings.Replace(function, "index", "index, %arg3: "+address, 1)
		}
		for _, test := range tests {
			if !c.Registered(test.of.Name) {
				continue
			}
			m := mlirtest.Parse(t, c, function)
			block := m.Body().First().Region(0).First()
			in := make([]mlir.Value, block.NumArguments())
			for i := range in {
				in[i] = block.Argument(i)
			}
			b := mlir.NewBuilder(mlir.AtStart(block), mlir.Location{})
			op := test.make(c, in).Create(b)
			if err := b.Err(); err != nil && c.Registered("stablehlo.add") && !c.Registered("affine.for") {
				check.Error(t, err, `llvm.getelementptr`, `has no property "noWrapFlags"`) // jaxlib's is older
				continue
			} else if err != nil {
				t.Error(err)
				continue
			}
			check.NoError(t, m.Verify())
			if !strings.Contains(m.String(), test.want) {
				t.Errorf("%s is created, want %s", m, test.want)
			}
			read, ok := test.of.Read(op)
			if !ok {
				t.Fatalf("%s is not read", op)
			}
			again, ok := test.of.Read(read.Create(b))
			check.NoError(t, b.Err())
			if !ok || !reflect.DeepEqual(read, again) {
				t.Errorf("%s is read as %+v, and then as %+v", op, read, again)
			}
			if n := strings.Count(m.String(), test.want); n != 2 {
				t.Errorf("%s has %d operations, want 2 that are equal", m, n)
			}
		}
	})
}
