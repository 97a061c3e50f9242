package stablehlo

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestCompatibility(t *testing.T) {
	l := mlirtest.Library(t)
	minimum, current := versions(t)
	last := current
	for _, c := range []Compatibility{CompatibleNone, CompatibleWeeks4, CompatibleWeeks12, CompatibleMax} {
		v, err := VersionFor(l, c)
		check.NoError(t, err)
		if number(t, v) > number(t, last) {
			t.Errorf("compatibility %d needs %s, which is newer than %s", c, v, last)
		}
		smaller, err := SmallerVersion(l, v, last)
		check.NoError(t, err)
		check.Diff(t, "the smaller version", v, smaller)
		if smaller, err = SmallerVersion(l, last, v); err != nil {
			t.Fatal(err)
		}
		check.Diff(t, "the smaller version", v, smaller)
		last = v
	}
	check.Diff(t, "the widest compatibility", minimum, last)
	for _, c := range []Compatibility{-1, 4} {
		_, err := VersionFor(l, c)
		check.Error(t, err, "there is no compatibility")
	}
	for _, v := range []string{"", "1", "1.2", "1.2.3.4", "a.b.c", "1.-2.3", "1.2.99999999999", "v1.2.3"} {
		_, err := SmallerVersion(l, v, current)
		check.Error(t, err, "is not a version")
		_, err = SmallerVersion(l, current, v)
		check.Error(t, err, "is not a version")
	}
}

// TestEveryVersion writes and reads a portable artifact of each version that the library
// can write.
func TestEveryVersion(t *testing.T) {
	c := mlirtest.Context(t)
	current, err := CurrentVersion(c.Library())
	check.NoError(t, err)
	last, err := strconv.Atoi(strings.Split(current, ".")[1])
	if err != nil || !strings.HasPrefix(current, "1.") {
		t.Fatalf("unexpected version %s: %v", current, err)
	}
	m := mlirtest.Parse(t, c, `func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
		%0 = stablehlo.add %a, %a : tensor<2xf32>
		return %0 : tensor<2xf32> }`)
	defer m.Close()
	for minor := range last + 1 {
		v := fmt.Sprintf("1.%d.0", minor)
		artifact, err := PortableArtifact(m, v)
		if err != nil {
			t.Errorf("%s: %v", v, err)
			continue
		}
		back, err := c.Parse("artifact", artifact)
		if err != nil {
			t.Errorf("%s: %v", v, err)
			continue
		}
		check.Diff(t, v, m.String(), back.String())
		back.Close()
	}
}
