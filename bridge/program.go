package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
)

// A DescribedProgram is an engine.Program that tells what Compile cannot see in the bytes of its module.
// passes.Program returns one. A [Source] is one, but tells only the places and indices of calls in a
// text: Compile takes the runtime tokens of a Source (see [Sequence]) for ordinary parameters and results.
type DescribedProgram interface {
	engine.Program
	// Describe is called instead of Artifact, and Calls of its result on the same goroutine, before
	// Compile returns. If placed is false, the artifact may lack custom calls that only place a value in
	// a memory, such as JAX's annotate_device_placement. On CPU, which has one memory, they do nothing,
	// but some plugins have no implementation of them. Placed is true for a client for GPUs.
	//
	// Compile logs the first operation that is Inexact, unless CompileOptions.Exact is set. It checks
	// CompileOptions.JAXCallbacks against the attribute index of the calls.
	Describe(version string, placed bool) (contract.Module, error)
}

// describe returns what a program tells of its module.
func (c *Client) describe(p engine.Program) (m contract.Module, err error) {
	if d, ok := p.(DescribedProgram); ok {
		m, err = d.Describe(c.plugin.stablehlo, c.pinned != nil)
	} else {
		m.Artifact, err = p.Artifact(c.plugin.stablehlo)
	}
	if err == nil && len(m.Artifact) == 0 {
		err = errors.New("the program is empty; give a StableHLO module")
	}
	return m, err
}

// internalCall matches the name of a target of contract.XLAInternal in the text or bytecode of a module.
var internalCall = regexp.MustCompile(`(` + strings.Join(contract.XLATargets(contract.XLAInternal), "|") +
	`)[\x00"(\s]`)

// refuseInternal returns an error if the module has a call that may end the process when XLA compiles it.
func refuseInternal(m contract.Module) error {
	match := internalCall.FindSubmatch(m.Artifact)
	if match == nil {
		return nil
	}
	target, place := string(match[1]), ""
	if m.Calls != nil {
		for _, call := range m.Calls() {
			if call.Target == target && call.Loc != "" {
				place = " (called at " + call.Loc + ")"
				break
			}
		}
	}
	return fmt.Errorf("bridge: Compile: the module has a custom call of the target %q%s, which is for XLA's own passes and can end the process: remove it",
		target, place)
}

// warnInexact logs that XLA computes something else than a module says.
func (c *Client) warnInexact(m contract.Module, flags map[string]string) {
	if len(m.Inexact) > 0 && !strings.Contains(flags[disabledPasses], simplification) {
		c.logger().Warn("bridge: Compile: XLA simplifies a part of the module that has another value then; CompileOptions.Exact prevents it",
			"operation", m.Inexact[0], "operations", len(m.Inexact))
	}
}

// warnUnprepared logs that a Source with callbacks is compiled as it is, once for a client that has a Logger: what a
// program that asked for nothing prints stays its own.
func (c *Client) warnUnprepared(p engine.Program, o engine.CompileOptions) {
	s, ok := p.(Source)
	called := func(target string) bool { return bytes.Contains(s, []byte(target)) }
	if !ok || c.options.Logger == nil || len(o.JAXCallbacks) == 0 && !slices.ContainsFunc(contract.Targets(), called) {
		return
	}
	c.unprepared.Do(func() {
		c.logger().Warn("bridge: Compile: a Source with callbacks is compiled as it is, so XLA may overwrite a value that a branch " +
			"returns, or leave out a call in a condition; passes.Program prepares a module")
	})
}

// bytecodeMagic begins MLIR's bytecode and portable artifacts.
const bytecodeMagic = "ML\xefR"

// A Source is the text, the bytecode or the portable artifact of a module. Compile gives it to XLA as it is, without
// what makes a module right for XLA (see passes.Prepare). If it has callbacks, Compile warns of that on
// ClientOptions.Logger, once for a client: read such a module with mlir.Context.Parse, and compile it by
// passes.Program.
type Source []byte

// Artifact returns s itself, for every version.
func (s Source) Artifact(version string) ([]byte, error) { return s, nil }

// Describe implements [DescribedProgram]. The calls in bytecode are not known.
func (s Source) Describe(string, bool) (contract.Module, error) {
	m := contract.Module{Artifact: s}
	if !bytes.HasPrefix(s, []byte(bytecodeMagic)) {
		m.Calls = s.calls
	}
	return m, nil
}

var (
	callTarget = regexp.MustCompile(`^ *@([\w.$-]+)|^ *@"([^"]+)|call_target_name = "([^"]+)"`)
	callIndex  = regexp.MustCompile(`\bindex = (\d+) : ui64`)
)

// calls finds the custom calls in a text: their lines, targets and indices.
func (s Source) calls() (list []contract.CustomCall) {
	line := 1
	for i, part := range bytes.Split(s, []byte("stablehlo.custom_call")) {
		if i > 0 {
			call := contract.CustomCall{Loc: fmt.Sprintf("line %d", line), Index: -1}
			if target := callTarget.FindSubmatch(part); target != nil {
				call.Target = string(target[1]) + string(target[2]) + string(target[3])
			}
			if index := callIndex.FindSubmatch(part); index != nil {
				call.Index, _ = strconv.Atoi(string(index[1]))
			}
			list = append(list, call)
		}
		line += bytes.Count(part, []byte("\n"))
	}
	return list
}
