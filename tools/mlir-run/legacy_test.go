package main

import (
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestParseLegacy(t *testing.T) {
	for _, want := range []legacyOption{
		{text: "l.so", library: "l.so"},
		{text: "l.so:f", library: "l.so", symbol: "f"},
		{text: "l.so:f=t", library: "l.so", symbol: "f", target: "t"},
		{text: "l.so:f:gpu", library: "l.so", symbol: "f", form: legacy.GPU},
		{text: "a:b/l.so:f=t=u:host-opaque", library: "a:b/l.so", symbol: "f", target: "t=u", form: legacy.HostOpaque},
		{text: `C:\l.dll`, library: `C:\l.dll`},
		{text: `C:\l.dll:f:host`, library: `C:\l.dll`, symbol: "f", form: legacy.Host},
		{text: "l.so:host:host", library: "l.so", symbol: "host", form: legacy.Host},
	} {
		got, err := parseLegacy(want.text)
		check.NoError(t, err)
		if got != want {
			t.Errorf("%s: got %+v, want %+v", want.text, got, want)
		}
	}
	for text, want := range map[string]string{
		"":            "it has no library",
		":f":          "it has no library",
		"l.so:":       "it has no symbol or no target",
		"l.so:=t":     "it has no symbol or no target",
		"l.so:f=":     "it has no symbol or no target",
		"l.so:host":   "it has a form and no symbol",
		"l.so:f:cuda": `there is no form "cuda": use host, host-status`,
	} {
		_, err := parseLegacy(text)
		check.Error(t, err, want)
	}
}

const legacyModule = `func.func @main(%p0: tuple<tensor<2xf32>, tensor<2xf32>>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = stablehlo.get_tuple_element %p0[0] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  %0 = stablehlo.custom_call @sum(%p0) : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @negate(%a) {api_version = 2 : i32, backend_config = "too \00 bad"} : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}`

const legacyLibrary = `
#include <calliope_custom_call.h>

static void sum(void* out, const void** in) {
  const float* const* p0 = in[0];
  for (int i = 0; i < 2; i++) ((float*)out)[i] = p0[0][i] + p0[1][i];
}
XLA_REGISTER_CUSTOM_CALL_TARGET(sum, "Host");

void gpu_negate(CUstream stream, void** buffers, const char* opaque, size_t n, XlaCustomCallStatus* status) {
  (void)stream;
  for (int i = 0; i < 2; i++) ((float*)buffers[1])[i] = -((const float*)buffers[0])[i];
  if (((const float*)buffers[0])[0] == 0) XlaCustomCallStatusSetFailure(status, opaque, n);
}

void plain(void* out, const void** in) { for (int i = 0; i < 2; i++) ((float*)out)[i] = ((const float*)in[0])[i]; }
XLA_REGISTER_CUSTOM_CALL_TARGET(plain, "Host");

void crash(void* out, const void** in) { (void)in; *(volatile char*)out = *(volatile char*)8; }

void hang(void* out, const void** in) { (void)out; while (in) *(const void* volatile*)in; }
`

// Legacy calls run with functions of a library.
func TestLegacy(t *testing.T) {
	library := cctest.Source(t, legacyLibrary)
	folder := t.TempDir()
	write(t, folder, "m.mlir", legacyModule)
	writeArray(t, folder, "a.npy", tensor.Vector[float32](1, 2))
	writeArray(t, folder, "b.npy", tensor.Vector[float32](10, 20))
	writeArray(t, folder, "zero.npy", tensor.Vector[float32](0, 0))
	c := command{folder: folder}
	in := []string{"m.mlir", "--in", "a.npy", "--in", "b.npy"}
	run := func(args ...string) outcome { return c.run(t, append(in, args...)...) }

	got := run("--legacy", library, "--legacy", library+":gpu_negate=negate:gpu-status", "--stats")
	got.want(t, exitDone, "out0 f32[2] [11 22]\nout1 f32[2] [-1 -2]\n", "")
	got.want(t, exitDone, "sum", "")
	run("--legacy", library+":sum", "--legacy", library+":gpu_negate=negate:gpu-status").want(t, exitDone,
		"out0 f32[2] [11 22]\nout1 f32[2] [-1 -2]\n", "")
	run("--legacy", library+":sum", "--stub", "zeros").want(t, exitDone, "out0 f32[2] [11 22]\nout1 f32[2] [0 0]\n", "")

	run("--legacy", library).want(t, exitFailed, "", "these custom calls have no handler:\n  m.mlir:4:8: negate")
	run("--legacy", library).want(t, exitFailed, "",
		"with --legacy a function of a shared library serves those of api_version 0 to 3")
	run("--legacy", library+":plain=negate", "--legacy", library+":sum").want(t, exitFailed, "", `the module calls "negate" with api_version = 2 (API_VERSION_STATUS_RETURNING), and the function is registered with the form host`)
	run("--legacy", library+":gpu_negate").want(t, exitFailed, "",
		`registers no function for the target "gpu_negate"; it registers plain, sum (or state the form`)
	run("--legacy", library+":plain:gpu").want(t, exitFailed, "",
		`registers the function "plain" with the form host, not gpu`)
	run("--legacy", library+":absent:gpu").want(t, exitFailed, "", `exports no symbol "absent"`)
	run("--legacy", library, "--legacy", library+":plain=sum").want(t, exitFailed, "",
		`the target "sum" has a function already: give another with =TARGET`)
	run("--legacy", "absent.so").want(t, exitFailed, "",
		"--legacy absent.so: callbacks/legacy: opening shared library ./absent.so")
	run("--legacy", filepath.Base(library)+":f:cuda").want(t, exitFailed, "", `there is no form "cuda"`)
	run("--legacy", library, "--replay", "r").want(t, exitFailed, "", "--replay cannot be combined with --legacy")

	crashed := run("--legacy", library+":crash=sum:host", "--stub", "zeros")
	crashed.want(t, exitFailed, "", `the function of the custom call "sum" crashed with signal 11 at the address 0x8`)
	crashed.want(t, exitFailed, "", `the process that compiled and ran it crashed (SIGSEGV`)

	hung := run("--legacy", library+":hang=sum:host", "--stub", "zeros", "--timeout", "5s")
	hung.want(t, exitFailed, "", `mlir-run: the function of "sum" has not returned`)
	hung.want(t, exitFailed, "", "not done after 5s: raise --timeout")

	c.run(t, "m.mlir", "--in", "zero.npy", "--in", "b.npy", "--legacy", library, "--legacy", library+
		":gpu_negate=negate:gpu-status").want(t, exitFailed, "", "the custom call \"negate\" failed: too \\u0000 bad")

	for name, call := range map[string]string{
		"mhlo":      `mhlo.custom_call @plain(%x) : (tensor<2xf32>) -> tensor<2xf32>`,
		"rewritten": `stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {callback = "plain", form = "pure", legacy = 1 : i64, registry = "legacy", v = 2 : i64}} : (tensor<2xf32>) -> tensor<2xf32>`,
	} {
		write(t, folder, name+".mlir",
			"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = "+call+"\n  return %0 : tensor<2xf32>\n}\n")
		c.run(t, name+".mlir", "--in", "a.npy", "--legacy", library).want(t, exitDone, "out0 f32[2] [1 2]\n", "")
	}
	c.run(t, "rewritten.mlir", "--in", "a.npy").want(t, exitFailed, "",
		"with --legacy a function of a shared library serves those")

	write(t, folder, "layout.mlir", `func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @sum(%x) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}`)
	c.run(t, "layout.mlir", "--legacy", library).want(t, exitFailed, "",
		"layout.mlir:2:8: the call cannot be served by --legacy: operand_layouts of the call of @sum")
}
