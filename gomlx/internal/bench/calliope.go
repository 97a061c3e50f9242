//go:build !nocalliope

package main

import _ "github.com/calliope-mlir/calliope/gomlx"
