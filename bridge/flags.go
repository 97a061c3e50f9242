package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
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
	hint := nearest.Hint(e.Nearest)
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

const codeInvalidArgument = 3

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
		_, rest, found := strings.Cut(failed.Message,
			fmt.Sprintf("While setting option %s, '%s' is not a valid ", flag, value))
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

// addDefault adds a flag that is set unless the user sets it.
func addDefault(flags map[string]string, name, value string) {
	if _, set := flags[name]; !set && !strings.Contains(xlaFlags(), name) {
		flags[name] = value
	}
}

// compileWith calls compile with flags that XLA accepts: only XLA knows which flags are
// bools, and refuses a flag before it compiles. user are the flags without defaults.
func (c *Client) compileWith(
	user map[string]string, compile func(flags map[string]string) (*xla.Executable, error),
) (*xla.Executable, error) {
	flags := maps.Clone(user)
	if !c.plugin.dropsNaN.Load() {
		addDefault(flags, keepsNaN, "False")
	}
	if c.plugin.pjrt.Platform() == ffi.CUDA {
		if err := addCUDARoot(flags, c.plugin.path); err != nil {
			return nil, err
		}
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

// nearestFlag returns the flag of XLA that is most similar to a name, or "".
func (p *Plugin) nearestFlag(name string) string {
	known, _ := p.knownFlags() // without the file there is no hint
	return nearest.Name(strings.TrimLeft(name, "-"), maps.Keys(known))
}

func (p *Plugin) knownFlags() (map[string]bool, error) {
	p.knownOnce.Do(func() { p.known, p.knownErr = readFlags(p.path) })
	return p.known, p.knownErr
}

// checkEnvironment returns an error if XLA would end the process for what is in XLA_FLAGS, which it
// parses when it makes its first client.
func (p *Plugin) checkEnvironment() error {
	const variable = "XLA_FLAGS"
	text := strings.TrimSpace(os.Getenv(variable))
	if text == "" || p.parsed.Load() {
		return nil
	}
	if !strings.HasPrefix(text, "-") { // the name of a file
		content, err := os.ReadFile(text)
		if err != nil {
			return fmt.Errorf("bridge: %s: %w: give flags, which begin with --, or a file with flags", variable, err)
		}
		text = string(content)
	}
	known, err := p.knownFlags()
	if err != nil {
		return fmt.Errorf("bridge: %s: %w", variable, err)
	}
	for _, flag := range splitFlags(text) {
		name, dashes := strings.CutPrefix(flag, "--")
		name, value, _ := strings.Cut(name, "=")
		if !dashes || !known[name] {
			return &FlagError{Flag: name, Value: value, Nearest: p.nearestFlag(name), Variable: variable}
		}
	}
	return nil
}

// splitFlags splits the text of XLA_FLAGS as XLA does: at spaces that are not in a quoted value, up to
// the first word that is not a flag.
func splitFlags(text string) (flags []string) {
	for {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "-") {
			return flags
		}
		end := strings.IndexAny(text, " \t\r\n")
		i := strings.IndexAny(text, "= \t\r\n")
		if i >= 0 && i+1 < len(text) && text[i] == '=' && (text[i+1] == '"' || text[i+1] == '\'') {
			quote := text[i+1]
			for end = i + 2; end < len(text) && text[end] != quote; end++ {
				if text[end] == '\\' {
					end++
				}
			}
			end++
		}
		if end < 0 || end > len(text) {
			end = len(text)
		}
		flags, text = append(flags, text[:end]), text[end:]
	}
}

// readFlags returns the names of XLA's flags in the file of a plugin: all strings that begin with xla_.
// These are a few more names than XLA has flags.
func readFlags(path string) (map[string]bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const longest = 256
	names, buf, kept := map[string]bool{}, make([]byte, 1<<20), 0
	for {
		n, err := io.ReadFull(f, buf[kept:])
		data := buf[:kept+n]
		for rest := data; ; {
			i := bytes.Index(rest, []byte("xla_"))
			if i < 0 {
				break
			}
			rest = rest[i:]
			end := bytes.IndexFunc(rest, func(r rune) bool {
				return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
			})
			if end < 0 {
				break
			}
			if rest[end] == 0 {
				names[string(rest[:end])] = true
			}
			rest = rest[end:]
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return names, nil
		case err != nil:
			return nil, err
		}
		kept = copy(buf, data[len(data)-longest:])
	}
}
