package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"modernc.org/cc/v4"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// laterHeaders are folders with mlir-c of releases that Debian 12 does not have.
var laterHeaders = map[int]*string{
	23: flag.String("llvm23", "", "folder that holds mlir-c/ of LLVM 23, for TestDeclared"),
	24: flag.String("llvm24", "", "folder that holds mlir-c/ of LLVM 24, for TestDeclared"),
}

// unlike has the functions of llvm24 that only torch-mlir's library has, or in another form: see llvm23/Effects.h.
var unlike = map[string]bool{
	"mlirMemoryEffectInstancesListAppend":             true,
	"mlirMemoryEffectsOpInterfaceAttachFallbackModel": true,
	"mlirRegisterAllStablehloPasses":                  true,
}

// TestDeclared holds what is written here about later releases against their headers:
//
//	go test ./tools/bindgen -run Declared -llvm23 DIR -llvm24 DIR
//
// Debian's packages libmlir-23-dev and libmlir-24-dev have them in /usr/lib/llvm-23/include and so on.
func TestDeclared(t *testing.T) {
	for release, dir := range laterHeaders {
		if *dir == "" {
			continue
		}
		older := check.Must(fetchHeaders(t.Context(), newestRelease))
		theirs := check.Must(parse([]string{*dir, older}))
		known := map[string]string{}
		for _, f := range theirs.functions {
			known[f.name] = signature(f)
		}
		bound := check.Must(read(check.Must(fetchHeaders(t.Context(), oldestRelease)), older, ownDeclarations("../..")))
		for _, f := range bound.functions {
			want, ok := known[f.name]
			switch {
			case !strings.HasPrefix(f.name, "mlir") || unlike[f.name] || f.since > release:
			case !ok && f.since == 0, !ok && f.since < release: // removed
			case !ok:
				t.Errorf("LLVM %d has no %s", release, f.name)
			case called(f, release) && signature(f) != want:
				t.Errorf("in LLVM %d the function is\n%s\nand not\n%s", release, want, signature(f))
			}
		}
	}
}

// called reports whether a function is called in libraries of a release.
func called(f *function, release int) bool {
	switch {
	case notAfter[f.name] != 0 && release > notAfter[f.name]:
		return false
	case f.unless != "":
		return release <= changedAfter[f.name].release
	case f.release == newestRelease:
		return sameUntil[f.name]
	case f.release != 0:
		return f.release <= release && f.release > newestRelease
	}
	return true
}

// signature returns a function's prototype with all types that it has, without their names.
func signature(f *function) string {
	var params []string
	for _, p := range f.params {
		params = append(params, layout(p.c))
	}
	return fmt.Sprintf("%s %s(%s)", layout(f.result), f.name, strings.Join(params, ", "))
}

func layout(t cc.Type) string {
	if name := typedefName(t); standard(name) {
		return name
	}
	switch t := t.(type) {
	case *cc.PointerType:
		if f, ok := t.Elem().(*cc.FunctionType); ok {
			var params []string
			for _, p := range f.Parameters() {
				params = append(params, layout(p.Type()))
			}
			return fmt.Sprintf("%s(*)(%s)", layout(f.Result()), strings.Join(params, ", "))
		}
		return layout(t.Elem()) + "*"
	case *cc.StructType:
		if isHandle(t) {
			return "handle"
		}
		var fields []string
		for i := range t.NumFields() {
			fields = append(fields, layout(t.FieldByIndex(i).Type()))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case *cc.EnumType:
		var values []string
		for _, v := range t.Enumerators() {
			values = append(values, enumValue(v))
		}
		return "enum{" + strings.Join(values, ", ") + "}"
	}
	return basicC(t)
}
