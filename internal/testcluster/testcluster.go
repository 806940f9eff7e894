// Package testcluster gives tests a real Kubernetes API server: kube-apiserver, built from its modules by .ci/apiserver, on Debian's etcd.
//
// It is for tests only. It fails a test where it cannot be had, and never skips one.
package testcluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/vallane/lane/lane/deploy"
)

// Programs finds the two programs, and builds what has to be built.
func Programs() (deploy.Programs, error) {
	_, here, _, _ := runtime.Caller(0)
	cmd := exec.Command("bash", filepath.Join(filepath.Dir(here), "..", "..", ".ci", "apiserver"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return deploy.Programs{}, fmt.Errorf("build kube-apiserver: %w", err)
	}
	p, err := deploy.Programs{APIServer: strings.TrimSpace(string(out)), Etcd: "etcd"}.Find()
	if err != nil {
		return p, fmt.Errorf("%w; .ci/deps test installs etcd", err)
	}
	return p, nil
}

// Cluster is an API server that writes down every request.
type Cluster struct {
	*deploy.Local
	log string
}

// policy has every request logged that is not a look.
const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  verbs: [get, list, watch]
- level: Metadata
`

// Start starts a server that ends with the test.
func Start(t testing.TB) *Cluster {
	t.Helper()
	p, err := Programs()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rules := filepath.Join(dir, "audit.yaml")
	if err := os.WriteFile(rules, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &Cluster{log: filepath.Join(dir, "audit.log")}
	p.Args = []string{"--audit-policy-file=" + rules, "--audit-log-path=" + c.log, "--audit-log-mode=blocking"}
	if c.Local, err = deploy.Start(t.Context(), p, dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Request is one line of the audit log.
type Request struct {
	Verb, Resource, Namespace, Name string
	DryRun, Strict                  bool
	Code                            int
}

// Requests returns what Lane has asked so far, in the order of the answers.
func (c *Cluster) Requests(t testing.TB) []Request {
	t.Helper()
	data, err := os.ReadFile(c.log)
	if err != nil {
		t.Fatal(err)
	}
	var out []Request
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Verb, RequestURI, UserAgent string
			ObjectRef                   struct{ Resource, Namespace, Name string }
			ResponseStatus              struct{ Code int }
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("audit log: %v", err)
		}
		if e.UserAgent != "lane" {
			continue // the server's own
		}
		u, err := url.Parse(e.RequestURI)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		out = append(out, Request{e.Verb, e.ObjectRef.Resource, e.ObjectRef.Namespace, e.ObjectRef.Name,
			q.Get("dryRun") == "All", q.Get("fieldValidation") == "Strict", e.ResponseStatus.Code})
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("audit log: %v", err)
	}
	return out
}

// Weak returns a kubeconfig of somebody who may ask what there is, and may not write.
func (c *Cluster) Weak(t testing.TB) string { return c.as(t, "somebody", true) }

// Unknown returns a kubeconfig with a token that the server does not know.
func (c *Cluster) Unknown(t testing.TB) string { return c.as(t, "", false) }

// as writes a kubeconfig like the server's own, for another user by impersonation or for nobody.
func (c *Cluster) as(t testing.TB, user string, known bool) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(c.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range config.AuthInfos {
		u.Impersonate = user
		if !known {
			u.Token = "nobody"
		}
	}
	name := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, name); err != nil {
		t.Fatal(err)
	}
	return name
}
