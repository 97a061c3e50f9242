package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/callargs"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
)

// A TargetError reports a custom call that no handler serves.
type TargetError struct {
	Target string
	Loc    string // place of the first such call in the source; "" if unknown
	// Nearest is the most similar target that is registered, or "". It is Target itself if the call has
	// another API version.
	Nearest string

	untyped bool // the call is not of the typed FFI
	cause   error
}

func (e *TargetError) Error() string {
	at, hint := "", ": register one by Plugin.RegisterForeign; preflight.Check lists all such calls"
	if e.Loc != "" {
		at = " (called at " + e.Loc + ")"
	}
	switch {
	case e.Nearest == e.Target:
		hint = ": the registered one is of XLA's typed FFI: write api_version = 4 with a dictionary as backend_config"
	case contract.IsJAXTarget(e.Target):
		hint = ": the module has callbacks of JAX: name those that serve them in CompileOptions.JAXCallbacks"
	case e.Nearest != "":
		hint = fmt.Sprintf("; is it %q?", e.Nearest)
	case e.untyped:
		hint = ": the call is not of XLA's typed FFI: rewrite it with passes.ReplaceLegacy, and register the function with package callbacks/legacy"
	}
	const text = "bridge: compile: no handler is registered for the custom call target %q%s%s"
	return fmt.Sprintf(text, e.Target, at, hint)
}

// Unwrap returns the plugin's error.
func (e *TargetError) Unwrap() error { return e.cause }

// noHandler matches what XLA says of a custom call without a handler.
var noHandler = regexp.MustCompile(`No FFI handler registered for (.+) on a |` +
	`No registered implementation for untyped custom call to (.+) for `)

// hints are what to do about what XLA says.
var hints = map[string]string{
	"conversion requires module with `main` function": "the module has no function @main, which is the one that runs",
	"Unbounded dynamism is disabled":                  "the module has open dimensions: stablehlo.Refine closes them for the arguments of a call",
}

// explain adds to an error of a compile what XLA does not know of the module.
func (p *Plugin) explain(err error, m contract.Module) error {
	failed, ok := errors.AsType[*PluginError](err)
	if !ok {
		return err
	}
	var calls []contract.CustomCall
	if m.Calls != nil {
		calls = m.Calls()
	}
	if match := noHandler.FindStringSubmatch(failed.Message); match != nil && failed.cause == nil {
		missing := &TargetError{Target: match[1] + match[2], untyped: match[2] != "", cause: err}
		missing.Nearest = nearest.Name(missing.Target, maps.Keys(p.served()))
		for _, call := range calls {
			if call.Target == missing.Target {
				missing.Loc = call.Loc
				break
			}
		}
		return missing
	}
	for text, hint := range hints {
		if strings.Contains(failed.Message, text) {
			return fmt.Errorf("bridge: Compile: %s: %w", hint, err)
		}
	}
	if strings.Contains(failed.Message, "Failed to parse using StableHLO") && !looksLikeModule(m.Artifact) {
		return fmt.Errorf("bridge: Compile: the program, which begins with %.20q, is no StableHLO: give the text of "+
			"a module, its bytecode or a portable artifact; plugins do not read HLO: %w", m.Artifact, err)
	}
	if wrong, ok := errors.AsType[*callbacks.SignatureError](failed.cause); ok && wrong.Want == "" {
		for _, call := range calls {
			if s := signatureOf(call); contract.SignatureHash(s) == wrong.WantHash {
				before := wrong.Error()
				wrong.Want = s
				failed.Message = strings.Replace(failed.Message, before, wrong.Error(), 1)
				break
			}
		}
	}
	return err
}

// looksLikeModule reports whether a program that XLA cannot parse may be a module with a mistake.
func looksLikeModule(program []byte) bool {
	return bytes.HasPrefix(program, []byte(bytecodeMagic)) ||
		bytes.Contains(program, []byte("module")) || bytes.Contains(program, []byte("func.func"))
}

// signatureOf returns the signature of a call of the contract.
func signatureOf(call contract.CustomCall) string {
	attrs, err := hlo.ParseConfig(call.Config)
	if err != nil {
		return ""
	}
	config, err := contract.Decode(attrs)
	if err != nil {
		return ""
	}
	args, filled, err := callargs.Data(config, call.Operands, call.Results)
	if err != nil {
		return ""
	}
	signature, _ := config.SignatureOf(args, filled)
	return signature
}
