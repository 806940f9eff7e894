// Package testserver gives tests servers of HTTPS on the loopback interface, under names of their own and with a
// certificate authority that only the test knows.
//
// It is for tests only.
package testserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Authority signs the certificates of a test's servers.
type Authority struct {
	Pool *x509.CertPool
	// File holds its certificate, as PEM.
	File string

	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes an authority.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	a := &Authority{key: key, Pool: x509.NewCertPool(), File: filepath.Join(t.TempDir(), "authority.pem")}
	der, err := x509.CreateCertificate(rand.Reader, template("authority"), template("authority"), key.Public(), key)
	must(t, err)
	a.cert, err = x509.ParseCertificate(der)
	must(t, err)
	a.Pool.AddCert(a.cert)
	must(t, os.WriteFile(a.File, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644))
	return a
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: name == "authority", BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
}

// Certificate is for a server of the names.
func (a *Authority) Certificate(t testing.TB, names ...string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	leaf := template(names[0])
	leaf.DNSNames = names
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, key.Public(), a.key)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// Serve starts a server for the names and returns its port. It ends with the test.
func (a *Authority) Serve(t testing.TB, h http.Handler, names ...string) (port string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{a.Certificate(t, names...)}}
	s.StartTLS()
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	must(t, err)
	return port
}

// Names answers look-ups: each name has the addresses of the list at it. A name that is not there has none.
type Names map[string][]string

// LookupNetIP looks a name up, with or without its final dot.
func (n Names) LookupNetIP(_ context.Context, _, host string) (out []netip.Addr, err error) {
	for _, s := range n[trimDot(host)] {
		out = append(out, netip.MustParseAddr(s))
	}
	if len(out) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return out, nil
}

// Changing answers each look-up by the next list, the last one for ever.
type Changing struct {
	Answers [][]string

	mu    sync.Mutex
	asked int
}

// LookupNetIP gives the next answer.
func (c *Changing) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.Answers[min(c.asked, len(c.Answers)-1)]
	c.asked++
	return Names{trimDot(host): list}.LookupNetIP(ctx, network, host)
}

// Asked is how often it was asked.
func (c *Changing) Asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

func trimDot(host string) string {
	if n := len(host); n > 0 && host[n-1] == '.' {
		return host[:n-1]
	}
	return host
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
