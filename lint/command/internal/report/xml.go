package report

import (
	"encoding/xml"
	"io"
)

// writeXML writes a whole XML document.
func writeXML(w io.Writer, document any) error {
	data, err := xml.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write([]byte(xml.Header + string(data) + "\n"))
	return err
}
