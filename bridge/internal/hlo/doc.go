// Package hlo reads XLA's optimized program, a HloModuleProtoWithConfig: its parameters, results, shardings and
// custom calls. The field numbers are from xla/service/hlo.proto and xla/xla_data.proto. What is damaged, or has
// another form, is left out; nothing is read beyond the program's end.
package hlo
