package egress_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/vallane/lane/internal/testserver"
	"github.com/vallane/lane/lane/egress"
	"github.com/vallane/lane/lane/egress/address"
)

// What the proxy carries on 200 connections at once, and what the same clients read without it, in turns. The bytes after the
// hello are no TLS, which the proxy does not look at: so that what is measured is the carrying.
func BenchmarkCarry(b *testing.B) {
	const size = 8 << 20
	a := testserver.NewAuthority(b)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	data := make([]byte, 1<<20)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := c.Read(make([]byte, 4096)); err != nil {
					return
				}
				for range size / len(data) {
					c.Write(data)
				}
			}()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	list, err := egress.ParseAllow([]string{"a.example.org:" + port})
	if err != nil {
		b.Fatal(err)
	}
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	p := &egress.Proxy{Allow: list, Addresses: address.Rules{Loopback: true}, Resolver: one}
	go p.Serve(ctx, front)
	read := func(address string, greet func(net.Conn)) func() error {
		return func() error {
			c, err := net.Dial("tcp", address)
			if err != nil {
				return err
			}
			defer c.Close()
			greet(c)
			if n, err := io.Copy(io.Discard, c); err != nil || n < size {
				return fmt.Errorf("%d bytes, %v", n, err)
			}
			return nil
		}
	}
	hello := func(c net.Conn) { io.WriteString(c, "hello") }
	inTurns(b, size, way{"direct", read(l.Addr().String(), hello)},
		way{"proxy", read(front.Addr().String(), func(c net.Conn) {
			io.WriteString(c, "CONNECT a.example.org:"+port+" HTTP/1.1\r\n\r\n")
			io.ReadFull(c, make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n")))
			sayHello(c, &tls.Config{RootCAs: a.Pool, ServerName: "a.example.org"})
		})},
		way{"haproxy", read(haproxy(b, port), hello)})
}

const atOnce = 200 // connections

// way is one of those by which the same bytes are read.
type way struct {
	name string
	read func() error
}

// inTurns reads size bytes on each of 200 connections at once, by each way, and compares the medians with that of the first.
func inTurns(b *testing.B, size int, ways ...way) {
	all := func(read func() error) time.Duration {
		start := time.Now()
		var wait sync.WaitGroup
		for range atOnce {
			wait.Go(func() {
				if err := read(); err != nil {
					b.Error(err)
				}
			})
		}
		wait.Wait()
		return time.Since(start)
	}
	took := make([][]time.Duration, len(ways))
	for b.Loop() {
		for i, w := range ways {
			took[i] = append(took[i], all(w.read))
		}
	}
	median := func(i int) float64 {
		slices.Sort(took[i])
		return took[i][len(took[i])/2].Seconds()
	}
	for i, w := range ways {
		b.ReportMetric(float64(atOnce*size)/1e6/median(i), w.name+"-MB/s")
		if i > 0 {
			b.ReportMetric(median(0)/median(i), w.name+"-of-direct")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// haproxy starts one that passes bytes on to a port of this machine and looks at nothing, and says where it listens: what a well-kept
// proxy of others carries here. .ci/deps bench installs it.
func haproxy(b *testing.B, port string) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	config := filepath.Join(b.TempDir(), "haproxy.cfg")
	text := fmt.Sprintf("global\n  maxconn 1000\ndefaults\n  mode tcp\n  option splice-auto\n  timeout connect 10s\n  timeout client 60s\n  timeout server 60s\n"+
		"listen front\n  bind %s\n  server back 127.0.0.1:%s\n", at, port)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("haproxy", "-db", "-f", config)
	if err := cmd.Start(); err != nil {
		b.Fatalf("haproxy is not installed: run .ci/deps bench: %v", err)
	}
	b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 200 {
		if c, err := net.Dial("tcp", at); err == nil {
			c.Close()
			return at
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.Fatal("haproxy does not listen")
	return ""
}

// sayHello sends a TLS hello and waits for no answer.
func sayHello(c net.Conn, config *tls.Config) { tls.Client(onlyWrites{c}, config).Handshake() }

type onlyWrites struct{ net.Conn }

func (onlyWrites) Read([]byte) (int, error) { return 0, io.EOF }
func (onlyWrites) Close() error             { return nil }

// What clients do: HTTPS.
func BenchmarkHTTPS(b *testing.B) {
	const size = 4 << 20
	a := testserver.NewAuthority(b)
	data := make([]byte, 1<<20)
	port := a.Serve(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range size / len(data) {
			w.Write(data)
		}
	}), "a.example.org")
	list, err := egress.ParseAllow([]string{"a.example.org:" + port})
	if err != nil {
		b.Fatal(err)
	}
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	b.Cleanup(cancel)
	p := &egress.Proxy{Allow: list, Addresses: address.Rules{Loopback: true}, Resolver: one}
	go p.Serve(ctx, front)
	read := func(transport *http.Transport) func() error {
		transport.TLSClientConfig, transport.DisableKeepAlives = &tls.Config{RootCAs: a.Pool}, true
		return func() error {
			resp, err := (&http.Client{Transport: transport}).Get("https://a.example.org:" + port)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != size {
				return fmt.Errorf("%d bytes, %v", n, err)
			}
			return nil
		}
	}
	dialling := func(at string) func() error {
		return read(&http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, at)
		}})
	}
	inTurns(b, size,
		way{"direct", dialling("127.0.0.1:" + port)},
		way{"proxy", read(&http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: front.Addr().String()})})},
		way{"haproxy", dialling(haproxy(b, port))})
}
