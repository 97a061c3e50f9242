package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// The modules of the corpus for four devices run on global arrays.
func TestCorpusDevices(t *testing.T) {
	ran := 0
	for _, row := range check.Rows(t, filepath.Join(corpus, "INDEX.tsv")) {
		if row["runnable"] != "cpu4" {
			continue
		}
		ran++
		name, arrays := row["file"], row["npz"]
		args := []string{name, "--in", arrays, "--expect", arrays, "--rtol", row["tolerance"]}
		for _, flags := range []string{"", "--devices 4", "--devices 6", "--replicas 1", "--stats"} {
			t.Run(name+flags, func(t *testing.T) {
				t.Parallel()
				command{folder: corpus}.run(t, append(args, strings.Fields(flags)...)...).want(t, exitDone,
					"outputs match "+arrays, "")
			})
		}
		t.Run(name+" refused", func(t *testing.T) {
			t.Parallel()
			run := func(flags ...string) outcome { return command{folder: corpus}.run(t, append(args, flags...)...) }
			run("--devices", "2").want(t, exitFailed, "", name+": --devices 2: the module is for 4 devices")
			run("--replicas", "2").want(t, exitFailed, "",
				name+": it is partitioned over 4 devices, and cannot also run as 2 replicas")
			run("--feeds", filepath.Join(t.TempDir(), "f.npz")).want(t, exitFailed, "",
				"--feeds cannot serve a module for 4 devices")
		})
	}
	if ran != 2 {
		t.Errorf("%d modules ran", ran)
	}
}

// Modules that JAX partitioned (see testdata/sharded/gen.py) give JAX's results.
func TestSharded(t *testing.T) {
	const folder = "testdata/sharded"
	files := check.Must(os.ReadDir(folder))
	ran := 0
	for _, file := range files {
		name := file.Name()
		kind := filepath.Ext(name)
		if kind == ".npz" || kind == ".py" {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrays := strings.TrimSuffix(name, kind) + ".npz"
			command{folder: folder}.run(t, name, "--in", arrays, "--expect", arrays).want(t, exitDone, "outputs match",
				"")
			devices := strings.Split(name, "_")[1]
			command{folder: folder}.run(t, name, "--in", arrays, "--devices", "1").want(t, exitFailed, "",
				"--devices 1: the module is for "+devices+" devices")
		})
	}
	if ran != 8 {
		t.Errorf("%d modules ran", ran)
	}
}

// double returns a module that adds an array to itself, with attributes for the module, the
// parameter and each result.
func double(attributes, mesh, typ, param string, results ...string) string {
	var types, values []string
	for i, r := range results {
		results[i] = typ + r
		types, values = append(types, typ), append(values, "%r")
	}
	return fmt.Sprintf(`module @m attributes {%s} {
  %s
  func.func @main(%%a: %s%s) -> (%s) {
    %%r = stablehlo.add %%a, %%a : %[3]s
    return %[6]s : %[7]s
  }
}`, attributes, mesh, typ, param, strings.Join(results, ", "), strings.Join(values, ", "), strings.Join(types, ", "))
}

