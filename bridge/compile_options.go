package bridge

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calliope-mlir/calliope/engine"
)

// checkOptions returns the flags of XLA that the options ask for.
func checkOptions(o engine.CompileOptions, devices int) (flags map[string]string, err error) {
	switch {
	case o.Replicas < 0 || o.Partitions < 0:
		return nil,
			errors.New("a negative number of Replicas or Partitions is not possible; give 0 or 1 for one device")
	case o.Replicas > 1 && o.Partitions > 1:
		return nil, errors.New("both Replicas and Partitions are above 1; choose one")
	case max(o.Replicas, o.Partitions) > devices:
		return nil, fmt.Errorf("the options need %d devices, but the client has %d; increase ClientOptions.Devices",
			max(o.Replicas, o.Partitions), devices)
	case o.OptimizationLevel < engine.NoOptimization || o.OptimizationLevel > 3:
		return nil, fmt.Errorf("there is no OptimizationLevel %d; give 1 to 3, 0 for the default, or NoOptimization",
			o.OptimizationLevel)
	}
	if err := checkJAXCallbacks(o.JAXCallbacks); err != nil {
		return nil, err
	}
	flags = map[string]string{}
	for flag, value := range o.Flags {
		if !utf8.ValidString(flag) || !utf8.ValidString(value) {
			return nil, fmt.Errorf("the flag %q with the value %q is not valid UTF-8", flag, value)
		}
	}
	maps.Copy(flags, o.Flags)
	set := func(field, flag, value string) error {
		if other, twice := flags[flag]; twice {
			return fmt.Errorf("%s and Flags both have %s, %q and %q; choose one", field, flag, value, other)
		}
		flags[flag] = value
		return nil
	}
	if o.OptimizationLevel != 0 {
		level := max(0, o.OptimizationLevel) // NoOptimization is 0
		if err := set("OptimizationLevel", "xla_backend_optimization_level", strconv.Itoa(level)); err != nil {
			return nil, err
		}
	}
	if o.Exact {
		flags[disabledPasses] = strings.TrimPrefix(flags[disabledPasses]+","+inexactPasses, ",")
		if _, set := flags[excessPrecision]; !set {
			flags[excessPrecision] = "False"
		}
	}
	if o.DumpTo != "" {
		dir, err := filepath.Abs(o.DumpTo) // "-" is standard output in XLA
		if err != nil {
			return nil, fmt.Errorf("DumpTo: %w", err)
		}
		// XLA only logs that it cannot write.
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("DumpTo: %w", err)
		}
		if err := set("DumpTo", "xla_dump_to", dir); err != nil {
			return nil, err
		}
	}
	return flags, nil
}
