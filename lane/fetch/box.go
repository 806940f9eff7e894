package fetch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/vallane/lane/lane/egress"
	"github.com/vallane/lane/lane/fence"
)

// ProxyAddress is where the proxy answers in a fetch box, and nobody in a test box.
const ProxyAddress = "127.0.0.1:3128"

// authoritiesAt is where the bundle of authorities lies in a fetch box, which is where Debian's programs look for it.
const authoritiesAt = "/etc/ssl/certs/ca-certificates.crt"

// bundles are where systems keep the authorities that they trust.
var bundles = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem", "/etc/ssl/certs/ca-bundle.crt",
}

// authorities finds the host's file of authorities.
func (n Network) authorities() (string, error) {
	list := bundles
	if n.Authorities != "" {
		list = []string{n.Authorities}
	}
	for _, name := range list {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			return real, nil
		}
	}
	return "", &Failed{Msg: "this machine has no bundle of certificate authorities that the fetch phase could trust", Tip: "install the package ca-certificates"}
}

// box is an open fetch box with the proxy that serves it.
type box struct {
	box   *fence.Box
	stop  func() error
	hosts hosts
}

// open opens a fetch box; overlays are its writable folders.
func (p *Phase) open(ctx context.Context, overlays []fence.Overlay) (*box, error) {
	allow, err := egress.ParseAllow(p.Allow)
	if err != nil {
		return nil, &Failed{Msg: err.Error(), Tip: "allow lists what the fetch phase may reach, as HOST:PORT"}
	}
	authorities, err := p.Network.authorities()
	if err != nil {
		return nil, err
	}
	config := fence.Config{
		StorePaths: append(append([]fence.Mount(nil), p.Store...), fence.Mount{Host: authorities, Box: authoritiesAt}),
		Path:       p.Path, Limits: p.Limits, Time: p.Time, Cache: p.Zones, Overlays: overlays, Listen: []string{ProxyAddress},
	}
	inner, err := fence.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	b := &box{box: inner}
	proxy := &egress.Proxy{Allow: allow, Addresses: p.Network.Addresses, Resolver: p.Network.Resolver, Limits: p.Network.Limits, Log: p.Egress, Decided: b.hosts.add}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- proxy.Serve(ctx, inner.Listeners()[0]) }()
	b.stop = sync.OnceValue(func() error {
		// The box goes first: connections that its processes held end by themselves, and are counted in full.
		err := inner.Close()
		cancel()
		return errors.Join(err, <-served)
	})
	return b, nil
}

func (b *box) close() error { return b.stop() }

// lay writes the manifests, and the folder that commands start in, below a new folder of the host.
func (p *Phase) lay() (dir string, err error) {
	if dir, err = os.MkdirTemp(p.Scratch, ".manifests-"); err != nil {
		return "", fmt.Errorf("lay manifests: %w", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return dir, fmt.Errorf("lay manifests: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Join(".", p.Dir), 0o755); err != nil {
		return dir, fmt.Errorf("lay manifests: %w", err)
	}
	files := maps.Clone(p.Manifests)
	for _, name := range p.standIns() {
		files[name] = nil
	}
	for name, data := range files {
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return dir, fmt.Errorf("lay manifests: %w", err)
		}
		if err := root.WriteFile(name, data, 0o644); err != nil {
			return dir, fmt.Errorf("lay manifests: %w", err)
		}
	}
	return dir, p.hand(dir)
}

// hand gives a folder and all below it to the box's user.
func (p *Phase) hand(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil || p.Owner <= 0 {
		return err
	}
	return filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, p.Owner, p.Owner)
	})
}