// Each way to divide an array gives the same result: unevenly, open, on one device, by
// sub-axes, in another order of the devices, as strings.
func TestPartitioned(t *testing.T) {
	gspmd := func(text string) string { return ` {mhlo.sharding = "` + text + `"}` }
	shardy := func(text string) string { return ` {sdy.sharding = #sdy.sharding<@mesh, [` + text + `]>}` }
	const four = "mhlo.num_partitions = 4 : i32"
	const mesh = `sdy.mesh @mesh = <["x"=4, "y"=2], device_ids=[7, 1, 2, 3, 4, 5, 6, 0]>`
	for name, test := range map[string]struct {
		module string
		dims   []int
	}{
		"uneven": {double(four, "", "tensor<5x3xf32>", gspmd("{devices=[4,1]<=[4]}"),
			gspmd("{devices=[4,1]<=[4]}"), gspmd("{devices=[1,2,2]<=[4] last_tile_dim_replicate}"), ""), []int{5, 3}},
		"uneven, Shardy": {double(four, `sdy.mesh @mesh = <["x"=4]>`, "tensor<5x3xf32>", shardy(`{"x"}, {}`),
			shardy(`{}, {"x":(1)2}`), shardy(`{?}, {?}`)), []int{5, 3}},
		"empty parts": {double(four, "", "tensor<1x2xf32>", gspmd("{devices=[4,1]<=[4]}"),
			gspmd("{devices=[4,1]3,1,2,0}")), []int{1, 2}},
		"no elements": {double(four, "", "tensor<0x4xf32>", gspmd("{devices=[1,4]<=[4]}"),
			gspmd("{devices=[1,4]<=[4]}")), []int{0, 4}},
		"scalar": {double(four, `sdy.mesh @mesh = <["x"=4]>`, "tensor<f32>", shardy(""), shardy("")), nil},
		"one device": {double(four, "", "tensor<4x3xf32>", gspmd("{maximal device=3}"), gspmd("{maximal device=2}"),
			gspmd("{replicated}")), []int{4, 3}},
		"sub-axes": {double("", mesh, "tensor<8x4xf32>", shardy(`{"x":(1)2, "y"}p1, {"x":(2)2, ?}p0`),
			shardy(`{"y"}, {"x"}`), shardy(`{"y", "x":(2)2}, {}`)), []int{8, 4}},
		"undeclared": {double(four, "", "tensor<4x3xf32>", "", "", ""), []int{4, 3}},
		"dynamic": {double(four, "", "tensor<?x4xf32>", gspmd("{devices=[2,2]<=[4]}"),
			gspmd("{devices=[4,1]<=[4]}")), []int{5, 4}},
		"strings": {
			`module @m attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\\\22x\\\22=2, \\\22y\\\22=2]>}"}} {
  func.func @main(%a: tensor<4x6xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\\\22y\\\22}, {\\\22x\\\22}]>"}}) -> tensor<4x6xf32> {
    %0 = stablehlo.add %a, %a : tensor<4x6xf32>
    %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\\\22x\\\22}, {}]>]>"}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
}`, []int{4, 6}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 1
			for _, d := range test.dims {
				n *= d
			}
			in, out := make([]float32, n), make([]float32, n)
			for i := range in {
				in[i], out[i] = float32(i+1), float32(2*i+2)
			}
			list := []npz.Named{{Name: "in0", View: check.Must(tensor.FromSlice(in, test.dims...))}}
			for i := range strings.Count(test.module, "%r") - 1 {
				list = append(list,
					npz.Named{Name: fmt.Sprint("out", i), View: check.Must(tensor.FromSlice(out, test.dims...))})
			}
			if name == "strings" {
				list = append(list, npz.Named{Name: "out0", View: check.Must(tensor.FromSlice(out, test.dims...))})
			}
			folder := t.TempDir()
			write(t, folder, "m.mlir", test.module)
			check.NoError(t, npz.WriteFile(filepath.Join(folder, "a.npz"), list))
			command{folder: folder}.run(t, "m.mlir", "--in", "a.npz", "--expect", "a.npz").want(t, exitDone,
				"outputs match a.npz", "")
			command{folder: folder}.run(t, "m.mlir", "--in", "a.npz", "--out", "z.npz", "--cache", "cache").want(t,
				exitDone, "", "")
			first := views(t, filepath.Join(folder, "z.npz"))
			command{folder: folder}.run(t, "m.mlir", "--in", "a.npz", "--out", "z.npz", "--cache", "cache").want(t,
				exitDone, "", "")
			check.Diff(t, "from the cache", first, views(t, filepath.Join(folder, "z.npz")))
		})
	}
}

// sideEffect returns a module for two devices, with a call that has a side effect, outside of a
// manual computation.
func sideEffect(mesh, ofParameter, ofCall string) string {
	return `module attributes {mhlo.num_partitions = 2 : i32} {
  ` + mesh + `
  func.func @main(%a: tensor<4xf32>` + ofParameter + `) -> tensor<4xf32> {
    %r = stablehlo.custom_call @seen(%a) {has_side_effect = true` + ofCall + `} : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}`
}

// One device makes a call with side effects, with the whole array.
func TestSideEffectInPartitioned(t *testing.T) {
	folder := t.TempDir()
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2, 3, 4))
	const mesh = `sdy.mesh @mesh = <["x"=2]>`
	for name, module := range map[string]string{
		"Shardy": sideEffect(mesh, ` {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}`, ""),
		"Shardy, maximal": sideEffect(mesh+"\nsdy.mesh @one = <[], device_ids=[1]>", "",
			", sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>"),
		"GSPMD, maximal": sideEffect("", ` {mhlo.sharding = "{devices=[2]<=[2]}"}`,
			`, mhlo.sharding = "{maximal device=1}"`),
	} {
		t.Run(name, func(t *testing.T) {
			out := command{folder: folder, stdin: module}.run(t, "-", "--in", "a.npy", "--tap")
			out.want(t, exitDone, "  0: f32[4] [1 2 3 4]\nout0 f32[4] [1 2 3 4]\n", "")
		})
	}
}

