// Package program starts other programs, for all packages that are not development tools: a test holds that nothing
// else does. A program runs where the files of a stranger cannot change what it does: its path is absolute, its folder
// is one that the caller names or one that only the system's administrator writes to, and it does not get the variables
// that load code.
package program

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Command returns a command that runs a program in a folder, or in [Folder] if that is "". The program is looked up by
// [Find]. The command fails with its error if there is none. Append to its Env to add variables.
//
// The program gets the user's environment without the variables that load code into it, which often name the folder in
// which somebody works: see keeps. Search paths are without relative folders.
func Command(ctx context.Context, folder, name string, args ...string) *exec.Cmd {
	path, err := Find(name)
	cmd := exec.CommandContext(ctx, path, args...)
	if err != nil {
		cmd.Err = err
	}
	if folder == "" {
		folder = Folder()
	} else if folder, err = filepath.Abs(folder); err != nil {
		cmd.Err = err
	}
	cmd.Dir = folder
	cmd.Env = append(environment(os.Environ()), "PWD="+folder)
	return cmd
}

// Self returns a command that runs this executable in the same folder and environment, in which the user started it.
func Self(ctx context.Context, args ...string) *exec.Cmd {
	path, err := os.Executable()
	cmd := exec.CommandContext(ctx, path, args...)
	if err != nil {
		cmd.Err = err
	}
	cmd.Env = os.Environ()
	return cmd
}

// Find returns the absolute path of a program. It looks for a plain name in the absolute folders of PATH alone. A name
// with a separator is a path, relative to the working folder: only the user may give it, by a flag or a variable.
func Find(name string) (string, error) {
	if filepath.Base(name) != name {
		path, err := filepath.Abs(name)
		if err != nil {
			return "", &exec.Error{Name: name, Err: err}
		}
		return exec.LookPath(path)
	}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// Folder returns a folder to run programs in that read nothing of it: the root of the file system, or the folder of
// Windows. Others, such as that for temporary files, may have files of strangers, also in the folders around them,
// where programs look for their settings.
func Folder() string {
	if runtime.GOOS == "windows" {
		return os.Getenv("SystemRoot")
	}
	return "/"
}

// environment returns the variables for a program.
func environment(all []string) []string {
	kept := []string{}
	for _, variable := range all {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case !keeps(name):
		case slices.Contains(searchPaths, name):
			folders := slices.DeleteFunc(filepath.SplitList(value), func(f string) bool { return !filepath.IsAbs(f) })
			kept = append(kept, name+"="+strings.Join(folders, string(filepath.ListSeparator)))
		default:
			kept = append(kept, variable)
		}
	}
	return kept
}

// searchPaths are variables with folders in which programs and libraries are looked for. An empty entry is the working
// folder.
var searchPaths = []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"}

// keeps reports whether a program gets a variable. Settings, such as those of pip and proxies, are the user's choice
// for any folder. What loads code is set for the work in one folder, and may be of that folder: PYTHONPATH=., or what
// git sets for hooks.
func keeps(name string) bool {
	switch {
	case strings.HasPrefix(name, "GIT_"):
		// Not where a repository is, nor which programs git runs: git finds the repository by its folder.
		return strings.HasPrefix(name, "GIT_CONFIG") || name == "GIT_CEILING_DIRECTORIES"
	case strings.HasPrefix(name, "PYTHON"):
		return false // as python3 -I, for the scripts pip3 and pip, and for the Python that uv starts
	}
	return !slices.Contains([]string{"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PWD"}, name)
}
