package operations

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestEdges holds that each value of an attribute is in some valid program of each of its operations.
func TestEdges(t *testing.T) {
	l, err := mlir.Open(mlir.OpenOptions{})
	check.NoError(t, err)
	c, err := quantContext(l)
	check.NoError(t, err)
	check.Cleanup(t, c)
	hold(t, c, sliceStrides)
	hold(t, c, edgePadding)
	hold(t, c, interiorPadding)
	hold(t, c, windowSizes)
	hold(t, c, windowStrides)
	hold(t, c, windowPadding)
	hold(t, c, baseDilations)
	hold(t, c, windowDilations)
	hold(t, c, exponentBits)
	hold(t, c, mantissaBits)
	hold(t, c, iotaSizes)
	hold(t, c, likeValues)
	hold(t, c, directions)
	hold(t, c, chloDirections)
	hold(t, c, precisions)
	hold(t, c, transposes)
	hold(t, c, unitary)
	hold(t, c, sortOrders)
	hold(t, c, isStable)
	hold(t, c, selections)
	hold(t, c, epsilons)
	hold(t, c, accuracies)
	hold(t, c, fourierKinds)
}

func hold[T comparable](t *testing.T, c *mlir.Context, e edge[T]) {
	for name := range strings.FieldsSeq(e.ops) {
		if !strings.Contains(name, ".") {
			name = "stablehlo." + name
		}
		g := &generator{Rand: rand.New(rand.NewPCG(1, 1))}
		left := slices.Clone(e.values)
		for range 20000 {
			if len(left) == 0 {
				break
			}
			p, ok := g.attempt(all[name], nil, nil, false)
			if !ok {
				continue
			}
			left = slices.DeleteFunc(left, func(v T) bool {
				value := fmt.Sprint(v)
				if s, ok := any(v).(string); ok {
					value = regexp.QuoteMeta(s)
				}
				is := regexp.MustCompile(fmt.Sprintf(e.as, value))
				return slices.ContainsFunc(p.lines, func(line string) bool {
					return strings.Contains(line, `"`+name+`"`) && is.MatchString(line)
				}) && verify(c, p) == nil
			})
		}
		if len(left) > 0 {
			t.Errorf("%s never has %v", name, left)
		}
	}
}
