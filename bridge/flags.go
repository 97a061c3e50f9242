package bridge

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/calliope-mlir/calliope/bridge/internal/xla"
)

// A FlagError reports a flag of [CompileOptions], or in the environment variable XLA_FLAGS, that XLA
// refuses.
type FlagError struct {
	Flag, Value string
	Variable    string // the environment variable; "" for CompileOptions
	Nearest     string // the most similar flag, if the plugin has no such flag; "" if none is similar
	// Type is that of the flag, such as "bool" or "int32", of which Value is not. It is
	// empty if the plugin has no such flag.
	Type string

	cause error
}

func (e *FlagError) Error() string {
	hint := ""
	if e.Nearest != "" {
		hint = fmt.Sprintf(" (is it %q?)", e.Nearest)
	}
	switch {
	case e.Variable != "":
		return fmt.Sprintf("bridge: %s: this plugin's XLA has no flag %q%s; flags begin with two dashes, and XLA ends "+
			"the process for one that it does not know: change or unset %[1]s", e.Variable, e.Flag, hint)
	case e.Type != "":
		return fmt.Sprintf("bridge: compile: the flag %s is of type %s, which cannot be %q", e.Flag, e.Type, e.Value)
	case strings.HasPrefix(e.Flag, "-"):
		return fmt.Sprintf("bridge: compile: XLA has no flag %q%s; give the name without dashes", e.Flag, hint)
	}
	return fmt.Sprintf("bridge: compile: this plugin's XLA has no flag %q%s; its flags are the fields of DebugOptions in xla/xla.proto", e.Flag, hint)
}

// Unwrap returns the plugin's error.
func (e *FlagError) Unwrap() error { return e.cause }

// flagError returns the FlagError that a plugin's error is about, or nil. The texts are those
// of CompileOptions::ApplyOption (xla/pjrt/pjrt_executable.cc).
func flagError(err error, flags map[string]string) *FlagError {
	failed, ok := errors.AsType[*PluginError](err)
	if !ok || failed.Code != codeInvalidArgument {
		return nil
	}
	for flag, value := range flags {
		if strings.Contains(failed.Message, fmt.Sprintf("No such compile option: '%s'", flag)) {
			return &FlagError{Flag: flag, Value: value, cause: err}
		}
		_, rest, found := strings.Cut(failed.Message, fmt.Sprintf("While setting option %s, '%s' is not a valid ", flag, value))
		if kind, _, ok := strings.Cut(rest, " value"); found && ok {
			return &FlagError{Flag: flag, Value: value, Type: kind, cause: err}
		}
	}
	return nil
}

// bools are the values of bools by those of XLA_FLAGS. Only these are read from the string of
// a flag for one compile.
var bools = map[string]string{"true": "True", "1": "True", "false": "False", "0": "False"}

// keepsNaN is the flag of XLA's CPU compiler without which maximum, minimum and clamp keep
// a NaN, and take -0 for less than 0.
const keepsNaN = "xla_cpu_enable_fast_min_max"

// disabledPasses is the flag with the names of passes that XLA leaves out, inexactPasses are those that
// CompileOptions.Exact leaves out, and excessPrecision is the flag that lets XLA keep more bits than a type has.
const (
	disabledPasses  = "xla_disable_hlo_passes"
	simplification  = "algsimp"
	inexactPasses   = simplification + ",constant_folding"
	excessPrecision = "xla_allow_excess_precision"
)

// flagVariables are the environment variables that XLA reads flags from.
var flagVariables = [...]string{"XLA_FLAGS", "XLA_DEBUG_OPTIONS"}

// xlaFlags returns the values of flagVariables. A value without dashes is the name of a file
// with the flags, whose content is added.
func xlaFlags() string {
	var b strings.Builder
	for _, variable := range flagVariables {
		value := os.Getenv(variable)
		fmt.Fprintf(&b, "%s=%q\n", variable, value)
		if name := strings.TrimSpace(value); name != "" && !strings.HasPrefix(name, "-") {
			content, err := os.ReadFile(name)
			fmt.Fprintf(&b, "%q %v\n", content, err)
		}
	}
	return b.String()
}

// addDefaults adds flags that are set unless the user sets them.
func addDefaults(flags map[string]string) {
	if _, set := flags[keepsNaN]; set {
		return
	}
	for _, variable := range flagVariables {
		if strings.Contains(os.Getenv(variable), keepsNaN) {
			return
		}
	}
	flags[keepsNaN] = "False"
}

// compileWith calls compile with flags that XLA accepts: only XLA knows which flags are
// bools, and refuses a flag before it compiles. user are the flags without defaults.
func (c *Client) compileWith(user map[string]string, compile func(flags map[string]string) (*xla.Executable, error)) (*xla.Executable, error) {
	flags := maps.Clone(user)
	if !c.plugin.dropsNaN.Load() {
		addDefaults(flags)
	}
	for {
		e, err := compile(flags)
		if err == nil {
			return e, nil
		}
		err = pluginError("compile", err)
		refused := flagError(err, flags)
		if refused == nil {
			return nil, err
		}
		if _, set := user[keepsNaN]; !set && refused.Flag == keepsNaN {
			c.plugin.dropsNaN.Store(true) // an XLA without the flag
			delete(flags, keepsNaN)
			continue
		}
		value, ok := bools[refused.Value]
		if !ok || refused.Type != "bool" {
			if refused.Type == "" {
				refused.Nearest = c.plugin.nearestFlag(refused.Flag)
			}
			return nil, refused
		}
		flags[refused.Flag] = value
	}
}
