package mlir_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/run/forgotten"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// lines keeps what is logged.
type lines struct {
	sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(line)
}

func (l *lines) count(text string) int {
	l.Lock()
	defer l.Unlock()
	return strings.Count(l.String(), text)
}

// wait waits until n lines with a text are logged, and returns how many there are.
func (l *lines) wait(n int, text string) int {
	for end := time.Now().Add(10 * time.Second); l.count(text) < n &&
		time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	return l.count(text)
}

func (l *lines) want(t *testing.T, n int, text string) {
	t.Helper()
	check.Diff(t, "lines with "+text, n, l.wait(n, text))
}

// A context that nothing leads to is destroyed with all that it has, and debug mode names the line that made it.
func TestForgottenContext(t *testing.T) {
	library := mlirtest.Library(t)
	pool := library.NewThreadPool()
	for _, test := range []struct {
		name string
		use  func(c *mlir.Context) any // returns what is kept
	}{
		{"empty", func(*mlir.Context) any { return nil }},
		{"a type", func(c *mlir.Context) any { return check.Must(c.ParseType("i32")) }},
		{"an open module", func(c *mlir.Context) any { return c.NewModule(mlir.Location{}) }},
		{"an operation", func(c *mlir.Context) any { return c.NewModule(mlir.Location{}).Body() }},
		{"detached operations", func(c *mlir.Context) any {
			m, err := c.Parse("", []byte(`"test.a"() : () -> ()`))
			check.NoError(t, err)
			op := m.Body().First()
			op.Detach()
			return op
		}},
		{"threads", func(c *mlir.Context) any { c.SetThreadPool(pool); return nil }},
		{"deep", func(c *mlir.Context) any {
			_, err := c.ParseType(strings.Repeat("tuple<", 5000) + strings.Repeat(">", 5000))
			check.NoError(t, err)
			return nil
		}},
		{"pass manager", func(c *mlir.Context) any {
			pm, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(cse)"})
			check.NoError(t, err)
			return pm
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log lines
			released := make(chan struct{})
			kept := func() any {
				c := library.NewContext(
					mlir.ContextOptions{AllowUnregistered: true, Debug: slog.New(slog.NewTextHandler(&log, nil))})
				kept := test.use(c)
				_, err := mlir.NewResource(check.Must(c.ParseType("tensor<2xi32>")), "two", []int32{1, 2},
					mlir.ResourceOptions{Released: func() { close(released) }})
				check.NoError(t, err)
				return kept
			}()
			if kept != nil {
				forgotten.Settle()
				check.Diff(t, "lines", 0, log.count("\n"))
				keep(kept)
				kept = nil
			}
			forgotten.Settle()
			<-released
			log.want(t, 1, "a Context was not closed")
			if log.count("forgotten_test.go:") == 0 {
				t.Error("no line has the place where the context was made")
			}
		})
	}
	check.NoError(t, pool.Close())
}

//go:noinline
func keep(any) {}

// A module that nothing leads to is destroyed when the context makes the next one, but not if there may be handles into
// it.
func TestForgottenModule(t *testing.T) {
	var log lines
	c := mlirtest.Library(t).NewContext(mlir.ContextOptions{Debug: slog.New(slog.NewTextHandler(&log, nil))})
	defer c.Close()
	forget := func() *mlir.Module { return c.NewModule(mlir.Location{}) }
	for range 10 {
		check.Diff(t, "text", "module {\n}\n", forget().String())
	}
	block := forget().Body()
	closed := forget()
	check.NoError(t, closed.Close())
	for c.Tops() > 2 {
		forgotten.Settle()
		last := forget()
		check.Diff(t, "empty", true, block.First().IsNil())
		check.NoError(t, last.Verify())
	}
	if n := log.wait(10, "forgotten_test.go:"); n < 10 {
		t.Errorf("%d lines name this file, want 10", n)
	}
	log.want(t, log.count("\n"), "a Module was not closed before it became garbage\" made=")
}
