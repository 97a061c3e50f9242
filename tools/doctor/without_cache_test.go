package main

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/native"
)

// TestWithoutCache reports on a container in which the libraries are beside the program, and no folder for a cache is.
func TestWithoutCache(t *testing.T) {
	for _, p := range native.DefaultParts() {
		found, err := native.Find(p)
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(p.Env(), found.Path)
	}
	for home, want := range map[string]string{"": "no folder for the cache is known", "/proc/nobody": "cannot be made"} {
		for _, name := range []string{"CALLIOPE_CACHE", "XDG_CACHE_HOME", "HOME"} {
			unset(t, name)
		}
		if home != "" {
			t.Setenv("HOME", home)
		}
		exit, stdout, _ := doctor(t, "-check=false")
		machine := section(stdout, "machine")
		if exit != exitWell || !strings.Contains(machine, "cache none: ") || !strings.Contains(machine, want) {
			t.Errorf("with HOME=%q: exit status %d, want %q:\n%s", home, exit, want, stdout)
		}
	}
}
