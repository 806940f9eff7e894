package egress

import (
	"bufio"
	"strings"
	"testing"

	"github.com/vallane/lane/lane/egress/address"
)

// A request that is taken names one host, in its one form, and nothing else does.
func FuzzReadRequest(f *testing.F) {
	for _, s := range []string{
		"CONNECT a.org:443 HTTP/1.1\r\nHost: a.org:443\r\n\r\n", "CONNECT a.org:443 HTTP/1.0\r\n\r\n", "GET http://a.org/ HTTP/1.1\r\n\r\n",
		"CONNECT [2606:4700::1]:443 HTTP/1.1\r\nHost: [2606:4700::1]\r\n\r\n\x16\x03", "CONNECT a.org:443 HTTP/1.1\r\nHost : b.org\r\n\r\n", "\r\n\r\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := readRequest(bufio.NewReaderSize(strings.NewReader(s), headLimit))
		if err != nil {
			return
		}
		host, port, err := address.HostPort(got.text)
		if err != nil || host != got.host || port != got.port || !strings.HasPrefix(s, "CONNECT "+got.text+" HTTP/1.") {
			t.Errorf("%q is taken as %+v, %v", s, got, err)
		}
	})
}
