package c

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// signatures has, for each form of a custom-call function, parameter lists in C.
var signatures = []struct{ form, parameters string }{
	{"1", "void* out, const void** in"},
	{"1", "void* out, void** in"},
	{"2", "void* out, const void** in, XlaCustomCallStatus* s"},
	{"2", "void* out, void** in, XlaCustomCallStatus* s"},
	{"3", "void* out, const void** in, const char* opaque, size_t n, XlaCustomCallStatus* s"},
	{"4", "CUstream stream, void** buffers, const char* opaque, size_t n"},
	{"4", "struct ihipStream_t* stream, void** buffers, const char* opaque, size_t n"},
	{"4", "void* stream, void** buffers, const char* opaque, size_t n"},
	{"5", "CUstream stream, void** buffers, const char* opaque, size_t n, XlaCustomCallStatus* s"},
	{"5", "struct ihipStream_t* stream, void** buffers, const char* opaque, size_t n, XlaCustomCallStatus* s"},
	{"6", "void* out, void** in, const char* opaque, size_t n, XlaCustomCallStatus* s"},
}

// The macros register functions with the form of their type, in the order of the file.
func TestCustomCallRegistration(t *testing.T) {
	// Twice, and before any other header.
	source := "#include <calliope_custom_call.h>\n#include <calliope_custom_call.h>\n#include <stdio.h>\nstruct ihipStream_t;\n"
	var want []string
	for i, s := range signatures {
		name := string(rune('a' + i))
		source += "static void " + name + "(" + s.parameters + ") {"
		for p := range strings.SplitSeq(s.parameters, ",") {
			source += " (void)" + p[strings.LastIndexAny(p, " ")+1:] + ";"
		}
		source += " }\nXLA_REGISTER_CUSTOM_CALL_TARGET(" + name + ", \"Host\");\n"
		want = append([]string{name + " Host " + s.form}, want...)
	}
	source += `
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("named \"b\"", b, "CUDA");
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(a);
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("named", a);
int main(void) {
  for (const CalliopeCustomCall* c = calliope_custom_calls(); c; c = c->next)
    if (c->size == sizeof *c && c->function) printf("%s %s %d\n", c->name, c->platform, c->form);
  return calliope_custom_calls()->function == (void (*)(void))a ? 0 : 1;
}
`
	want = append([]string{"named Host 1", "a Host 1", `named "b" CUDA 1`}, want...)
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			check.Diff(t, "functions", want,
				strings.Split(strings.TrimSpace(run(t, l.variable, l.compiler, l.std, l.file, source)), "\n"))
		})
	}
}

// The status has the same functions under all its names, and copies nothing itself.
func TestCustomCallStatus(t *testing.T) {
	const source = `
#include <calliope_custom_call.h>
#include <stdio.h>
static void failure(XlaCustomCallStatus* s, const char* m, size_t n) { printf("%d failure %.*s\n", (int)s->size, (int)n, m); }
static void success(XlaCustomCallStatus* s) { printf("%d success\n", (int)s->size); }
int main(void) {
  XlaCustomCallStatus s = {7, failure, success};
#ifdef __cplusplus
  xla::XlaCustomCallStatus* status = &s;
#else
  XlaCustomCallStatus* status = &s;
#endif
  XlaCustomCallStatusSetFailure(status, "message", 4);
  XlaCustomCallStatusSetSuccess(status);
  return 0;
}
`
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			check.Diff(t, "calls", "7 failure mess\n7 success\n", run(t, l.variable, l.compiler, l.std, l.file, source))
		})
	}
}

// A function of another signature does not compile, and the compiler names the function.
func TestCustomCallOfAnotherSignature(t *testing.T) {
	for _, l := range languages {
		for _, parameters := range []string{"void", "float* out, const void** in", "void* out, const void** in, int n",
			"CUstream s, void** buffers"} {
			t.Run(l.name+"/"+parameters, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), l.file)
				source := "#include <calliope_custom_call.h>\nvoid my_call(" + parameters +
					");\nXLA_REGISTER_CUSTOM_CALL_TARGET(my_call, \"Host\");\n"
				check.NoError(t, os.WriteFile(path, []byte(source), 0o600))
				command := append(strings.Fields(cmp.Or(os.Getenv(l.variable), l.compiler)), l.std, "-I", "include",
					"-c", "-o", os.DevNull, path)
				out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
				if _, ran := err.(*exec.ExitError); !ran || !strings.Contains(string(out), "my_call") {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}
