package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/replace"
	"github.com/calliope-mlir/calliope/internal/host/version"
)

// A chapter is a suite, and a sentence on what it measures.
type chapter struct{ suite, about string }

// chapters are the suites of the page, in its order. The suites that are missing here are parts of others.
var chapters = []chapter{
	{"callbacks", "Calls of Go from compiled code, by payload, way of dispatch and number of runs at the same time; " +
		"and their goals, beside floors in C."},
	{"embed", "Callbacks in a device loop of JAX through libcalliope, beside JAX's own."},
	{"run", "Executions of a module, and arrays in and out, beside a loop in C, gopjrt and JAX."},
	{"order", "What the order of effects costs, beside the same runs without it."},
	{"models", "Programs that JAX lowers, beside JAX."},
	{"autodiff", "Derivatives, beside those of JAX."},
	{"stages", "Modules that are cut at their callbacks, beside the same modules with inline calls."},
	{"jit", "Programs that MLIR and LLVM compile, beside the same programs on XLA and on the interpreter."},
	{"roofs", "How near compiled programs come to what the machine can do in registers and in memory, beside XLA."},
	{"gomlx", "The backend for GoMLX, beside go-xla's, on the same plugin."},
	{"ir", "Building, reading and printing IR, beside the same calls in C and MLIR's Python bindings."},
	{"lint", "The linter, beside a program that only parses and verifies."},
}

// A page is the report of some suites.
type page struct {
	folder string
	text   bytes.Buffer
	failed []string
	over   bool
}

// writeReport runs a suite, or all for "", each in a process of its own. It writes the page README.md with its pictures
// to a folder.
func writeReport(ctx context.Context, s settings, folder, suite string) (over bool, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return false, err
	}
	p := &page{folder: folder}
	fmt.Fprintf(&p.text, "# Measurements of Calliope %s\n\n", version.Version)
	fmt.Fprintf(&p.text, "`go run ./tools/bench -report DIR` made this page on %s, with `-repeat %d`.\n",
		time.Now().UTC().Format(time.DateOnly), s.repeat)
	if s.quick {
		p.text.WriteString("**It ran with `-quick`: the figures are not for comparison.**\n")
	}
	p.text.WriteString("A time is comparable only with others of this page. A limit is the budget of a figure: most are ratios\n" +
		"to a floor or a peer that was measured in turn with it, so they hold on other machines, too.\n")
	p.facts("The machine", "property", machine())
	found, err := versions(ctx, s)
	if err != nil {
		return false, err
	}
	p.facts("What was measured", "part", found)
	for _, c := range chapters {
		if suite != "" && c.suite != suite {
			continue
		}
		note("%s", c.suite)
		if err := p.write(ctx, s, c); err != nil {
			return false, err
		}
	}
	err = replace.File(filepath.Join(folder, "README.md"), func(w io.Writer) error {
		_, err := p.text.WriteTo(w)
		return err
	})
	if len(p.failed) > 0 {
		err = errors.Join(err, fmt.Errorf("not measured: %s; the page says why", strings.Join(p.failed, ", ")))
	}
	return p.over, err
}

// facts writes a table of facts.
func (p *page) facts(title, what string, list []fact) {
	fmt.Fprintf(&p.text, "\n## %s\n\n| %s | value |\n|---|---|\n", title, what)
	for _, f := range list {
		fmt.Fprintf(&p.text, "| %s | %s |\n", f.what, f.value)
	}
}

// write runs a suite and writes what it printed. A suite that fails is named, with its error.
func (p *page) write(ctx context.Context, s settings, c chapter) error {
	suite := c.suite
	fmt.Fprintf(&p.text, "\n## %s\n\n%s\n", suite, c.about)
	out, said, err := p.measure(ctx, s, suite)
	before := "\n"
	for line := range strings.Lines(said) {
		if said, ours := strings.CutPrefix(line, "bench: "); ours {
			p.text.WriteString(before + "- " + said)
			before = ""
		}
	}
	if err != nil {
		p.failed = append(p.failed, suite)
		fmt.Fprintf(&p.text, "\n**Not measured**: %v\n", err)
		return ctx.Err()
	}
	list, err := readResults(out)
	if err != nil {
		return fmt.Errorf("%s: %w", suite, err)
	}
	if suite == "callbacks" {
		fmt.Fprintf(&p.text, "\n![latency of a callback over its payload](%s)\n", latencyPlot)
	}
	if groups := besidePeers(list); len(groups) > 0 {
		picture := dots{title: suite + ": times beside floors and peers", groups: groups}
		if err := replace.File(filepath.Join(p.folder, suite+".svg"), picture.write); err != nil {
			return err
		}
		fmt.Fprintf(&p.text, "\n![times of the suite %s beside floors and peers](%[1]s.svg)\n", suite)
	}
	p.tables(list)
	return nil
}

// latencyPlot is the file that the suite callbacks draws.
const latencyPlot = "latency.svg"

// measure runs a suite in a process, and returns what it printed.
func (p *page) measure(ctx context.Context, s settings, suite string) (out, said string, err error) {
	program, err := os.Executable()
	if err != nil {
		return "", "", err
	}
	args := []string{"-suite", suite, "-repeat", strconv.Itoa(s.repeat), "-python", s.python,
		"-quick=" + strconv.FormatBool(s.quick)}
	if suite == "callbacks" {
		args = append(args, "-plot", filepath.Join(p.folder, latencyPlot))
	}
	command := exec.CommandContext(ctx, program, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	data, err := command.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == statusOver {
		err = nil
	}
	return string(data), stderr.String(), err
}

// tables writes the figures with a limit, and the others.
func (p *page) tables(list []result) {
	var limits, others strings.Builder
	for _, r := range list {
		value := r.value + " " + micros(r.unit)
		if r.limit == "-" {
			fmt.Fprintf(&others, "| %s | %s | %s | %s | %s |\n", r.name, value, r.all, r.cpu, r.allocs)
			continue
		}
		holds := "yes"
		if r.over {
			holds, p.over = "**no**", true
		}
		limit := strings.NewReplacer("<=", "≤ ", ">=", "≥ ").Replace(r.limit)
		fmt.Fprintf(&limits, "| %s | %s | %s | %s |\n", r.name, value, limit, holds)
	}
	if limits.Len() > 0 {
		p.text.WriteString("\n| figure | value | limit | holds |\n|---|---|---|---|\n" + limits.String())
	}
	if others.Len() > 0 {
		p.text.WriteString("\n| for comparison | value | all runs | processor time | allocations |\n|---|---|---|---|---|\n" +
			others.String())
	}
}
