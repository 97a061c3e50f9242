package bridge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
)

// artifact is a Program of a function.
type artifact func(version string) ([]byte, error)

func (a artifact) Artifact(version string) ([]byte, error) { return a(version) }

func TestProgramVersion(t *testing.T) {
	c := testClient(t)
	own := c.plugin.stablehlo
	t.Cleanup(func() { c.plugin.stablehlo = own })
	var asked []string
	for _, reported := range []string{own, ""} {
		c.plugin.stablehlo = reported
		e, err := c.Compile(t.Context(), artifact(func(version string) ([]byte, error) {
			asked = append(asked, version)
			return []byte(mainFunc("", "", "return")), nil
		}), CompileOptions{})
		check.NoError(t, err)
		check.NoError(t, e.Close())
	}
	check.Diff(t, "versions", []string{knownPlugin(t).stablehlo, ""}, asked)
}

func TestProgramErrors(t *testing.T) {
	c := testClient(t)
	failed := errors.New("no artifact")
	for _, test := range []struct {
		name    string
		program Program
		want    string
	}{
		{"nil", nil, "bridge: Compile: the program is nil"},
		{"an empty source", Source{}, "bridge: Compile: the program is empty"},
		{"a nil source", Source(nil), "bridge: Compile: the program is empty"},
		{"an empty artifact", artifact(func(string) ([]byte, error) { return nil, nil }), "bridge: Compile: the program is empty"},
		{"an error", artifact(func(string) ([]byte, error) { return []byte("module {}"), failed }), "bridge: Compile: no artifact"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, ctx := range []context.Context{context.Background(), t.Context()} {
				e, err := c.Compile(ctx, test.program, CompileOptions{})
				if e != nil || err == nil || !strings.HasPrefix(err.Error(), test.want) {
					t.Errorf("got %v and %v, want an error that begins with %q", e, err, test.want)
				}
				if test.name == "an error" {
					check.Diff(t, "it is wrapped", true, errors.Is(err, failed))
				}
			}
		})
	}
	check.Diff(t, "uses of the client", int64(0), c.life.state.Load())
}

// placed is a PlacedProgram whose Artifact is not used.
type placed struct{ artifact }

func (p placed) Artifact(string) ([]byte, error) { return nil, errors.New("the wrong form") }

func (p placed) ArtifactWithoutPlacement(version string) ([]byte, error) { return p.artifact(version) }

// Compile leaves placement hints out.
func TestProgramWithoutPlacement(t *testing.T) {
	c := testClient(t)
	var asked string
	var p PlacedProgram = placed{func(version string) ([]byte, error) {
		asked = version
		return []byte(mainFunc("", "", "return")), nil
	}}
	e, err := c.Compile(t.Context(), p, CompileOptions{})
	check.NoError(t, err)
	check.NoError(t, e.Close())
	check.Diff(t, "version", c.plugin.stablehlo, asked)
}
