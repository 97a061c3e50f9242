//go:build engines

package movement

func init() { engines = "xla:pjrt,exact:pjrt,xla:pjrt106,exact:pjrt106,xla:pjrt81,exact:pjrt81" }
