package gomlx

import (
	"errors"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"
	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestElements passes elements of each type through a computation, in each way into and out of buffers.
func TestElements(t *testing.T) {
	b := open(t, "")
	tests := map[dtypes.DType]any{
		dtypes.Bool: []bool{true, false, true},
		dtypes.Int2: []byte{0b01_10_11}, dtypes.Int4: []byte{0x8f, 0x07}, dtypes.Int8: []int8{-128, 0, 127},
		dtypes.Int16: []int16{-1, 0, 1}, dtypes.Int32: []int32{-1, 0, 1}, dtypes.Int64: []int64{-1, 0, 1},
		dtypes.Uint2: []byte{0b01_10_11}, dtypes.Uint4: []byte{0x8f, 0x07}, dtypes.Uint8: []uint8{0, 1, 255},
		dtypes.Uint16: []uint16{0, 1, 2}, dtypes.Uint32: []uint32{0, 1, 2}, dtypes.Uint64: []uint64{0, 1, 1 << 63},
		dtypes.Float16:  []float16.Float16{float16.FromFloat32(1.5), 0, float16.FromFloat32(-2)},
		dtypes.BFloat16: []bfloat16.BFloat16{bfloat16.FromFloat32(1.5), 0, bfloat16.FromFloat32(-2)},
		dtypes.Float32:  []float32{1.5, 0, -2}, dtypes.Float64: []float64{1.5, 0, -2},
		dtypes.Complex64: []complex64{1i, 0, -2}, dtypes.Complex128: []complex128{1i, 0, -2},
	}
	for d := range b.Capabilities().DTypes {
		t.Run(d.String(), func(t *testing.T) {
			want, shape := tests[d], shapes.Make(d, 3)
			e := reversal(t, b, shape)
			in := testutil.Must1(b.BufferFromFlatData(0, want, shape))
			once := testutil.Must1(e.Execute([]compute.Buffer{in}, nil, 0))
			shared, flat, err := b.NewSharedBuffer(0, shape)
			check.NoError(t, err)
			dtypes.CopyAnySlice(flat, testutil.Must1(once[0].Data()))
			twice := testutil.Must1(e.Execute([]compute.Buffer{shared}, []bool{true}, 0))
			got := dtypes.MakeAnySlice(d, 3)
			check.NoError(t, twice[0].ToFlatData(got))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// reversal returns a computation that reverses an array.
func reversal(t *testing.T, b *Backend, shape shapes.Shape) compute.Executable {
	builder := b.Builder("reversal")
	f := builder.Main()
	x := must(f.Parameter("x", shape, nil))
	testutil.Must(f.Return([]compute.Value{must(f.Reverse(x, 0))}, nil))
	e, err := builder.Compile()
	check.NoError(t, err)
	t.Cleanup(e.Finalize)
	return e
}

// TestFinalized uses what is finalized or donated.
func TestFinalized(t *testing.T) {
	b := open(t, "")
	shape := shapes.Make(dtypes.Float32, 2)
	e := reversal(t, b, shape)
	buffer := func() compute.Buffer { return testutil.Must1(b.BufferFromFlatData(0, []float32{1, 2}, shape)) }
	finalized, donated := buffer(), buffer()
	testutil.Must(finalized.Finalize())
	testutil.Must(finalized.Finalize())
	testutil.Must1(donated.Data()) // what it returned does not keep the buffer
	testutil.Must1(e.Execute([]compute.Buffer{donated}, []bool{true}, 0))
	for name, in := range map[string]compute.Buffer{"finalized": finalized, "donated": donated} {
		if err := in.ToFlatData(make([]float32, 2)); !errors.Is(err, bridge.ErrClosed) {
			t.Errorf("ToFlatData of a %s buffer returned %v", name, err)
		}
		if _, err := in.Data(); !errors.Is(err, bridge.ErrClosed) {
			t.Errorf("Data of a %s buffer returned %v", name, err)
		}
		if _, err := e.Execute([]compute.Buffer{in}, nil, 0); !errors.Is(err, bridge.ErrClosed) {
			t.Errorf("Execute with a %s buffer returned %v", name, err)
		}
	}
	kept := buffer()
	e.Finalize()
	if _, err := e.Execute([]compute.Buffer{kept}, nil, 0); !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("Execute of a finalized executable returned %v", err)
	}
	b.Finalize()
	b.Finalize()
	if !b.IsFinalized() {
		t.Error("the backend is not finalized")
	}
	if _, err := b.BufferFromFlatData(0, []float32{1, 2}, shape); !errors.Is(err, bridge.ErrClosed) {
		t.Errorf("BufferFromFlatData of a finalized backend returned %v", err)
	}
}

// TestMesh adds numbers that two devices share.
func TestMesh(t *testing.T) {
	b := open(t, "devices=2")
	builder := b.Builder("mesh")
	f := builder.Main() // also before the meshes are known
	mesh := compute.Mesh{Name: "m", AxesSizes: []int{2}, AxesNames: []string{"x"}}
	testutil.Must(builder.DistributedAutoSharding(mesh))
	divided := &compute.ShardingSpec{Mesh: "m", Axes: [][]string{{"x"}}}
	x := must(f.Parameter("x", shapes.Make(dtypes.Float32, 4), divided))
	scale := must(f.Parameter("scale", shapes.Make(dtypes.Float32), nil))
	state := must(f.Constant([]uint64{1, 2, 3}, 3)) // GoMLX has it divided with what a graph returns
	testutil.Must(f.Return([]compute.Value{must(f.Mul(x, scale)), must(f.ReduceSum(x)), state, scale},
		[]*compute.ShardingSpec{divided, nil, divided, divided}))
	e := testutil.Must1(builder.Compile())
	var in []compute.Buffer
	for device, part := range [][]float32{{1, 2}, {3, 4}} {
		in = append(in,
			testutil.Must1(b.BufferFromFlatData(compute.DeviceNum(device), part, shapes.Make(dtypes.Float32, 2))),
			testutil.Must1(b.BufferFromFlatData(compute.DeviceNum(device), []float32{10}, shapes.Make(dtypes.Float32))))
	}
	out, err := e.Execute(in, nil, 0)
	check.NoError(t, err)
	var got []any
	for _, o := range out {
		got = append(got, testutil.Must1(o.Data()))
	}
	whole := []uint64{1, 2, 3}
	want := []any{[]float32{10, 20}, []float32{10}, whole, []float32{10},
		[]float32{30, 40}, []float32{10}, whole, []float32{10}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	late := b.Builder("late")
	must(late.Main().Parameter("x", shapes.Make(dtypes.Float32), nil))
	if err := late.DistributedAutoSharding(mesh); err == nil {
		t.Error("a mesh of a computation with a parameter is no error")
	}
}

// TestDevices sums over two devices that run the same computation.
func TestDevices(t *testing.T) {
	b := open(t, "devices=2")
	if n := b.NumDevices(); n != 2 {
		t.Fatalf("there are %d devices", n)
	}
	builder := b.Builder("sum")
	testutil.Must(builder.DistributedSPMD(2))
	testutil.Must(builder.DeviceAssignment(0, 1))
	f := builder.Main()
	shape := shapes.Make(dtypes.Float32, 2)
	sums := testutil.Must1(f.AllReduce([]compute.Value{must(f.Parameter("x", shape, nil))}, compute.ReduceOpSum,
		[][]int{{0, 1}}))
	testutil.Must(f.Return(sums, nil))
	e := testutil.Must1(builder.Compile())
	first := testutil.Must1(b.BufferFromFlatData(0, []float32{1, 2}, shape))
	second := testutil.Must1(testutil.Must1(b.BufferFromFlatData(0, []float32{10, 20}, shape)).CopyToDevice(1))
	out, err := e.Execute([]compute.Buffer{first, second}, nil, 0)
	check.NoError(t, err)
	for i, o := range out {
		if d := testutil.Must1(o.DeviceNum()); int(d) != i {
			t.Errorf("result %d is on device %d", i, d)
		}
		if d := cmp.Diff([]float32{11, 22}, testutil.Must1(o.Data())); d != "" {
			t.Errorf("result %d (-want +got):\n%s", i, d)
		}
	}
	if err := b.Builder("many").DistributedSPMD(3); err == nil {
		t.Error("three of two devices are no error")
	}
}
