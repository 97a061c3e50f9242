package notmlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/notmlir"
)

func TestReason(t *testing.T) {
	const module = "func.func @f() {\n  return\n}\n"
	for _, test := range []struct{ data, want string }{
		{"\x1f\x8b\x08\x00", "gzip"},
		{"(\xb5/\xfd\x00", "zstd"},
		{"\xfd7zXZ\x00", "xz"},
		{"PK\x03\x04", "zip"},
		{"\x7fELF\x02", "shared library"},
		{"BC\xc0\xde", "bitcode of LLVM"},
		{"\xff\xfef\x00", "UTF-16"},
		{"\xfe\xff\x00f", "UTF-16"},
		{"f\x00u\x00n\x00c\x00", "UTF-16"},
		{"\x00f\x00u\x00n\x00c", "UTF-16"},
		{"HloModule m\n", "HLO text"},
		{"// a comment\n/* another\n one */\nHloModule m, is_scheduled=true\n", "HLO text"},
		{"<<<<<<< HEAD\n" + module + "=======\n>>>>>>> other\n", "1: git could not merge"},
		{"func.func @f() {\n<<<<<<< HEAD\r\n  return\n||||||| base\n=======\n>>>>>>> a: b\n}\n", "2: git could not merge"},
		{module, ""},
		{"\ufeff" + module, ""},
		{"", ""},
		{"module @HloModule {}", ""},
		{"// <<<<<<< HEAD\n" + module + ">>>>>>> other", ""},
		{"\"<<<<<<< \"\n", ""},
		{"ML\xefR\x0d", ""},
		{strings.Repeat("\x00", 9), ""},
	} {
		line, got := notmlir.Reason([]byte(test.data))
		got = fmt.Sprintf("%d: %s", line, got)
		if test.want == "" && got != "0: " || !strings.Contains(got, test.want) {
			t.Errorf("%q: %q, want %q", test.data, got, test.want)
		}
	}
}
