package errtext

import (
	"encoding/json"
	"errors"
	"fmt"
)

// JSON returns an error of package json that does not show what is in the data: they may be another file than somebody
// thinks.
func JSON(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("it is no JSON at byte %d", syntax.Offset)
	}
	return err
}
