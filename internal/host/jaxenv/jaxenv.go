// Package jaxenv makes virtual environments of Python that have JAX, for tests and for programs to copy.
package jaxenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/program"
)

// Newest is the version of JAX that programs run with if nothing else is said.
const Newest = "0.12.0.1"

// Versions returns the versions of JAX with which this module is tried, the newest first.
func Versions() []string { return []string{Newest, "0.11.2", "0.10.2"} }

// Python returns the path of a Python that has a version of JAX, and what its jax.export needs. It is that of a virtual
// environment in the user's cache, which is made when it is first asked for. That takes a minute and the network.
func Python(ctx context.Context, version string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	jax := "jax==" + version
	folder := filepath.Join(cache, "calliope", "python-"+jax)
	python := pythonOf(folder)
	if _, err := os.Stat(python); err == nil {
		return python, nil
	}
	if err := install(ctx, folder, jax, "flatbuffers"); err != nil {
		if _, here := os.Stat(python); here == nil {
			return python, nil // another process was faster
		}
		return "", fmt.Errorf("installing %s: %w", jax, err)
	}
	return python, nil
}

// install makes an environment with packages. There is none before all of them are installed.
func install(ctx context.Context, folder string, packages ...string) error {
	base, err := interpreter(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	making, err := os.MkdirTemp(filepath.Dir(folder), "making-python-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(making)
	fmt.Fprintf(os.Stderr, "installing %s into %s\n", strings.Join(packages, " "), folder)
	if _, err := output(ctx, base, "-m", "venv", making); err != nil {
		return err
	}
	pip := []string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check"}
	if _, err := output(ctx, pythonOf(making), append(pip, packages...)...); err != nil {
		return err
	}
	// If its Python is gone, an environment is useless. A whole one of another process stays, and the renaming fails.
	if _, err := os.Stat(pythonOf(folder)); err != nil {
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	return os.Rename(making, folder)
}

func pythonOf(folder string) string { return filepath.Join(folder, "bin", "python") }

// fits fails in a Python that is too old for JAX, or that cannot make environments.
const fits = "import ensurepip, sys, venv; assert sys.version_info >= (3, 12); print(sys.executable)"

// interpreter returns the path of a Python that JAX runs on: of PATH, of pyenv or of uv.
func interpreter(ctx context.Context) (string, error) {
	candidates := []string{"python3.12", "python3.13", "python3.14", "python3"}
	// On PATH, pyenv has a command for each version, in the folder shims. It fails if the user selected another
	// version, or if the home is another one.
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.Base(folder) == "shims" {
			of, err := filepath.Glob(filepath.Join(filepath.Dir(folder), "versions", "3.*", "bin", "python"))
			if err != nil {
				return "", err
			}
			candidates = append(candidates, of...)
		}
	}
	if path, err := output(ctx, "uv", "python", "find", ">=3.12"); err == nil {
		candidates = append(candidates, path)
	}
	for _, candidate := range candidates {
		if path, err := output(ctx, candidate, "-c", fits); err == nil {
			return path, nil
		}
	}
	return "", errors.New("JAX needs Python 3.12 or newer with the module venv, which neither PATH nor pyenv nor uv " +
		"has: run `apt-get install python3-venv`, `uv python install 3.13` or `pyenv install 3.13`")
}

// output runs a program and returns what it prints, without the space around it. The error has what the program says.
func output(ctx context.Context, name string, args ...string) (string, error) {
	var stderr strings.Builder
	cmd := program.Command(ctx, "", name, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}
