package c

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/version"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// inRust are the types of the header as Rust has them. Pointers to incomplete types are *mut c_void.
var inRust = map[string]string{
	"size_t": "usize", "int32_t": "i32", "int64_t": "i64", "const char*": "*const c_char", "char**": "*mut *mut c_char",
	"void*": "*mut c_void", "void**": "*mut *mut c_void", "const void*": "*const c_void", "const int64_t*": "*const i64",
	"const char* const*": "*const *const c_char", "void* const*": "*const *mut c_void", "int32_t*": "*mut i32",
	"int64_t*": "*mut i64", "size_t*": "*mut usize", "const struct PJRT_Api*": "*const c_void",
	"calliope_function": "calliope_function", "calliope_handler*": "*mut calliope_handler",
	"calliope_call*": "*mut calliope_call", "const calliope_call*": "*const calliope_call",
}

// rustType returns a type of the header in Rust.
func rustType(c string) string {
	if t := inRust[c]; t != "" {
		return t
	}
	if name, ok := strings.CutPrefix(c, "const calliope_"); ok {
		return "*const calliope_" + strings.TrimSuffix(name, "*")
	}
	return c
}

var (
	comment     = regexp.MustCompile(`//.*`)
	spaces      = regexp.MustCompile(`\s+`)
	cConstant   = regexp.MustCompile(`(CALLIOPE_\w+) = (\d+)`)
	cStruct     = regexp.MustCompile(`typedef struct (\w+) \{(.*?)\}`)
	cFunction   = regexp.MustCompile(`CALLIOPE_API ([^(]*?)(\w+)\((.*?)\);`)
	cField      = regexp.MustCompile(`^(.*?[ *])(\w+)$`)
	rustConst   = regexp.MustCompile(`pub const (\w+): \w+ = (\d+);`)
	rustStruct  = regexp.MustCompile(`pub struct (\w+) \{(.*?)\}`)
	rustForeign = regexp.MustCompile(`pub fn (\w+)\((.*?),? ?\)(?: -> ([^;]*))?;`)
)

// inC are the declarations of the header, as a line each in Rust.
func inC(header string) (list []string) {
	_, header, _ = strings.Cut(header, `extern "C" {`)
	text := spaces.ReplaceAllString(comment.ReplaceAllString(header, ""), " ")
	for _, m := range cConstant.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1]+" = "+m[2])
	}
	field := func(f string) string {
		switch m := cField.FindStringSubmatch(strings.TrimSpace(f)); {
		case strings.Contains(f, "(*drop)"):
			return "drop: Option<unsafe extern \"C\" fn(user_data: *mut c_void)>"
		case strings.Contains(f, "(*function)"):
			return "function: Option<unsafe extern \"C\" fn()>"
		case m == nil:
			return f
		default:
			return m[2] + ": " + rustType(strings.TrimSpace(m[1]))
		}
	}
	fields := func(list, separator string) string {
		var names []string
		for f := range strings.SplitSeq(list, separator) {
			if f = strings.TrimSpace(f); f != "" && f != "void" {
				names = append(names, field(f))
			}
		}
		return strings.Join(names, ", ")
	}
	for _, m := range cStruct.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1]+" {"+fields(m[2], ";")+"}")
	}
	for _, m := range cFunction.FindAllStringSubmatch(text, -1) {
		result := strings.TrimPrefix(rustType(strings.TrimSpace(m[1])), "void")
		list = append(list, m[2]+"("+fields(m[3], ",")+") "+result)
	}
	return list
}

// TestRustDeclarations holds the declarations in Rust equal to the header.
func TestRustDeclarations(t *testing.T) {
	source := string(check.Must(os.ReadFile("rust/src/sys.rs")))
	text := spaces.ReplaceAllString(comment.ReplaceAllString(source, ""), " ")
	var got []string
	for _, m := range rustConst.FindAllStringSubmatch(text, -1) {
		got = append(got, m[1]+" = "+m[2])
	}
	plain := func(list string) string {
		return strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(list, "pub ", "")), ",")
	}
	for _, m := range rustStruct.FindAllStringSubmatch(text, -1) {
		got = append(got, m[1]+" {"+plain(m[2])+"}")
	}
	for _, m := range rustForeign.FindAllStringSubmatch(text, -1) {
		got = append(got, m[1]+"("+plain(m[2])+") "+m[3])
	}
	check.Diff(t, "declarations", inC(string(check.Must(os.ReadFile("include/calliope.h")))), got)
}

// TestRustVersion holds the version of the crate equal to the project's.
func TestRustVersion(t *testing.T) {
	cargo := string(check.Must(os.ReadFile("rust/Cargo.toml")))
	if want := "\nversion = \"" + version.Version + "\"\n"; !strings.Contains(cargo, want) {
		t.Errorf("c/rust/Cargo.toml does not have the line %q", want)
	}
}
