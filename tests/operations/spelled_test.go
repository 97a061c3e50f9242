package operations_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/amdgpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/llvm"
	"github.com/calliope-mlir/calliope/mlir/dialect/nvgpu"
	"github.com/calliope-mlir/calliope/mlir/dialect/nvvm"
	"github.com/calliope-mlir/calliope/mlir/dialect/rocdl"
)

// TestSpelled builds and reads operations with attributes that libraries spell in different ways.
func TestSpelled(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		block := inBlock(t, c)
		b := mlir.NewBuilder(block, mlir.Location{})
		in := func(text string) mlir.Value {
			return b.Create(mlir.OperationState{Name: "builtin.unrealized_conversion_cast",
				Results: []mlir.Type{b.Type(text)}}).Result(0)
		}
		if c.LoadDialect("nvvm") == nil {
			i32 := in("i32")
			read, ok := nvvm.AsRedux(nvvm.ReduxOp{Val: i32, Kind: nvvm.ReduxKindAND, MaskAndClamp: i32,
				ResType: b.Type("i32")}.Create(b))
			check.Diff(t, "redux", nvvm.ReduxKindAND, read.Kind)
			check.Diff(t, "redux read", true, ok)
			body := c.NewRegion()
			inside := c.NewBlock(mlir.Location{})
			body.Append(inside)
			check.Must(mlir.Create(inside, mlir.OperationState{Name: "llvm.unreachable"}))
			entered, ok := llvm.AsFunc(llvm.FuncOp{SymName: "f", FunctionType: b.Type("!llvm.func<void ()>"),
				FunctionEntryCount: new(int64(4)), Body: body}.Create(b))
			check.Diff(t, "entry count", new(int64(4)), entered.FunctionEntryCount)
			check.Diff(t, "function read", true, ok)
			check.NoError(t, b.Err())
		}
		if c.LoadDialect("amdgpu") != nil {
			return // jaxlib's library
		}
		opts := amdgpu.SchedBarrierOptEnumNonMemNonSideffect | amdgpu.SchedBarrierOptEnumValu
		read, ok := amdgpu.AsSchedBarrier(amdgpu.SchedBarrier(b, opts))
		check.Diff(t, "options", opts, read.Opts)
		check.Diff(t, "barrier read", true, ok)
		sum := in("vector<32xf32>")
		mfma, ok := amdgpu.AsMFMA(amdgpu.MFMAOp{M: 32, N: 32, K: 1, Blocks: new(int32(2)), SourceA: in("f32"),
			SourceB: in("f32"), DestC: sum, Blgp: amdgpu.MFMAPermBBcastSecond32}.Create(b))
		check.Diff(t, "permutation", amdgpu.MFMAPermBBcastSecond32, mfma.Blgp)
		check.Diff(t, "mfma read", true, ok)

		mask, ok := rocdl.AsSchedBarrier(rocdl.SchedBarrier(b, 6))
		check.Diff(t, "mask", int32(6), mask.Mask)
		check.Diff(t, "mask read", true, ok)
		w := in("vector<8xf32>")
		half := in("vector<16xbf16>")
		wmma, ok := rocdl.AsWmmaF32_16x16x32Bf16(rocdl.WmmaF32_16x16x32Bf16Op{A: half, B: half, C: w,
			ModC: new(int16(1)), ResType: w.Type()}.Create(b))
		check.Diff(t, "modifier", new(int16(1)), wmma.ModC)
		check.Diff(t, "wmma read", true, ok)

		p, q, bit, word := in("!llvm.ptr<6>"), in("i64"), in("i1"), in("i32")
		mma, ok := nvvm.AsTcgen05MmaBlockScale(nvvm.Tcgen05MmaBlockScaleOp{Kind: nvvm.MMABlockScaleKindMXF4,
			MatrixD: p, MatrixA: p, MatrixB: q, Idesc: word, CtaGroup: nvvm.CTAGroupKindCTA1, EnableInputD: bit,
			ScaleA: p, ScaleB: p}.Create(b))
		check.Diff(t, "block scale", nvvm.MMABlockScaleKindMXF4, mma.Kind)
		check.Diff(t, "block scale read", true, ok)
		rounding, approx := nvgpu.RcpRoundingModeAPPROX, new(bool)
		if c.Registered("arith.convertf") {
			rounding, *approx = 0, true
		} else {
			approx = nil
		}
		rcp, ok := nvgpu.AsRcp(
			nvgpu.RcpOp{In: in("vector<32xf32>"), Rounding: rounding, Ftz: true, Approx: approx}.Create(b))
		check.Diff(t, "rounding", rounding, rcp.Rounding)
		check.Diff(t, "flushes", true, rcp.Ftz)
		check.Diff(t, "rcp read", true, ok)
		check.NoError(t, b.Err())
		for op := range block.Operations() {
			check.NoError(t, op.Verify())
		}
	})
}
