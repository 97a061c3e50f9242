package command

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A shard is the flag -shard: the part i of n, or all if n is 0.
type shard struct{ i, n int }

// String returns the value of the flag.
func (s *shard) String() string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.i, s.n)
}

// Set parses the value of the flag.
func (s *shard) Set(text string) error {
	part, of, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(part)
	n, nErr := strconv.Atoi(of)
	if !ok || err != nil || nErr != nil || i < 1 || i > n {
		return fmt.Errorf("give a part and the number of parts, such as 1/4")
	}
	*s = shard{i, n}
	return nil
}

// of returns the inputs of the shard. The name of an input decides in which one it is.
func (s shard) of(all []input) []input {
	if s.n == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(in input) bool {
		h := fnv.New64a()
		h.Write([]byte(filepath.ToSlash(filepath.Clean(in.Name))))
		return h.Sum64()%uint64(s.n) != uint64(s.i-1)
	})
}
