package mutants

import (
	"context"
	"reflect"
	"regexp"
	"slices"
)

// A mode is a way to run the command on a batch.
type mode func(*batch, context.Context) error

const split = "-split-input-file"

// special are the modes of every fifth batch, in turn.
var special = []mode{with("-strict"), (*batch).fix, with(split), (*batch).shards, (*batch).documents, (*batch).edits,
	(*batch).formats, (*batch).documents}

// modeOf returns the mode of a batch. Most batches are checked, and compared with -quick.
func modeOf(number int) mode {
	switch {
	case number%5 == 4:
		return special[number/5%len(special)]
	case number%2 == 0:
		return with()
	}
	return (*batch).quick
}

func with(args ...string) mode {
	return func(b *batch, ctx context.Context) error {
		_, err := b.check(ctx, args...)
		return err
	}
}

// shards checks that the files do not depend on each other.
func (b *batch) shards(ctx context.Context) error {
	all, err := b.check(ctx)
	if err != nil {
		return err
	}
	parts := map[string][]finding{}
	for _, shard := range []string{"1/2", "2/2"} {
		part, err := b.lint(ctx, b.linter, "-j", "1", "-shard", shard)
		if err != nil {
			return err
		}
		for path, found := range part {
			if _, twice := parts[path]; twice {
				b.problem(path, "it is in two shards")
			}
			parts[path] = found
		}
	}
	for path := range b.inputs {
		if out := outcome(all[path]); out == crash || out == late {
			continue
		}
		if !slices.EqualFunc(all[path], parts[path], sameFinding) {
			b.problem(path, "the findings %+v in a shard are %+v", all[path], parts[path])
		}
	}
	return nil
}

// address is an address in a message of the library, which is another one in each process.
var address = regexp.MustCompile(`0x[0-9a-f]+`)

func sameFinding(a, b finding) bool {
	a.Message, b.Message = address.ReplaceAllString(a.Message, ""), address.ReplaceAllString(b.Message, "")
	return reflect.DeepEqual(a, b)
}