func TestPartitionedRefused(t *testing.T) {
	folder := t.TempDir()
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2, 3, 4))
	const typ = "tensor<4xf32>"
	for name, test := range map[string]struct{ module, args, want string }{
		"local input": {double("mhlo.num_partitions = 2 : i32", "", "tensor<8xf32>",
			` {mhlo.sharding = "{devices=[2]<=[2]}"}`, ""), "", "in0 is f32[4]: f32[8] is expected"},
		"unknown": {double("mhlo.num_partitions = 2 : i32", "", typ, ` {mhlo.sharding = "{half}"}`, ""), "",
			`parameter 0 of @main: sharding: "{half}" is not a sharding in a form that is known here`},
		"contradictory": {double("mhlo.num_partitions = 2 : i32", `sdy.mesh @mesh = <["x"=4]>`, typ, "", ""), "",
			"mhlo.num_partitions is 2, but the mesh @mesh has 4 devices"},
		"both": {double("mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32", "", typ, "", ""), "",
			"partitioned over 2 devices, and cannot also run as 2 replicas"},
		"replicas": {double("mhlo.num_replicas = 2 : i32", "", typ, "", ""), "--replicas 3",
			"--replicas 3: the module is for 2 replicas: leave the flag out"},
		"one replica": {double("mhlo.num_replicas = 2 : i32", "", typ, "", ""), "--replicas 1",
			"--replicas 1: the module is for 2 replicas: leave the flag out"},
		"one device": {double("mhlo.num_replicas = 2 : i32", "", typ, "", ""), "--devices 1",
			"--devices 1: the module is for 2 devices"},
		"tap, GSPMD": {sideEffect("", ` {mhlo.sharding = "{devices=[2]<=[2]}"}`, ""), "--tap", "the module has 2 partitions and no sdy.mesh, so its shardings are XLA's own (mhlo.sharding)"},
		"many": {double("mhlo.num_partitions = 2000 : i32", "", typ, "", ""), "",
			"it needs 2000 devices: only up to 1024 are possible"},
		"no partitions": {double("mhlo.num_partitions = 0 : i32", "", typ, "", ""), "",
			"mhlo.num_partitions = 0 : i32: a number from 1 to "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-", "--in", "a.npy"}, strings.Fields(test.args)...)
			command{folder: folder, stdin: test.module}.run(t, args...).want(t, exitFailed, "", test.want)
		})
	}
}

// A manual computation for one device runs on newer plugins only.
func TestManualForOneDevice(t *testing.T) {
	folder := t.TempDir()
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2, 3, 4))
	got := command{folder: folder, stdin: `sdy.mesh @mesh = <["x"=1]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    sdy.return %b : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}`}.run(t, "-", "--in", "a.npy")
	if got.status == exitDone {
		got.want(t, exitDone, "out0 f32[4] [1 2 3 4]\n", "")
	} else {
		got.want(t, exitFailed, "", "it has a manual computation for one device, and the XLA of this plugin runs them for several devices only")
	}
}

// A module for two replicas runs on two devices without a flag, and with the same one.
func TestReplicasOfModule(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "m.mlir", `module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {
    %i = stablehlo.replica_id : tensor<ui32>
    return %a, %i : tensor<2xf32>, tensor<ui32>
  }
}`)
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2))
	for _, flags := range []string{"", "--replicas 2", "--devices 3"} {
		args := append([]string{"m.mlir", "--in", "a.npy"}, strings.Fields(flags)...)
		command{folder: folder}.run(t, args...).want(t, exitDone,
			"out0 f32[2] [1 2]\nout1 u32[] 0\nout2 f32[2] [1 2]\nout3 u32[] 1\n", "")
	}
}

// A callback in a manual computation is called on each device with its part. Its calls are
// recorded, replayed and counted.
func TestPartitionedCallback(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "m.mlir", `module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
      %c = stablehlo.custom_call @calliope_runtime_call(%b) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = "call", callback = "seen", signature = "SIGNATURE"}, has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %c : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}`)
	text := string(check.Must(os.ReadFile(filepath.Join(folder, "m.mlir"))))
	write(t, folder, "m.mlir", strings.Replace(text, "SIGNATURE", contract.SignatureHash("f32[2]->f32[2]"), 1))
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2, 3, 4))
	run := func(flags ...string) outcome {
		return command{folder: folder}.run(t, append([]string{"m.mlir", "--in", "a.npy"}, flags...)...)
	}
	run().want(t, exitFailed, "", `these custom calls have no handler:`)
	got := run("--tap", "--record", "calls.rec", "--stats")
	got.want(t, exitDone, "out0 f32[4] [1 2 3 4]\n", "")
	got.want(t, exitDone, "tap seen\n  0: f32[2] [1 2]\n", "")
	got.want(t, exitDone, "tap seen (device 1)\n  0: f32[2] [3 4]\n", "")
	recording, err := record.Open(filepath.Join(folder, "calls.rec"))
	check.NoError(t, err)
	var devices []int
	for _, c := range recording.Calls {
		devices = append(devices, c.Device)
	}
	slices.Sort(devices)
	check.Diff(t, "devices", []int{0, 1}, devices)
	run("--replay", "calls.rec").want(t, exitDone, "out0 f32[4] [1 2 3 4]\n", "")
}
