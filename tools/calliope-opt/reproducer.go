package main

import (
	"bytes"
	"errors"
	"strconv"
)

// reproducedPipeline returns the passes that a reproducer has as text, in the form that MLIR writes:
//
//	mlir_reproducer: {
//	  pipeline: "builtin.module(…)",
func reproducedPipeline(source []byte) (string, error) {
	_, resource, found := bytes.Cut(source, []byte("mlir_reproducer:"))
	_, value, ok := bytes.Cut(resource, []byte("pipeline: "))
	if !found || !ok {
		return "", errors.New("it is no reproducer: it has no resource mlir_reproducer with a pipeline")
	}
	quoted, err := strconv.QuotedPrefix(string(value))
	if err != nil {
		return "", errors.New("the pipeline of its resource mlir_reproducer is no string")
	}
	return strconv.Unquote(quoted)
}
