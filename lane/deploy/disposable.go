package deploy

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vallane/lane/internal/flock"
)

// Programs are what a disposable API server is made of. They are the caller's, never the change's.
type Programs struct {
	APIServer string // kube-apiserver
	Etcd      string // etcd, 3.4 or later
	// Args are added to those of the API server; tests have it write an audit log.
	Args []string
}

// startTime bounds the start of the two programs: seconds on an idle machine, a minute on a crowded one.
const startTime = 3 * time.Minute

// Local is a disposable API server on this machine's loopback, which ends with Close, or with Lane where that dies.
type Local struct {
	*Server
	dir   string
	lock  *flock.Lock // of the folder, as long as somebody uses it
	procs []*program
	// Kubeconfig is a file by which others speak with it.
	Kubeconfig string
}

// program is one process of the server.
type program struct {
	cmd  *exec.Cmd
	log  string
	done chan struct{}
}

// Start starts an API server in a fresh folder below dir, with a store of its own and nothing in it. Its token is random.
func Start(ctx context.Context, p Programs, dir string) (_ *Local, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	l := &Local{}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	sweep(dir)
	// Another's sweep may come between the folder and its lock: then that one is lost, and the next is made.
	for range 3 {
		if l.dir, err = os.MkdirTemp(dir, folderPrefix); err != nil {
			break
		}
		if l.lock, err = flock.Try(filepath.Join(l.dir, lockName), flock.Exclusive); !errors.Is(err, flock.ErrHeld) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("start an API server: %w", err)
	}
	// A free port may be taken until it is used: then it is started once more, elsewhere.
	for range 3 {
		if err = l.start(ctx, p); err == nil || ctx.Err() != nil {
			break
		}
		l.stop()
	}
	if err != nil {
		return nil, fmt.Errorf("start an API server: %w", err)
	}
	return l, nil
}

func (l *Local) start(ctx context.Context, p Programs) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	client, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	data := filepath.Join(l.dir, "etcd-"+ports[0])
	if err := l.run("etcd", p.Etcd, "--name", "lane", "--data-dir", data, "--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "lane="+peer, "--unsafe-no-fsync"); err != nil {
		return err
	}
	token, certs := rand.Text(), filepath.Join(l.dir, "certs-"+ports[2])
	tokens, key := filepath.Join(l.dir, "tokens.csv"), filepath.Join(l.dir, "sa.key")
	if err := os.WriteFile(tokens, []byte(token+",lane,lane,system:masters\n"), 0o600); err != nil {
		return err
	}
	if err := writeKey(key); err != nil {
		return err
	}
	args := append([]string{"--etcd-servers=" + client, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + ports[2],
		"--cert-dir=" + certs, "--token-auth-file=" + tokens, "--authorization-mode=Node,RBAC", "--anonymous-auth=false",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + key, "--service-account-signing-key-file=" + key,
		"--service-cluster-ip-range=10.96.0.0/24", "--endpoint-reconciler-type=none", "--profiling=false",
		// Nobody makes service accounts here, and what an object needs of one no server without controllers can tell.
		"--disable-admission-plugins=ServiceAccount"}, p.Args...)
	if err := l.run("kube-apiserver", p.APIServer, args...); err != nil {
		return err
	}
	config := &rest.Config{Host: "https://127.0.0.1:" + ports[2], BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(certs, "apiserver.crt")}}
	if err := l.ready(ctx, config); err != nil {
		return err
	}
	l.Kubeconfig = filepath.Join(l.dir, "kubeconfig")
	return os.WriteFile(l.Kubeconfig, []byte(kubeconfig(config)), 0o600)
}

func kubeconfig(c *rest.Config) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: lane
clusters: [{name: lane, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: lane, user: {token: %q}}]
contexts: [{name: lane, context: {cluster: lane, user: lane}}]
`, c.Host, c.CAFile, c.BearerToken)
}

// run starts one program; what it writes goes to a file.
func (l *Local) run(name, path string, args ...string) error {
	p := &program{log: filepath.Join(l.dir, name+".log"), done: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = l.dir, log, log
	p.cmd.Env = []string{"HOME=" + l.dir, "TMPDIR=" + l.dir, "PATH=/usr/bin:/bin"}
	if err := startBound(p.cmd, p.done); err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	l.procs = append(l.procs, p)
	return nil
}

// ready waits until the server says that it is.
func (l *Local) ready(ctx context.Context, config *rest.Config) error {
	for {
		if _, err := os.Stat(config.CAFile); err == nil {
			if s, err := connect(config, true); err == nil {
				if said, err := s.raw.Get().AbsPath("/readyz").DoRaw(ctx); err == nil && string(said) == "ok" {
					// It makes its own namespaces after it says so.
					_, one := s.dynamic.Resource(namespaces).Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
					_, other := s.dynamic.Resource(namespaces).Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
					if one == nil && other == nil {
						l.Server = s
						return nil
					}
				}
			}
		}
		for _, p := range l.procs {
			select {
			case <-p.done:
				return fmt.Errorf("%s ended: %s", filepath.Base(p.cmd.Path), lastLine(p.log))
			default:
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it is not ready: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Close ends the server and removes all that it had.
func (l *Local) Close() error {
	l.stop()
	if l.dir == "" {
		return nil
	}
	defer l.lock.Release()
	return os.RemoveAll(l.dir)
}

// The folders of servers, and the file in each that its user holds.
const (
	folderPrefix = ".apiserver-"
	lockName     = "lock"
)

// sweep removes the folders of servers whose Lane was killed: they hold a token and a key. What cannot be removed is left to the next.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), folderPrefix) {
			continue
		}
		// A folder without a lock is being made right now; one that is held is in use.
		folder := filepath.Join(dir, e.Name())
		if lock, err := flock.TryExisting(filepath.Join(folder, lockName), flock.Exclusive); err == nil {
			os.RemoveAll(folder)
			lock.Release()
		}
	}
}

func (l *Local) stop() {
	for _, p := range l.procs {
		p.cmd.Process.Kill() // nothing in it is worth an orderly end
		<-p.done
	}
	l.procs = nil
}

// freePorts finds ports of loopback that nobody listens on.
func freePorts(n int) ([]string, error) {
	var out []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		out = append(out, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return out, nil
}

// writeKey makes the key that the server signs tokens of service accounts with.
func writeKey(name string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

func lastLine(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return clip(lines[len(lines)-1], 500)
}

// Find says which programs there are, by the paths that the caller gives.
func (p Programs) Find() (Programs, error) {
	if p.APIServer == "" || p.Etcd == "" {
		return p, errors.New("start an API server: name its programs by LANE_KUBE_APISERVER and LANE_ETCD, or a server that is there by --cluster")
	}
	for _, path := range []*string{&p.APIServer, &p.Etcd} {
		found, err := exec.LookPath(*path)
		if err == nil {
			found, err = filepath.Abs(found)
		}
		if err != nil {
			return p, fmt.Errorf("start an API server: %w", err)
		}
		*path = found
	}
	return p, nil
}
