package c

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// languages are those that the header is for. Each print shows a string or an integer.
var languages = []struct {
	name, variable, compiler, std, file, print string
}{
	{"C11", "CC", "cc", "-std=c11", "main.c", `
#define PRINT(x) _Generic((x), int: print_int, default: print_text)(#x, (const void*)(intptr_t)(x))
static void print_int(const char* name, const void* value) { printf("%s=%d\n", name, (int)(intptr_t)value); }
static void print_text(const char* name, const void* value) { printf("%s=\"%s\"\n", name, (const char*)value); }
`},
	{"C++17", "CXX", "c++", "-std=c++17", "main.cc", `
#define PRINT(x) print(#x, x)
static void print(const char* name, int value) { printf("%s=%d\n", name, value); }
static void print(const char* name, const char* value) { printf("%s=\"%s\"\n", name, value); }
`},
}

// TestHeader compiles the header in each language and holds its constants equal to the
// contract's. It needs a compiler for each.
func TestHeader(t *testing.T) {
	names := defined(t)
	want := constants(t)
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			// Twice, for a header may be included by several others.
			source := "#include <calliope.h>\n#include <calliope.h>\n#include <stdint.h>\n#include <stdio.h>\n" + l.print +
				"int main(void) {\n"
			for _, name := range names {
				source += "  PRINT(" + name + ");\n"
			}
			got := map[string]string{}
			for line := range strings.Lines(run(t, l.variable, l.compiler, l.std, l.file, source+"  return 0;\n}\n")) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				got[strings.TrimPrefix(name, "CALLIOPE_")] = value
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("the header differs from package contract (-want +got):\n%s", diff)
			}
		})
	}
}

// An enum of the header, with a value and what has its type.
type enum struct{ name, value, place string }

var enums = []enum{
	{"calliope_status", "CALLIOPE_INTERNAL = 13", "decltype(calliope_barrier(nullptr, 0))"},
	{"calliope_stage", "CALLIOPE_STAGE_EXECUTE = 3", ""},
	{"calliope_dtype", "CALLIOPE_F32 = 11", "decltype(calliope_array::dtype)"},
	{"calliope_dtype", "CALLIOPE_F64 = 12", "decltype(calliope_type::dtype)"},
	{"calliope_dispatch", "CALLIOPE_DEFERRED = 3", "decltype(calliope_options::dispatch)"},
	{"calliope_legacy_form", "CALLIOPE_LEGACY_GPU_STATUS = 5", ""},
}

// TestEnums holds that each enum of the header has a name and the size of an int32_t in both languages, and that
// functions and fields have its type. So generators of bindings type them.
func TestEnums(t *testing.T) {
	header := string(check.Must(os.ReadFile("include/calliope.h")))
	declared := regexp.MustCompile(`(?m)^(?:typedef )?enum .*|^CALLIOPE_ENUM\((\w+)\)`)
	for _, m := range declared.FindAllStringSubmatch(header, -1) {
		if !slices.ContainsFunc(enums, func(e enum) bool { return e.name == m[1] }) {
			t.Errorf("%q is not in the list of enums", m[0])
		}
	}
	source := "#include <calliope.h>\n#ifdef __cplusplus\n#include <type_traits>\n#define SAME(a, b) " +
		"static_assert(std::is_same<a, b>::value, #a)\n#define _Static_assert static_assert\n#endif\n"
	for _, e := range enums {
		name, value, _ := strings.Cut(e.value, " = ")
		source += fmt.Sprintf("_Static_assert(sizeof(%[1]s) == 4 && %[2]s == %[3]s, \"%[2]s\");\n", e.name, name, value)
		source += fmt.Sprintf("#ifdef __cplusplus\nSAME(%s, %s);\nSAME(std::underlying_type_t<%[2]s>, int32_t);\n#endif\n",
			cmp.Or(e.place, "decltype("+name+")"), e.name)
	}
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			run(t, l.variable, l.compiler, l.std, l.file, source+"int main(void) { return 0; }\n")
		})
	}
}

// TestEmptyProgram holds that the header stands by itself.
func TestEmptyProgram(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			run(t, l.variable, l.compiler, l.std, l.file, "#include <calliope.h>\nint main(void) { return 0; }\n")
		})
	}
}

// defined lists the macros of the header that are constants.
func defined(t *testing.T) []string {
	t.Helper()
	header, err := os.ReadFile(filepath.Join("include", "calliope.h"))
	check.NoError(t, err)
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^#define (CALLIOPE_\w+) `).FindAllSubmatch(header, -1) {
		if name := string(match[1]); name != "CALLIOPE_API" {
			names = append(names, name)
		}
	}
	return names
}

