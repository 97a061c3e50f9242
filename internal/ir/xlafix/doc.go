// Package xlafix rewrites what XLA's CPU compiler gets wrong or does not translate, for passes.Prepare, and reports
// where it does so. It follows the plugins of the day: a rewriting goes when no plugin needs it.
package xlafix
