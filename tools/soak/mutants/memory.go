package mutants

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/child"
)

// tiny is the size of the modules that are varied, so that many are checked fast.
const tiny = 1 << 10

// The command is ahead of the report that is read, so the last sample is taken before the last files.
const (
	fewest = 1000
	ahead  = 200
)

// growthBound is how much more memory a worker may have at the end than after a tenth of the files.
const growthBound = 24 << 20

// A memory is the resident memory of a command and its workers after some files, in bytes.
type memory struct {
	files   int
	command int64
	workers []int64
}

func (m memory) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files: the command %.1f MiB, its workers", m.files, mib(m.command))
	for _, w := range m.workers {
		fmt.Fprintf(&b, " %.1f", mib(w))
	}
	return b.String()
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }

// Measure checks many valid modules in one run, and prints the memory at some points of it. It
// returns an error if the workers grow. It needs the /proc of Linux.
func Measure(ctx context.Context, files int, out io.Writer) error {
	if files < fewest {
		return fmt.Errorf("the number of files must be %d or more", fewest)
	}
	folder, err := scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	p, err := build(ctx, folder)
	if err != nil {
		return err
	}
	modules, err := p.withFindings(ctx, filepath.Join(folder, "seeds"))
	if err != nil {
		return err
	}
	many := filepath.Join(folder, "many")
	if err := os.Mkdir(many, 0o755); err != nil {
		return err
	}
	for i := range files {
		s := modules[i%len(modules)]
		data := fmt.Appendf(bytes.Clone(s.data), "\nfunc.func private @variation_%d()\n", i)
		if err := os.WriteFile(filepath.Join(many, fmt.Sprintf("%07d.mlir", i)), data, 0o644); err != nil {
			return err
		}
	}
	for _, format := range []string{"json", "sarif"} {
		fmt.Fprintf(out, "-format %s:\n", format)
		samples, err := p.measure(ctx, many, format, files, out)
		if err != nil {
			return err
		}
		if format == "json" {
			if err := flat(samples); err != nil {
				return err
			}
		}
	}
	return nil
}

// withFindings returns the tiny texts that the library accepts and the rules have findings in.
func (p programs) withFindings(ctx context.Context, folder string) (all []seed, err error) {
	seeds, err := corpus(ctx)
	if err != nil {
		return nil, err
	}
	b := &batch{programs: p, folder: folder, inputs: map[string]input{}}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	for _, s := range seeds {
		if s.isText() && len(s.data) <= tiny {
			if err := b.add(input{name: s.name, data: s.data}); err != nil {
				return nil, err
			}
		}
	}
	byFile, err := b.lint(ctx, p.linter)
	for _, s := range seeds {
		if outcome(byFile[filepath.Join(folder, s.name)]) == findings {
			all = append(all, s)
		}
	}
	return all, err
}

// measure runs the command. With the format json, which is written after each file, it takes
// samples after a hundredth, a tenth, half and nearly all of the files, and otherwise the highest
// ones of the run.
func (p programs) measure(ctx context.Context, folder, format string, files int, out io.Writer) ([]memory, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.linter, "-config", os.DevNull, "-j", "2", "-format", format, folder)
	inGroup(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	points := []int{files / 100, files / 10, files / 2, files - max(files/100, ahead)}
	var samples []memory
	take := func(n int) error {
		m, err := sampleOf(cmd.Process.Pid)
		m.files = n
		samples = append(samples, m)
		fmt.Fprintln(out, m)
		return err
	}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<30)
	last, n := "", 0
	for lines.Scan() && err == nil {
		var f finding
		if format != "json" {
			if n == 0 { // the report is written at the end
				n = files
				err = take(n)
			}
			continue
		}
		if err = json.Unmarshal(lines.Bytes(), &f); err == nil && f.Rule == "invalid" {
			err = fmt.Errorf("a valid module has the finding %+v", f)
		}
		if f.File != last {
			last = f.File
			if n++; err == nil && slices.Contains(points, n) {
				err = take(n)
			}
		}
	}
	err = errors.Join(err, lines.Err())
	if err != nil {
		_ = killGroup(cmd) // fails if it has ended
	}
	if ended := cmd.Wait(); err == nil && cmd.ProcessState.ExitCode() != 1 { // there are findings
		err = fmt.Errorf("the command ended with %w: %s", ended, &stderr)
	}
	if err == nil && n != files {
		err = fmt.Errorf("the report has %d files, want %d", n, files)
	}
	return samples, errors.Join(err, alone(cmd, exitLimit))
}

// sampleOf returns the memory of a process and of those that it started.
func sampleOf(pid int) (m memory, err error) {
	if m.command, err = child.Resident(pid); err != nil {
		return m, err
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		stat, gone := os.ReadFile(file)
		var worker, parent int
		var state string
		end := bytes.LastIndexByte(stat, ')') // of the name
		if gone != nil || end < 0 {
			continue
		}
		if _, err := fmt.Sscan(string(stat), &worker); err != nil {
			return m, err
		}
		if _, err := fmt.Sscan(string(stat[end+1:]), &state, &parent); err != nil {
			return m, err
		}
		if parent != pid || state == "Z" {
			continue
		}
		if size, gone := child.Resident(worker); gone == nil {
			m.workers = append(m.workers, size)
		}
	}
	return m, err
}

// flat returns an error if a worker grew after the first tenth of the files.
func flat(samples []memory) error {
	if len(samples) < 4 || len(samples[1].workers) == 0 || len(samples[3].workers) == 0 {
		return fmt.Errorf("there are not enough samples: %v", samples)
	}
	warm, end := slices.Max(samples[1].workers), slices.Max(samples[3].workers)
	if end-warm > growthBound {
		return fmt.Errorf("a worker grew from %.1f to %.1f MiB, at most %d MiB more are allowed", mib(warm), mib(end),
			growthBound>>20)
	}
	return nil
}
