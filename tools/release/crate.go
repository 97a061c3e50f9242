package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/calliope-mlir/calliope/internal/host/version"
)

// crate packs the crate for Rust, with the licence. It does not build it, for which it would need the library.
func crate(ctx context.Context, work, dir string) error {
	// In the checkout, cargo would write a lock file.
	folder := filepath.Join(work, "crate")
	if err := os.CopyFS(folder, os.DirFS("c/rust")); err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return err
		}
	}
	if _, err := output(ctx, nil, "cargo", "package", "--quiet", "--offline", "--no-verify", "--manifest-path",
		filepath.Join(folder, "Cargo.toml"), "--target-dir", filepath.Join(work, "target")); err != nil {
		return fmt.Errorf("the crate: %w", err)
	}
	name := "calliope-mlir-" + version.Version + ".crate"
	data, err := os.ReadFile(filepath.Join(work, "target", "package", name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
}
