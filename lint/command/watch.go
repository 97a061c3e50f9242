package command

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/calliope-mlir/calliope/lint/command/internal/config"
)

// watch checks the inputs, and again each time one of them or a configuration changes, until ctx ends. It looks for
// changes at intervals of shortest, or of ten times as long as looking takes.
func (o *options) watch(
	ctx context.Context, shortest time.Duration, stderr io.Writer, check func() (int, error),
) (int, error) {
	for {
		before, err := o.state()
		if err != nil {
			return 0, err
		}
		exit, err := check()
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(stderr, "%s: waiting for changes\n", o.flags.Name())
		for now, took := before, time.Duration(0); now == before; {
			select {
			case <-ctx.Done():
				return exit, nil
			case <-time.After(max(shortest, 10*took)):
			}
			begun := time.Now()
			if now, err = o.state(); err != nil {
				return 0, err
			}
			took = time.Since(begun)
		}
	}
}

// state returns what changes with the inputs and their configurations: names, sizes and times.
func (o *options) state() (sum [sha256.Size]byte, err error) {
	all, err := o.inputs(nil)
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	add := func(path string) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(h, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	add(o.config)
	folders := map[string]bool{}
	for _, in := range all {
		path := absolute(in)
		add(path)
		for dir := filepath.Dir(path); !folders[dir]; dir = filepath.Dir(dir) {
			folders[dir] = true
			add(filepath.Join(dir, config.Name))
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
