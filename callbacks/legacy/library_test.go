package legacy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/internal/test/cctest"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// The functions of a library that has files in C and in C++ are those of all files.
func TestLibraryFunctions(t *testing.T) {
	var got []string
	for _, f := range library(t).Functions() {
		got = append(got, fmt.Sprintf("%s %s %s", f.Name(), f.Platform(), f.Form()))
	}
	check.Diff(t, "functions", []string{
		"add_periodic Host host", "root Host host-status", "opaque Host host-opaque", "statuses Host host-status",
		"add_periodic CUDA gpu", "fail_gpu CUDA gpu-status", "either Host host-opaque", "tuples Host host",
		"many Host host",
		"gpu_status CUDA gpu-status",
	}, got)
}

// Two libraries with the same header have lists of their own.
func TestLibrariesAreSeparate(t *testing.T) {
	one := check.Must(legacy.Open(cctest.Source(t, "#include <calliope_custom_call.h>\nvoid one(void* out, const void** in) { (void)out; (void)in; }\nXLA_REGISTER_CUSTOM_CALL_TARGET(one, \"Host\");\n")))
	check.Diff(t, "functions before", 1, len(one.Functions()))
	check.Diff(t, "functions of the other", 10, len(library(t).Functions()))
	check.Diff(t, "functions", 1, len(one.Functions()))
}

func TestFunction(t *testing.T) {
	l := library(t)
	check.Diff(t, "platform", "Host", check.Must(l.Function("add_periodic")).Platform())
	_, err := l.Function("add")
	check.Error(t, err, `registers no function for the target "add"; it registers add_periodic, either, fail_gpu, gpu_status, many, opaque, root, statuses, tuples`)
	_, err = check.Must(legacy.Open(cctest.Source(t, "extern int a;\nint a;\n"))).Function("add")
	check.Error(t, err, "registers no functions: register them with calliope_custom_call.h, or name a symbol and its form")
}

// A symbol is served in the form that is stated, also if nothing registers it.
func TestSymbol(t *testing.T) {
	l := library(t)
	f := check.Must(l.Symbol("bytes", legacy.HostOpaque))
	got, err := site{version: 3, opaque: "ab", results: shapes("u8[3]")}.run(t,
		serve(t, f, "f", callbacks.Options{}).Name())
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Vector[uint8]('a', 'b', 0)}, got)

	_, err = l.Symbol("bytes", legacy.Host)
	check.Error(t, err, `registers the function "bytes" with the form host-opaque, not host`)
	_, err = l.Symbol("absent", legacy.Host)
	check.Error(t, err, `exports no symbol "absent"`, `extern "C"`)
	_, err = l.Symbol("tuples", 0)
	check.Error(t, err, "with the form host, not Form(0)")

	plain := check.Must(legacy.Open(cctest.Source(t, "void f(void* out, const void** in);\nvoid f(void* out, const void** in) { *(int*)out = *(const int*)in[0] + 1; }\n")))
	t.Run("not registered", func(t *testing.T) {
		got, err := site{version: 1, operands: numeric.operands, results: numeric.results}.run(t, serve(t,
			check.Must(plain.Symbol("f", legacy.Host)), "f", callbacks.Options{}).Name(), tensor.Scalar[int32](1))
		check.NoError(t, err)
		check.Diff(t, "results", []tensor.View{tensor.Scalar[int32](2)}, got)
	})
}

// A library that was built with XLA's own header finds the functions of the status in this program.
func TestStatusOfXLAsHeader(t *testing.T) {
	l := check.Must(legacy.Open(cctest.Source(t, `
#include <stddef.h>
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message, size_t message_len);
void f(void* out, const void** in, XlaCustomCallStatus* status);
void f(void* out, const void** in, XlaCustomCallStatus* status) {
  *(int*)out = 3;
  XlaCustomCallStatusSetFailure(status, "odd", 3);
  if (*(const int*)in[0] % 2 == 0) XlaCustomCallStatusSetSuccess(status);
  XlaCustomCallStatusSetFailure(NULL, "", 0);
  XlaCustomCallStatusSetSuccess(NULL);
}
`)))
	r := serve(t, check.Must(l.Symbol("f", legacy.HostStatus)), "f", callbacks.Options{})
	e := check.Must(numeric.compile(t, r.Name()))
	got, err := run(t, e, tensor.Scalar[int32](4))
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Scalar[int32](3)}, got)
	_, err = run(t, e, tensor.Scalar[int32](5))
	check.Diff(t, "message", "odd", check.As[*legacy.StatusError](t, err).Message)
}

