package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// jax is the package that the JAX program is written for, and flatbuffers what its jax.export needs.
const jax, flatbuffers = "jax==0.10.2", "flatbuffers"

const imports = "import jax.ffi, flatbuffers"

// jaxPython returns a Python with JAX: that of the environment variable PYTHON if it has JAX, or a virtual
// environment in the user's cache, which is made when it is first needed.
func jaxPython(ctx context.Context) (string, error) {
	if python := os.Getenv("PYTHON"); python != "" && exec.CommandContext(ctx, python, "-c", imports).Run() == nil {
		return python, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "calliope", "python-"+jax)
	python := filepath.Join(folder, "bin", "python")
	if exec.CommandContext(ctx, python, "-c", imports).Run() == nil {
		return python, nil
	}
	if err := os.RemoveAll(folder); err != nil { // what an interrupted installation left
		return "", err
	}
	fmt.Fprintf(os.Stderr, "installing %s into %s\n", jax, folder)
	for _, args := range [][]string{
		{"python3", "-m", "venv", folder},
		{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", jax, flatbuffers},
	} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("installing %s: %v: %w", jax, args, err)
		}
	}
	return python, nil
}
