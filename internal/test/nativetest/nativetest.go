// Package nativetest provides the native parts that tests need.
package nativetest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/native"
)

// Main is the TestMain of packages whose tests open the parts themselves. It fetches the
// missing parts, or fails with the command that fetches them. Without arguments it uses the
// default parts.
func Main(m *testing.M, parts ...native.Part) {
	if err := native.EnsureAll(context.Background(), native.EnsureOptions{}, parts...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
