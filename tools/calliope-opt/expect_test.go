package main

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/parts"
)

func TestSplit(t *testing.T) {
	out, errs, status := opt(t, t.TempDir(), "func.func @a() { return }\n// -----\nfunc.func @a() { return }",
		"--split-input-file")
	if status != exitDone || strings.Count(out, "\n"+parts.Marker+"\n") != 1 || strings.Count(out, "@a") != 2 {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}

func TestVerifyDiagnostics(t *testing.T) {
	const bad = `%0 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>`
	function := func(lines ...string) string {
		return "func.func @f(%x: tensor<2xf32>) {\n" + strings.Join(lines, "\n") + "\nreturn }"
	}
	for name, test := range map[string]struct{ text, want string }{
		"on its line": {function(bad + " // expected-error {{requires the same shape}}"), ""},
		"below": {function("// expected-error@below {{same shape}}", "// a comment", bad),
			"line 3 was not reported"},
		"spaces":     {function("// expected-error @below  {{same shape}}", bad), ""},
		"directly":   {function("// expected-error@below {{same shape}}", bad), ""},
		"above":      {function(bad, "// expected-error@above {{same shape}}"), ""},
		"after":      {function("// expected-error@+1 {{same shape}}", bad), ""},
		"before":     {function(bad, "", "// expected-error@-2 {{same shape}}"), ""},
		"line":       {function(bad, "// expected-error@2 {{same shape}}"), ""},
		"expression": {function(bad + " // expected-error-re {{same {{sh[a-z]+e}} for}}"), ""},
		"no match":   {function(bad + " // expected-error-re {{same {{[0-9]+}}}}"), "was not reported"},
		"severity": {function(bad + " // expected-warning {{same shape}}"),
			`expected warning "same shape" at line 2 was not reported`},
		"unexpected": {function(bad), "unexpected <stdin>:2"},
		"none": {function("// expected-error {{x}}"),
			`<stdin>:2: expected error "x" at line 2 was not reported`},
		"two modules": {function(bad+" // expected-error {{same shape}}") + "\n// -----\n" +
			function(bad+" // expected-error {{same shape}}"), ""},
		"expression that is none": {function(bad + " // expected-error-re {{a{{(}}}}"), "missing closing )"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, errs, status := opt(t, t.TempDir(), test.text, "--verify-diagnostics", "--split-input-file")
			if out != "" || (status == exitDone) != (test.want == "") || !strings.Contains(errs, test.want) {
				t.Errorf("status %d, %s%s\nwant %q", status, out, errs, test.want)
			}
		})
	}
}
