package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// given has files that are used instead of downloads: their paths by SHA-256.
type given map[string]string

// copy copies the file with a SHA-256 into a folder of the cache and returns its path there.
// The copy cannot be changed by other users between its check and its use.
func (g given) copy(ctx context.Context, sha256, cache, into string) (string, error) {
	to := filepath.Join(into, "given")
	return to, copyTo(ctx, g[sha256], to, func(err error) error { return cacheError(cache, err) })
}

// copyTo copies a file and syncs the copy to the disk. wrap adds advice to an error of
// writing.
func copyTo(ctx context.Context, from, to string, wrap func(error) error) error {
	src, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("native: %w", err)
	}
	defer src.Close()
	r := &interruptible{ctx: ctx, r: src}
	if err := writeSynced(to, r); err != nil {
		_ = os.Remove(to)
		if r.err != nil {
			return fmt.Errorf("native: copying %s was stopped: %w", from, r.err)
		}
		return wrap(err)
	}
	return nil
}

// interruptible reads until ctx ends, and keeps the error.
type interruptible struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (i *interruptible) Read(b []byte) (n int, err error) {
	if err = context.Cause(i.ctx); err == nil {
		n, err = i.r.Read(b)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		i.err = err
	}
	return n, err
}
