package main

import (
	"fmt"
	"go/build"
	"io"
	"path"
	"strings"
	"unicode"
)

// goFile returns the name of the Go file for the functions of a header: gen_, and the
// header's path in snake case, without its root folder and extensions. For
// mlir-c/Dialect/LLVM.h it is gen_dialect_llvm.go.
func goFile(header string) (string, error) {
	stem := header
	for _, root := range []string{"mlir-c/", "mlir/", stablehloHeaders} {
		stem = strings.TrimPrefix(stem, root)
	}
	dir, base := path.Split(stem)
	base, _, _ = strings.Cut(base, ".")
	var parts []string
	for part := range strings.SplitSeq(dir+base, "/") {
		parts = append(parts, snake(part))
	}
	name := "gen_" + strings.Join(parts, "_") + ".go"
	if constrained(name) {
		return "",
			fmt.Errorf("the Go file of %s would be %s, which is for tests or for some systems only", header, name)
	}
	return name, nil
}

// snake converts a name to snake case. A run of capitals is one word.
func snake(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) {
			before, last := letters[i-1], i+1 == len(letters)
			if !unicode.IsUpper(before) || !last && !unicode.IsUpper(letters[i+1]) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// constrained reports whether Go builds a file of that name only in tests or only for some
// systems.
func constrained(name string) bool {
	any := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package capi\n")), nil
	}}
	ok, err := any.MatchFile("", name)
	return err != nil || !ok || strings.HasSuffix(name, "_test.go")
}
