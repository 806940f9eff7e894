package deploy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vallane/lane/assurance"
)

// requestTime bounds one request.
const requestTime = 30 * time.Second

// fieldManager is who Lane says it is in a server-side apply.
const fieldManager = "lane-rehearsal"

// Server is an API server that objects are rehearsed against.
type Server struct {
	// Disposable says that it is there for this rehearsal alone, so that namespaces and definitions may really be made in it.
	Disposable bool

	raw     rest.Interface
	dynamic dynamic.Interface

	groups map[string][]string // versions by group; "" is the core
	kinds  map[schema.GroupVersion]map[string]resource
	rights map[right]allowed
	made   []madeObject
	late   int // definitions that were made and not served in time
}

// resource is how a kind is spoken of in requests.
type resource struct {
	schema.GroupVersionResource
	namespaced bool
}

type right struct {
	schema.GroupResource
	verb, namespace string
}

type allowed struct {
	yes   bool
	known bool
}

// Connect reads a kubeconfig and speaks with the server of its current context. Nothing else of the environment is used, except a proxy.
func Connect(kubeconfig string, disposable bool) (*Server, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig %s: %w", kubeconfig, err)
	}
	return connect(config, disposable)
}

func connect(config *rest.Config, disposable bool) (*Server, error) {
	config = dynamic.ConfigFor(config)
	config.Timeout, config.QPS, config.WarningHandler = requestTime, -1, rest.NoWarnings{}
	config.UserAgent = "lane"
	config.GroupVersion = &schema.GroupVersion{}
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("speak with the API server: %w", err)
	}
	s := &Server{Disposable: disposable, raw: client, dynamic: dynamic.New(client), rights: map[right]allowed{}}
	s.forget()
	return s, nil
}

// forget drops what was learnt of the server's kinds, since new ones were made. What the credential may do stays: the verdict names it.
func (s *Server) forget() {
	s.groups, s.kinds = nil, map[schema.GroupVersion]map[string]resource{}
}

func (s *Server) get(ctx context.Context, into any, path ...string) error {
	data, err := s.raw.Get().AbsPath(path...).DoRaw(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// Look asks the server who it is, and what the credential may do at all.
func (s *Server) Look(ctx context.Context) (assurance.ServerObservation, error) {
	var o assurance.ServerObservation
	var v struct {
		GitVersion string `json:"gitVersion"`
	}
	if err := s.get(ctx, &v, "/version"); err != nil {
		return o, fmt.Errorf("ask the API server for its version: %w", err)
	}
	o.Version = clip(v.GitVersion, 100)
	if ns, err := s.dynamic.Resource(namespaces).Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{}); err == nil {
		o.Cluster = string(ns.GetUID())
	}
	all := s.may(ctx, right{GroupResource: schema.GroupResource{Group: "*", Resource: "*"}, verb: "*"})
	o.Everything = all.yes
	return o, nil
}

// CanWrite lists what was found to be really allowed to the credential so far.
func (s *Server) CanWrite() []string {
	var out []string
	for r, a := range s.rights {
		if a.yes && r.verb != "*" {
			where := ""
			if r.namespace != "" {
				where = " in " + r.namespace
			}
			out = append(out, r.verb+" "+r.GroupResource.String()+where)
		}
	}
	slices.Sort(out)
	const most = 50
	if n := len(out) - most; n > 0 {
		out = append(out[:most], fmt.Sprintf("and %d more", n))
	}
	return out
}

var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	reviews     = schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectaccessreviews"}
)

// may asks whether the credential has a right. A dry run is authorised like the real thing.
func (s *Server) may(ctx context.Context, r right) allowed {
	if a, ok := s.rights[r]; ok {
		return a
	}
	review := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": map[string]any{
			"namespace": r.namespace, "verb": r.verb, "group": r.Group, "resource": r.Resource,
		}},
	}}
	var a allowed
	if got, err := s.dynamic.Resource(reviews).Create(ctx, review, metav1.CreateOptions{}); err == nil {
		a.yes, a.known, _ = unstructured.NestedBool(got.Object, "status", "allowed")
	}
	s.rights[r] = a
	return a
}

// noKind says why there is no resource for a kind. Served says that the server knows the group, so that the kind or its version is wrong.
type noKind struct {
	msg    string
	served bool
}

func (n *noKind) Error() string { return n.msg }

// find returns how a kind is spoken of. The error is a *noKind where the server does not have it.
func (s *Server) find(ctx context.Context, apiVersion, kind string) (resource, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return resource{}, &noKind{err.Error(), true}
	}
	if err := s.learnGroups(ctx); err != nil {
		return resource{}, err
	}
	versions, ok := s.groups[gv.Group]
	if !ok {
		return resource{}, &noKind{fmt.Sprintf("the server knows no API group %s", gv.Group), false}
	}
	if !slices.Contains(versions, gv.Version) {
		return resource{}, &noKind{fmt.Sprintf("the server does not serve %s, but %s", apiVersion, strings.Join(versions, ", ")), true}
	}
	known, ok := s.kinds[gv]
	if !ok {
		if known, err = s.learnKinds(ctx, gv); err != nil {
			return resource{}, err
		}
	}
	r, ok := known[kind]
	if !ok {
		return resource{}, &noKind{fmt.Sprintf("the server has no kind %s in %s", kind, apiVersion), true}
	}
	return r, nil
}

func (s *Server) learnGroups(ctx context.Context) error {
	if s.groups != nil {
		return nil
	}
	var core metav1.APIVersions
	if err := s.get(ctx, &core, "/api"); err != nil {
		return fmt.Errorf("ask the API server for its groups: %w", err)
	}
	var list metav1.APIGroupList
	if err := s.get(ctx, &list, "/apis"); err != nil {
		return fmt.Errorf("ask the API server for its groups: %w", err)
	}
	s.groups = map[string][]string{"": core.Versions}
	for _, g := range list.Groups {
		for _, v := range g.Versions {
			s.groups[g.Name] = append(s.groups[g.Name], v.Version)
		}
	}
	return nil
}

func (s *Server) learnKinds(ctx context.Context, gv schema.GroupVersion) (map[string]resource, error) {
	path := []string{"/apis", url.PathEscape(gv.Group), url.PathEscape(gv.Version)}
	if gv.Group == "" {
		path = []string{"/api", url.PathEscape(gv.Version)}
	}
	var list metav1.APIResourceList
	if err := s.get(ctx, &list, path...); err != nil {
		return nil, fmt.Errorf("ask the API server for the kinds of %s: %w", gv, err)
	}
	known := map[string]resource{}
	for _, r := range list.APIResources {
		if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "create") {
			continue
		}
		if _, twice := known[r.Kind]; !twice {
			known[r.Kind] = resource{gv.WithResource(r.Name), r.Namespaced}
		}
	}
	s.kinds[gv] = known
	return known, nil
}
