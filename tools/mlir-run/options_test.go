package main

import (
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
)

func TestParseOptions(t *testing.T) {
	defaults := options{module: "m.mlir", compare: tolerance{rtol: 1e-5, atol: 1e-6}, replicas: 1,
		maxModule: bounded.GiB, maxArrays: 4 * bounded.GiB}
	with := func(change func(*options)) options {
		o := defaults
		change(&o)
		return o
	}
	for args, want := range map[string]options{
		"m.mlir":                        defaults,
		"-":                             with(func(o *options) { o.module = "-" }),
		"--in a.npz m.mlir --out b.npz": with(func(o *options) { o.in, o.out = []string{"a.npz"}, "b.npz" }),
		"m.mlir -in a.npy -in b.npy":    with(func(o *options) { o.in = []string{"a.npy", "b.npy"} }),
		"--expect z.npz --rtol 0 m.mlir --atol 1": with(func(o *options) {
			o.expect, o.compare = "z.npz", tolerance{atol: 1}
		}),
		"m.mlir --cache dir": with(func(o *options) { o.cache = "dir" }),
		"m.mlir --max-module 3KiB --max-arrays 5": with(func(o *options) {
			o.maxModule, o.maxArrays = 3*bounded.KiB, 5
		}),
		"m.mlir --feeds f.npz": with(func(o *options) { o.feeds = "f.npz" }),
		"--tap --replicas 2 --devices 3 --timeout 1m m.mlir": with(func(o *options) {
			o.tap, o.replicas, o.devices, o.timeout = true, 2, 3, time.Minute
			o.replicasGiven = true
		}),
	} {
		got, err := parseOptions(strings.Fields(args))
		if err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(options{}, tolerance{})); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}
}

func TestParseOptionsRefused(t *testing.T) {
	for args, want := range map[string]string{
		"":                                  "the module is missing",
		"a.mlir b.mlir":                     "there are 2 modules: a.mlir b.mlir: name one",
		"--frobnicate m.mlir":               "frobnicate",
		"m.mlir --frobnicate":               "frobnicate",
		"m.mlir --in":                       "needs an argument",
		"m.mlir --rtol x":                   `invalid value "x"`,
		"m.mlir --rtol -1":                  "--rtol and --atol must be finite",
		"m.mlir --atol NaN":                 "--rtol and --atol must be finite",
		"m.mlir --atol Inf":                 "--rtol and --atol must be finite",
		"m.mlir --out y.npy":                "written as .npz",
		"m.mlir --replicas 0":               "--replicas 0: use 1 to 1024",
		"m.mlir --feeds f.npy":              "--feeds f.npy: what is sent is written as .npz",
		"m.mlir --feeds f.npz --out f.npz":  "the results have the same name",
		"m.mlir --check --replay r":         "--replay cannot be combined with --check or --stub",
		"m.mlir --stub zeros --tap":         "--stub cannot be combined with --tap",
		"m.mlir --feeds f.npz --replay r":   "--feeds cannot be combined with --replay",
		"m.mlir --feeds f.npz --replicas 2": "feeds of several devices have no order",
		"m.mlir --replicas 1000000000":      "--replicas 1000000000: use 1 to 1024",
		"m.mlir --devices -1":               "--devices -1: use 1 to 1024",
		"m.mlir --devices 100000":           "--devices 100000: use 1 to 1024",
		"m.mlir --max-module 0":             "give a size such as",
		"m.mlir --max-arrays many":          "give a size such as",
		"m.mlir --devices 1 --replicas 2":   "2 replicas need at least that many devices",
		"m.mlir --timeout -1s":              "use a duration such as 30s",
	} {
		if _, err := parseOptions(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", args, err, want)
		}
	}
	if _, err := parseOptions([]string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
}
