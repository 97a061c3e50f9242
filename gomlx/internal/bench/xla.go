//go:build xla

package main

import _ "github.com/gomlx/go-xla/compute/xla"
