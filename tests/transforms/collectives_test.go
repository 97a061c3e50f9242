package transforms

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/ir/transform/transformtest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
	"github.com/calliope-mlir/calliope/vmap"
)

// TestCollectives holds derivatives and batches of programs of JAX 0.12 that four devices share to what JAX computes:
// testdata/collectives has the modules, and the arrays of the functions, their tangents, cotangents and batches. The
// groups of devices are as JAX writes them, by the axes of a mesh, and by numbers. A batch in the place of the devices
// computes the same.
func TestCollectives(t *testing.T) {
	plugin := check.Must(bridge.Open(bridge.OpenOptions{}))
	client := check.Must(plugin.NewClient(bridge.ClientOptions{Devices: devices}))
	check.Cleanup(t, client)
	files := check.Must(filepath.Glob("testdata/collectives/*.mlir"))
	if len(files) == 0 {
		t.Error("there are no programs")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".mlir")
		for _, form := range []string{"axes", "numbers"} {
			t.Run(name+"/"+form, func(t *testing.T) {
				m := mlirtest.Parse(t, mlirtest.Context(t), string(check.Must(os.ReadFile(file))))
				if form == "numbers" {
					n, err := passes.ExpandMeshAxes(m)
					check.NoError(t, err)
					if strings.Contains(m.String(), "replica_group_mesh_axes") {
						t.Error("groups are left")
					}
					if n == 0 {
						t.Skip("it has the groups by numbers only")
					}
				}
				holdCollectives(t, client, m, arraysOf(t, strings.TrimSuffix(file, ".mlir")+".npz"))
			})
		}
	}
}

const devices = 4

func holdCollectives(t *testing.T, client *bridge.Client, m *mlir.Module, of func(prefix string) []tensor.View) {
	f, _ := m.SymbolTable().Lookup("main")
	in, out := of("in"), of("out")
	near := func(what string, want, got []tensor.View) {
		t.Helper()
		check.Diff(t, what+"s", len(want), len(got))
		for i := range min(len(want), len(got)) {
			transformtest.Near(t, fmt.Sprint(what, " ", i), want[i], got[i])
		}
	}
	if want := of("jvp_out"); want != nil {
		jvp, err := autodiff.JVP(f, autodiff.Options{})
		check.NoError(t, err)
		got := runCopies(t, client, jvp, append(slices.Clone(in), of("jvp_t")...))
		near("result", out, got[:len(out)])
		near("tangent", want, got[len(out):])
	}
	if want := of("vjp_in"); want != nil {
		forward, backward, err := autodiff.VJP(f, autodiff.Options{})
		check.NoError(t, err)
		got := runCopies(t, client, forward, in)
		near("result before the backward function", out, got[:len(out)])
		near("cotangent", want, runCopies(t, client, backward, append(got[len(out):], of("vjp_c")...)))
	}
	if want := of("batch_out"); want != nil {
		in := of("batch_in")
		batch, err := vmap.Batch(f, vmap.Options{Size: int64(in[0].Shape.Dims[0])})
		check.NoError(t, err)
		near("element of the batch", want, runCopies(t, client, batch, in))
	}
	axes := stablehlo.Meshes(m.Body())[0].Axes
	if len(axes) > 1 {
		return
	}
	alone := vmap.Options{Size: devices, AxisName: axes[0].Name, In: slices.Repeat([]int{vmap.NotBatched}, len(in))}
	batch, err := vmap.Batch(f, alone)
	if err != nil && strings.Contains(err.Error(), "are not those along the axis") {
		return // they are some of its devices
	}
	check.NoError(t, err)
	near("result of all devices", out, runCopies(t, client, batch, in))
}

// runCopies runs a function on all devices. Each has the whole parameters and results.
func runCopies(t *testing.T, client *bridge.Client, f mlir.Operation, arguments []tensor.View) (results []tensor.View) {
	t.Helper()
	name, _ := f.Symbol()
	m := mlirtest.Parse(t, f.Context(), f.Parent().String())
	table := m.SymbolTable()
	check.NoError(t, table.Rename("main", "original"))
	check.NoError(t, table.Rename(name, "main"))
	main, _ := table.Lookup("main")
	body := main.Region(0).First()
	for name, values := range map[string][]mlir.Value{
		"arg_attrs": body.ArgumentValues(), "res_attrs": body.Terminator().OperandValues(),
	} {
		var list []string
		for _, v := range values {
			rank, _ := v.Type().Rank()
			whole := strings.Join(slices.Repeat([]string{"{}"}, rank), ", ")
			list = append(list, "{sdy.sharding = #sdy.sharding<@mesh, ["+whole+"]>}")
		}
		main.SetAttribute(name, check.Must(f.Context().ParseAttribute("["+strings.Join(list, ", ")+"]")))
	}
	gatherBroadcasts(t, m)
	executable, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}),
		engine.CompileOptions{Partitions: devices, OptimizationLevel: engine.NoOptimization})
	if err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	check.Cleanup(t, executable)
	var inputs []engine.Input
	for range devices {
		for _, v := range arguments {
			inputs = append(inputs, v)
		}
	}
	arrays, err := executable.Run(t.Context(), inputs...)
	check.NoError(t, err)
	for i, a := range arrays {
		v, err := a.ToHost(t.Context())
		check.NoError(t, err)
		check.NoError(t, a.Close())
		if i < len(arrays)/devices {
			results = append(results, v)
		}
	}
	return results
}

// gatherBroadcasts replaces each collective_broadcast, which XLA does not have on the CPU, by an all_gather, of which
// it takes the first part.
func gatherBroadcasts(t *testing.T, m *mlir.Module) {
	for _, op := range slices.Collect(m.Operation().All()) {
		o, ok := stablehlo.AsCollectiveBroadcast(op)
		if !ok {
			continue
		}
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		shape := check.Must(stablehlo.ShapeOf(o.Operand.Type()))
		first := slices.Concat([]int{1}, shape.Dims)
		part := stablehlo.Reshape(b, check.Must(stablehlo.TensorType(op.Context(),
			tensor.ShapeOf(shape.DType, first...))), o.Operand)
		all := check.Must(stablehlo.AllGatherType(part.Type(), 0, int64(len(o.ReplicaGroups.Lists[0]))))
		gathered := stablehlo.AllGatherOp{Operands: []mlir.Value{part}, ReplicaGroups: o.ReplicaGroups,
			ChannelHandle: o.ChannelHandle, UseGlobalDeviceIDs: true,
			ResultTypes: []mlir.Type{all}}.Create(b).Result(0)
		limits, steps := make([]int64, len(first)), make([]int64, len(first))
		for i, n := range first {
			limits[i], steps[i] = int64(n), 1
		}
		part = stablehlo.Slice(b, gathered, make([]int64, len(first)), limits, steps)
		op.Result(0).ReplaceAllUses(stablehlo.Reshape(b, o.Operand.Type(), part))
		check.NoError(t, b.Err())
		check.NoError(t, op.Erase())
	}
}

// arraysOf returns a function that returns the arrays of a file whose names are a prefix and a number.
func arraysOf(t *testing.T, file string) func(prefix string) []tensor.View {
	f := check.Must(npz.Open(file))
	check.Cleanup(t, f)
	return func(prefix string) (list []tensor.View) {
		for i := range 8 {
			if name := fmt.Sprint(prefix, i); f.Has(name) {
				list = append(list, check.Must(f.Array(name, nil)).View)
			}
		}
		return list
	}
}
