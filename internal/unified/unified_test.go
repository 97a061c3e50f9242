package unified

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

func TestDiff(t *testing.T) {
	const head = "diff x.orig x\n--- x.orig\n+++ x\n"
	tests := []struct{ name, a, b, want string }{
		{"equal", "a\n", "a\n", ""},
		{"from nothing", "", "a\nb\n", head + "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", head + "@@ -1,1 +0,0 @@\n-a\n"},
		{"in the middle", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", head + "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"no newline", "a", "a\n", head + "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"CRLF", "a\r\nb\r\n", "a\r\nc\r\n", head + "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check.Diff(t, "diff", test.want, string(Diff("x.orig", "x", []byte(test.a), []byte(test.b))))
		})
	}
}
