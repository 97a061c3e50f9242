// Package hostile has a test that traces the tools of this module in the folder of a stranger, and compares what they
// do with the tables of SECURITY.md.
package hostile
