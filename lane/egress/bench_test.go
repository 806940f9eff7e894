package egress_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
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
	inTurns(b, size, read(l.Addr().String(), func(c net.Conn) { io.WriteString(c, "hello") }),
		read(front.Addr().String(), func(c net.Conn) {
			io.WriteString(c, "CONNECT a.example.org:"+port+" HTTP/1.1\r\n\r\n")
			io.ReadFull(c, make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n")))
			sayHello(c, &tls.Config{RootCAs: a.Pool, ServerName: "a.example.org"})
		}))
}

const atOnce = 200 // connections

// inTurns reads size bytes on each of 200 connections at once, directly and through the proxy, and compares the medians.
func inTurns(b *testing.B, size int, direct, through func() error) {
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
	var took [2][]time.Duration
	for b.Loop() {
		took[0], took[1] = append(took[0], all(direct)), append(took[1], all(through))
	}
	slices.Sort(took[0])
	slices.Sort(took[1])
	d, t := took[0][len(took[0])/2].Seconds(), took[1][len(took[1])/2].Seconds()
	b.ReportMetric(float64(atOnce*size)/1e6/d, "direct-MB/s")
	b.ReportMetric(float64(atOnce*size)/1e6/t, "proxy-MB/s")
	b.ReportMetric(d/t, "of-direct")
	b.ReportMetric(0, "ns/op")
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
	inTurns(b, size,
		read(&http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+port)
		}}),
		read(&http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: front.Addr().String()})}))
}
