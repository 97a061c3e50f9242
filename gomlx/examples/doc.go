// Package examples has programs of GoMLX in its folders, and their tests.
package examples
