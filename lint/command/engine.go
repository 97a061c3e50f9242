//go:build cgo

package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/lint/command/internal/report"
	"github.com/calliope-mlir/calliope/native"
)

// engines are the parts that are MLIR libraries.
var engines = []native.Part{native.MLIR, native.Jaxlib, native.IREE, native.LLVM}

func partNames() (names []string) {
	for _, p := range engines {
		names = append(names, string(p))
	}
	return names
}

func partList() string { return strings.Join(partNames(), ", ") }

// chooseEngine finds out which library the flag -engine names: a path, or the part to fetch.
func (s *settings) chooseEngine(engine string) (native.Part, error) {
	if engine == "" {
		return native.MLIR, nil
	}
	s.engine = true
	part := native.Part(engine)
	if slices.Contains(engines, part) {
		return part, nil
	}
	if info, err := os.Stat(engine); err != nil || info.IsDir() {
		return "", fmt.Errorf("-engine: there is no library %q%s: give the path of a shared library, or one of %s",
			engine, report.DidYouMean(engine, partNames()), partList())
	}
	s.library = engine
	return "", nil
}

// fetchEngine fetches the library if it is a part.
func (s *settings) fetchEngine(ctx context.Context, part native.Part, progress io.Writer) error {
	if s.library != "" {
		return nil
	}
	found, err := native.Ensure(ctx, part, native.EnsureOptions{Progress: progress})
	s.library = found.Path
	return err
}

// fetcher returns a function that fetches a library which an input needs. It tries each one
// once.
func fetcher(ctx context.Context, progress io.Writer) func(native.Part) error {
	var fetched sync.Map // native.Part -> func() error
	return func(p native.Part) error {
		once, _ := fetched.LoadOrStore(p, sync.OnceValue(func() error {
			_, err := native.Ensure(ctx, p, native.EnsureOptions{Progress: progress})
			return err
		}))
		return once.(func() error)()
	}
}
