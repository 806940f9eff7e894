package fetch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vallane/lane/internal/testserver"
)

// ask sends each target to the proxy, as a tunnel and then a TLS hello for another name, and prints what came back.
const ask = `
const net = require('net'), tls = require('tls');
const one = (target, name) => new Promise((done) => {
  const c = net.connect(3128, '127.0.0.1', () => c.write('CONNECT ' + target + ' HTTP/1.1\r\nHost: ' + target + '\r\n\r\n'));
  c.once('error', () => done('error'));
  c.once('data', (d) => {
    const status = d.toString('latin1').split(' ')[1];
    if (status !== '200') { c.destroy(); return done(status); }
    const s = tls.connect({ socket: c, servername: name, rejectUnauthorized: false }, () => { s.destroy(); done('tls'); });
    s.once('error', () => done('cut'));
  });
});
(async () => {
  for (const [target, name] of JSON.parse(process.env.TARGETS)) console.log(target, name, await one(target, name));
})();
`

// Hostile code in a fetch box finds no way but the listed host by its own name (E1 to E6, E9).
func TestAttacksFromInside(t *testing.T) {
	p, dir, out := node(t, ask)
	a := testserver.NewAuthority(t)
	port := a.Serve(t, http.NotFoundHandler(), "a.example.org", "b.example.org")
	p.Network.Authorities = a.File
	p.Network.Resolver = testserver.Names{"a.example.org": {"127.0.0.1"}, "mixed.example.org": {"127.0.0.1", "10.0.0.1"}, "inner.example.org": {"fd00:ec2::254"}}
	p.Allow = []string{"a.example.org:" + port, "mixed.example.org:" + port, "inner.example.org:443", "169.254.169.254:80", "[fd00:ec2::254]:80"}
	attacks := [][3]string{
		{"a.example.org:" + port, "a.example.org", "tls"},
		{"A.Example.Org.:" + port, "a.example.org", "tls"},
		{"a.example.org:" + port, "b.example.org", "cut"},
		{"a.example.org:" + port, "", "cut"},
		{"b.example.org:" + port, "b.example.org", "403"},
		{"a.example.org:22", "a.example.org", "403"},
		{"mixed.example.org:" + port, "mixed.example.org", "403"},
		{"inner.example.org:443", "inner.example.org", "403"},
		{"169.254.169.254:80", "", "403"},
		{"[fd00:ec2::254]:80", "", "403"},
		{"[::ffff:169.254.169.254]:80", "", "403"},
		{"2852039166:80", "", "403"},
		{"0xa9fea9fe:80", "", "403"},
		{"127.1:" + port, "", "403"},
		{"127.0.0.1:" + port, "", "403"},
		{"localhost:" + port, "localhost", "403"},
		{"metadata.google.internal:80", "", "403"},
		{"a.example.org@169.254.169.254:80", "", "403"},
		{"a.example.org%00:" + port, "", "403"},
	}
	var targets, want []string
	for _, x := range attacks {
		targets = append(targets, fmt.Sprintf("[%q, %q]", x[0], x[1]))
		want = append(want, strings.Join(x[:], " "))
	}
	p.Env = []string{"TARGETS=[" + strings.Join(targets, ",") + "]"}
	hosts, err := p.Run(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(out.String()); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	served, refused := 0, 0
	for _, h := range hosts {
		if h.Reason == "" {
			served += h.Connections
		} else {
			refused += h.Connections
		}
	}
	if served != 2 || refused != len(attacks)-2 {
		t.Errorf("%d served and %d refused of %d: %+v", served, refused, len(attacks), hosts)
	}
}