// What is wrong with a library is an error that names it.
func TestOpenErrors(t *testing.T) {
	_, err := legacy.Open(filepath.Join(t.TempDir(), "absent.so"))
	check.Error(t, err, "opening shared library", "absent.so")
	text := filepath.Join(t.TempDir(), "text.so")
	check.NoError(t, os.WriteFile(text, []byte("text"), 0o600))
	_, err = legacy.Open(text)
	check.Error(t, err, "opening shared library", "text.so")
	_, err = legacy.Open(cctest.Source(t,
		"void XlaCustomCallRegister(void);\nvoid f(void);\nvoid f(void) { XlaCustomCallRegister(); }\n"))
	check.Error(t, err, "XlaCustomCallRegister", "build the library with calliope_custom_call.h")

	const header = "#include <calliope_custom_call.h>\n"
	for _, test := range []struct{ source, err string }{
		{header + "void f(void* a, const void** b) { (void)a; (void)b; }\nXLA_REGISTER_CUSTOM_CALL_TARGET(f, \"CUDA\");\n",
			`the function "f" is registered for the platform "CUDA" with the signature void f(void* out, const void** in): register it for "Host"`},
		{header + "void f(CUstream a, void** b, const char* c, size_t d) { (void)a; (void)b; (void)c; (void)d; }\nXLA_REGISTER_CUSTOM_CALL_TARGET(f, \"Host\");\n",
			`the function "f" is registered for the platform "Host" with the signature void f(CUstream stream, void** buffers`},
		{list(`{sizeof(CalliopeCustomCall), "", "Host", 1, (void (*)(void))calliope_custom_calls, 0}`),
			"entry 1 of calliope_custom_calls has no name"},
		{list(`{sizeof(CalliopeCustomCall), 0, "Host", 1, (void (*)(void))calliope_custom_calls, 0}`),
			"entry 1 of calliope_custom_calls has no name"},
		{list(`{sizeof(CalliopeCustomCall), "f", "Host", 1, 0, 0}`),
			`the entry "f" of calliope_custom_calls has no function or no platform`},
		{list(`{sizeof(CalliopeCustomCall), "f", 0, 1, (void (*)(void))calliope_custom_calls, 0}`),
			`the entry "f" of calliope_custom_calls has no function or no platform`},
		{list(`{sizeof(CalliopeCustomCall), "f", "Host", 7, (void (*)(void))calliope_custom_calls, 0}`),
			`the entry "f" of calliope_custom_calls has the unknown form 7`},
		{list(`{8, "f", "Host", 1, (void (*)(void))calliope_custom_calls, 0}`),
			"entry 1 of calliope_custom_calls has 8 bytes, fewer than"},
		{list(`{sizeof(CalliopeCustomCall), "f", "Host", 1, (void (*)(void))calliope_custom_calls, &one}`),
			"lists more than 65536 functions"},
	} {
		_, err := legacy.Open(cctest.Source(t, test.source))
		check.Error(t, err, "callbacks/legacy: ", test.err)
	}
}

// list is a library with its own calliope_custom_calls.
func list(entry string) string {
	return "#define CALLIOPE_CUSTOM_CALL_SERVER\n#include <calliope_custom_call.h>\nconst CalliopeCustomCall* calliope_custom_calls(void);\n" +
		"static CalliopeCustomCall one = " + entry +
		";\nconst CalliopeCustomCall* calliope_custom_calls(void) { return &one; }\n"
}
