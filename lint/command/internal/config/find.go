package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
)

// A Finder finds the configurations of files. It may be used by several goroutines.
type Finder struct {
	rules []string
	fixed *Config
	mu    sync.Mutex
	known map[string]found // by folder
}

type found struct {
	config *Config
	err    error
}

// NewFinder returns a finder that looks for .mlir-lint.yaml in the folder of a file and the
// folders around it. rules are the names of the rules.
func NewFinder(rules []string) *Finder {
	return &Finder{rules: rules, known: map[string]found{}}
}

// Fixed returns a finder that returns the configuration in one file for all.
func Fixed(file string, rules []string) (*Finder, error) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	c, err := read(absolute, file, rules, "") // the user named it
	if err != nil {
		return nil, err
	}
	return &Finder{fixed: c}, nil
}

// For returns the configuration of the files in a folder, which is an absolute path.
func (f *Finder) For(folder string) (*Config, error) {
	if f.fixed != nil {
		return f.fixed, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.find(filepath.Clean(folder))
}

func (f *Finder) find(folder string) (*Config, error) {
	if known, ok := f.known[folder]; ok {
		return known.config, known.err
	}
	file := filepath.Join(folder, Name)
	var c *Config
	_, err := os.Lstat(file)
	switch parent := filepath.Dir(folder); {
	case err == nil && !Below(file, rootOf(folder)):
		err = &Error{shown(file), 1, 1, "the configuration cannot be read: it is a link out of the tree " + rootOf(folder)}
	case err == nil && !regular(file):
		err = &Error{shown(file), 1, 1, "the configuration cannot be read: it is not a regular file"}
	case err == nil:
		c, err = read(file, shown(file), f.rules, rootOf(folder))
	case parent != folder:
		c, err = f.find(parent)
	default:
		c, err = &Config{}, nil
	}
	f.known[folder] = found{c, err}
	return c, err
}

// regular reports whether a file is a regular one, or cannot be read. A pipe would wait for a writer.
func regular(file string) bool {
	info, err := os.Stat(file)
	return err != nil || info.Mode().IsRegular()
}

// shown returns the name of a file in messages: relative to the working directory if it is
// below that.
func shown(file string) string {
	here, err := os.Getwd()
	if err != nil {
		return file
	}
	if relative, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(relative) {
		return relative
	}
	return file
}

// limit is the largest size of a configuration.
const limit = bounded.MiB

func read(file, shown string, rules []string, root string, by ...string) (*Config, error) {
	data, err := load(file)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, &Error{shown, 1, 1, "the configuration cannot be read: " + err.Error()}
	}
	return parse(file, shown, data, rules, root, by...)
}

func load(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if len(data) > int(limit) {
		return nil, fmt.Errorf("it is larger than %s", limit)
	}
	return data, err
}
