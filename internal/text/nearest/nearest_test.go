package nearest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/text/nearest"
)

func TestName(t *testing.T) {
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"metrik", []string{"metrics", "metric", "matrices"}, "metric"},
		{"metric", []string{"metricb", "metrica"}, "metrica"}, // as near
		{"mian", []string{"main"}, "main"},
		{"log", []string{"exp"}, ""},
		{"ab", []string{"ax"}, "ax"},
		{"ab", []string{"xy"}, ""},
		{"", []string{"a", "b"}, ""},
		{"a", nil, ""},
		{"log", []string{strings.Repeat("log", 1<<20)}, ""},
	} {
		if got := nearest.Name(c.name, slices.Values(c.known)); got != c.want {
			t.Errorf("the nearest of %.20q to %q is %q, want %q", c.known, c.name, got, c.want)
		}
	}
}