// run compiles a program that includes the header, with every warning an error, and
// returns what it prints.
func run(t *testing.T, variable, compiler, std, file, source string) string {
	t.Helper()
	dir := t.TempDir()
	path, program := filepath.Join(dir, file), filepath.Join(dir, "program")
	check.NoError(t, os.WriteFile(path, []byte(source), 0o600))
	command := strings.Fields(cmp.Or(os.Getenv(variable), compiler))
	command = append(command, std, "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", "include", "-o", program, path)
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v (the environment variable %s names another compiler)\n%s", strings.Join(command, " "), err,
			variable, out)
	}
	out, err := exec.Command(program).Output()
	check.NoError(t, err)
	return string(out)
}

// constants are those that the header must have, without their prefix CALLIOPE_.
func constants(t *testing.T) map[string]string {
	const major, minor, patch = 0, 1, 0
	all := map[string]string{
		"VERSION_MAJOR":    fmt.Sprint(major),
		"VERSION_MINOR":    fmt.Sprint(minor),
		"VERSION_PATCH":    fmt.Sprint(patch),
		"VERSION":          fmt.Sprint(major*10000 + minor*100 + patch),
		"CONTRACT_VERSION": fmt.Sprint(contract.Version),
		"API_VERSION":      "4", // the builder writes it
		"REGISTRY_LEGACY":  fmt.Sprintf("%q", legacy.Registry.Name()),
	}
	for prefix, list := range map[string][]string{"TARGET": contract.Targets(), "FORM": forms, "POLICY": policies,
		"KEY": keys(t)} {
		for _, value := range list {
			name := strings.TrimPrefix(strings.ToUpper(value), "CALLIOPE_")
			all[prefix+"_"+cmp.Or(shortNames[value], name)] = fmt.Sprintf("%q", value)
		}
	}
	return all
}

var forms = []string{string(contract.Passthrough), string(contract.Observe), string(contract.Call),
	string(contract.Pure)}

var policies = []string{string(contract.PerDevice), string(contract.Once), string(contract.Gather)}

// shortNames are the names of the keys that are not called as they are written.
var shortNames = map[string]string{
	"v":                        "VERSION",
	"n_ids":                    "NUM_IDS",
	"n_tokens":                 "NUM_TOKENS",
	"callback_id":              "ID",
	"callback_id_size":         "ID_SIZE",
	"callback_server_pid":      "SERVER",
	"callback_server_pid_size": "SERVER_SIZE",
	"num_aliased_data_outputs": "ALIASED",
}

// keys are those that the contract writes. Each field of a Config is set in one of the
// configs here, so that a new one, which may bring a key, is missed.
func keys(t *testing.T) []string {
	t.Helper()
	configs := []contract.Config{
		{Form: contract.Observe, Callback: "f", Signature: "s", Registry: "r", NumIDs: 1, NumTokens: 1, Effect: "e",
			Policy: "p", Transforms: "t", Loc: "l", Optional: true, Every: 2},
		{Form: contract.Observe, ID: 1},
		{Form: contract.Call, Callback: "f", Legacy: contract.Legacy{Version: 1, Opaque: "o", Tuples: "(.)->."}},
		{Form: contract.Call, Callback: "f", Derivative: contract.Derivative{JVP: "j", VJP: "v", Transpose: "t"},
			Batching: contract.Batching{Method: "b", Parallel: "*"}},
		{Form: contract.Call, Host: contract.Host{Encoding: contract.EncodingWords, Opaque: "o", Server: "s"}},
		{Form: contract.Passthrough, Host: contract.Host{Encoding: contract.EncodingServer, Opaque: "o", Aliased: 1}},
	}
	set := map[string]bool{}
	seen := map[string]bool{}
	var list []string
	for _, config := range configs {
		attrs, err := config.Attrs()
		check.NoError(t, err)
		for _, a := range attrs {
			if !seen[a.Key] {
				seen[a.Key] = true
				list = append(list, a.Key)
			}
		}
		mark(set, "", reflect.ValueOf(config))
	}
	for field, is := range set {
		if !is {
			t.Errorf("no config here sets %s of contract.Config: set it in one that has it", field)
		}
	}
	return list
}

// mark sets the names of the fields of a struct, and of the structs in it, that are not zero.
func mark(set map[string]bool, of string, v reflect.Value) {
	for field, value := range v.Fields() {
		if value.Kind() == reflect.Struct {
			mark(set, of+field.Name+".", value)
			continue
		}
		set[of+field.Name] = set[of+field.Name] || !value.IsZero()
	}
}
