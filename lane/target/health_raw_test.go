package target_test

import (
	"bytes"
	"io"
	"log"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/egress"
	"github.com/vallane/lane/lane/egress/address"
	"github.com/vallane/lane/lane/target"
)

// What a target may write to the wire without any server's help: only a whole answer with the challenge where it belongs is one of a target that is alive,
// and nothing that it writes reaches what Lane prints.
func TestHealthRawAnswers(t *testing.T) {
	var printed bytes.Buffer
	log.SetOutput(&printed)
	defer log.SetOutput(os.Stderr)
	const echo = "Lane-Challenge: 5e5e\r\n"
	for name, c := range map[string]struct {
		says  string
		early bool // before it is asked
		open  bool // and then nothing
		fine  bool
	}{
		"a plain answer":               {says: "HTTP/1.1 200 OK\r\n" + echo + "Content-Length: 0\r\n\r\n", fine: true},
		"HTTP/1.0":                     {says: "HTTP/1.0 200 OK\r\n" + echo + "\r\nbody", fine: true},
		"HTTP/1.0 that never ends":     {says: "HTTP/1.0 200 OK\r\n" + echo + "\r\nbody", open: true},
		"HTTP/0.9":                     {says: "5e5e"},
		"an interim answer before":     {says: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n" + echo + "Content-Length: 0\r\n\r\n", fine: true},
		"interim answers only":         {says: strings.Repeat("HTTP/1.1 103 Early Hints\r\n"+echo+"\r\n", 1000)},
		"another protocol":             {says: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n" + echo + "\r\n", open: true},
		"chunks without an end":        {says: "HTTP/1.1 200 OK\r\n" + echo + "Transfer-Encoding: chunked\r\n\r\n4\r\n5e5e\r\n"},
		"chunks that go on":            {says: "HTTP/1.1 200 OK\r\n" + echo + "Transfer-Encoding: chunked\r\n\r\n4\r\n5e5e\r\n", open: true},
		"a chunk of nearly 2^64":       {says: "HTTP/1.1 200 OK\r\n" + echo + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffe\r\n5e5e\r\n"},
		"less than it says":            {says: "HTTP/1.1 200 OK\r\n" + echo + "Content-Length: 9\r\n\r\n5e5e"},
		"two lengths":                  {says: "HTTP/1.1 200 OK\r\n" + echo + "Content-Length: 4\r\nContent-Length: 5\r\n\r\n5e5e5"},
		"the challenge as a trailer":   {says: "HTTP/1.1 200 OK\r\nTrailer: Lane-Challenge\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + echo + "\r\n"},
		"the challenge twice":          {says: "HTTP/1.1 200 OK\r\n" + echo + echo + "Content-Length: 4\r\n\r\n5e5e"},
		"twice, once in other letters": {says: "HTTP/1.1 200 OK\r\n" + echo + "LANE-CHALLENGE: 5e5e\r\nContent-Length: 4\r\n\r\n5e5e"},
		"an empty one and the body":    {says: "HTTP/1.1 200 OK\r\nLane-Challenge:\r\nContent-Length: 4\r\n\r\n5e5e"},
		"the challenge and more":       {says: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n5e5e 5e5e"},
		"before it is asked":           {says: "HTTP/1.1 200 OK\r\n" + echo + "Content-Length: 0\r\n\r\n", early: true, fine: true},
		"noise before it is asked":     {says: "\x1b[2J\x00" + strings.Repeat("\xff", 9000), early: true},
		"nothing":                      {},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					if !c.early {
						conn.Read(make([]byte, 4096))
					}
					io.WriteString(conn, c.says)
					if c.open {
						defer conn.Close()
						continue
					}
					conn.Close()
				}
			}()
			h := target.Health{URL: "http://" + l.Addr().String() + "/", Dialer: egress.Dialer{Addresses: address.Rules{Loopback: true}}, Time: 300 * time.Millisecond}
			if c.fine {
				h.Time = 0
			}
			if err := h.Pin(t.Context()); err != nil {
				t.Fatal(err)
			}
			a := h.Ask(t.Context())
			if alive := a.Detail == "" && a.Status == 200 && a.Echo == "5e5e"; alive != c.fine {
				t.Errorf("alive %t: %+v", alive, a)
			}
		})
	}
	if printed.Len() > 0 {
		t.Errorf("printed: %q", printed.String())
	}
}
