//go:build cgo && (linux || darwin || windows)

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/internal/run/fortran"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// failedPrecondition is the absl status code of a plugin for GPUs that finds none.
const failedPrecondition = 9

// withC reports whether this program can open native libraries.
const withC = true

var jobs = map[string]job{
	inspectMLIR:   describeMLIR,
	inspectPlugin: func(s *steps) { describePlugin(s, false) },
	inspectCUDA:   func(s *steps) { describePlugin(s, true) },
	inspectLAPACK: describeLAPACK,
	tryMLIR:       useMLIR,
	tryIR:         buildAndRunAlone,
	tryAll:        buildAndRun,
	versionMLIR:   versionOfMLIR,
	versionPlugin: versionsOfPlugin,
}

// describeMLIR returns the capabilities of the MLIR library that the environment names.
func describeMLIR(s *steps) {
	var library *mlir.Library
	if !s.do("C functions", func() (text string, err error) {
		if library, err = mlir.Open(mlir.OpenOptions{}); err != nil {
			return "", err
		}
		return fmt.Sprintf("%d of the %d that are bound", len(library.Functions()),
			len(raw.LibraryTable(library).Names())), nil
	}) {
		return
	}
	s.do("StableHLO", func() (string, error) {
		current, err := stablehlo.CurrentVersion(library)
		if errors.Is(err, mlir.ErrUnsupported) {
			return "no C API for it", nil // as in IREE's library
		} else if err != nil {
			return "", err
		}
		oldest, err := stablehlo.MinimumVersion(library)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s; writes portable artifacts from %s on", current, oldest), nil
	})
}

// useMLIR describes the MLIR library that the environment names, and lowers a module with it.
func useMLIR(s *steps) {
	describeMLIR(s)
	var c *mlir.Context
	s.do("dialects", func() (string, error) {
		library, err := mlir.Open(mlir.OpenOptions{})
		if err != nil {
			return "", err
		}
		c = library.NewContext(mlir.ContextOptions{})
		c.LoadAllDialects()
		return strings.Join(c.Dialects(), " "), nil
	})
	s.do("parse, verify, lower", func() (string, error) {
		if c == nil {
			return "", errors.New("there is no library")
		}
		defer c.Close()
		m, err := c.Parse("try.mlir",
			[]byte("func.func @f(%x: i32) -> i32 {\n  %0 = arith.addi %x, %x : i32\n  return %0 : i32\n}\n"))
		if err != nil {
			return "", err
		}
		pm, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: "builtin.module(convert-func-to-llvm)"})
		if err != nil {
			return "", err
		}
		return "", pm.Run(m)
	})
}

// describePlugin returns the properties that the plugin named by the environment reports. A
// plugin for GPUs may be on a machine without one, for programs that run elsewhere.
func describePlugin(s *steps, gpu bool) {
	var plugin *bridge.Plugin
	if !s.do("PJRT API", func() (text string, err error) {
		if plugin, err = bridge.Open(bridge.OpenOptions{}); err != nil {
			return "", err
		}
		return plugin.Info().PJRT, nil
	}) {
		return
	}
	info := plugin.Info()
	s.do("typed FFI", func() (string, error) { return info.FFI + ", the layout of call frames", nil })
	s.do("attributes", func() (string, error) {
		var texts []string
		for _, key := range slices.Sorted(maps.Keys(info.Attributes)) {
			texts = append(texts, key+" "+info.Attributes[key])
		}
		return strings.Join(texts, "\n"), nil
	})
	s.do("devices", func() (string, error) {
		client, err := plugin.NewClient(bridge.ClientOptions{})
		if failed, ok := errors.AsType[*bridge.PluginError](err); ok && gpu && failed.Code == failedPrecondition {
			return "none: " + failed.Message, nil
		}
		if err != nil {
			return "", err
		}
		n := client.NumDevices()
		return fmt.Sprint(n), client.Close()
	})
}

// describeLAPACK returns what the LAPACK library that the environment names says of itself.
func describeLAPACK(s *steps) {
	s.do("version", func() (string, error) {
		found, err := native.Find(native.LAPACK)
		if err != nil {
			return "", err
		}
		library, err := fortran.Open(found.Path, "dpotrf")
		if err != nil {
			return "", err
		}
		return cmp.Or(library.Version(), "it does not say"), nil
	})
}

// versionOfMLIR returns what the table of compatibility says of an MLIR library.
func versionOfMLIR(s *steps) {
	s.do(stableHLO, func() (string, error) {
		library, err := mlir.Open(mlir.OpenOptions{})
		if err != nil {
			return "", err
		}
		version, err := stablehlo.CurrentVersion(library)
		switch {
		case !errors.Is(err, mlir.ErrUnsupported):
			return version, err
		case library.HasDialect("stablehlo"):
			return "without its C API", nil
		}
		return "none", nil
	})
}

// versionsOfPlugin returns what the table of compatibility says of a plugin.
func versionsOfPlugin(s *steps) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		s.do(pjrt, func() (string, error) { return "", err })
		return
	}
	info := plugin.Info()
	s.do(pjrt, func() (string, error) { return info.PJRT, nil })
	s.do(ffi, func() (string, error) { return info.FFI, nil })
	s.do(stableHLO, func() (string, error) {
		version := strings.Trim(info.Attributes["stablehlo_current_version"], "[]")
		return strings.ReplaceAll(version, " ", "."), nil
	})
}
