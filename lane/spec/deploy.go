package spec

import "slices"

// Deploy says which manifests are rehearsed against an API server. Declared is true of a spec that has the table.
type Deploy struct {
	Manifests []string   `json:"manifests,omitempty"` // globs of files of the tree
	Render    [][]string `json:"render,omitempty"`    // commands that print manifests
	Box       string     `json:"box,omitempty"`       // the task whose boxes Render runs in
	Sources   []string   `json:"sources,omitempty"`   // globs of the files that Render reads
	Namespace string     `json:"namespace,omitempty"`
	// Namespaces are there where the objects will be deployed.
	Namespaces []string `json:"namespaces,omitempty"`
}

// Declared reports whether there is anything to rehearse.
func (d Deploy) Declared() bool { return len(d.Manifests)+len(d.Render) > 0 }

// Covers reports whether a file of the tree, a slash path, is one of the manifests.
func (d Deploy) Covers(path string) bool {
	return slices.ContainsFunc(d.Manifests, func(pattern string) bool { return Match(pattern, path) })
}

// Judges reports whether what a file of the tree says is judged by the API server: a manifest, or what manifests are rendered from.
func (d Deploy) Judges(path string) bool {
	return d.Covers(path) || slices.ContainsFunc(d.Sources, func(pattern string) bool { return Match(pattern, path) })
}

func deploySettings() []Setting {
	return []Setting{
		{Key: "deploy", Type: "table", meant: []string{"deployment", "kubernetes", "manifests"},
			Doc: "Kubernetes manifests that are rehearsed against a real API server (VAL-2), which whoever runs the check names; see [deploy.md](deploy.md)."},
		{Key: "deploy.manifests", Type: "globs", Default: "[]", Example: `["deploy/**/*.yaml"]`, meant: []string{"files", "paths", "yaml"},
			Doc: "The manifests, in YAML or JSON. Every object in them is asked about."},
		{Key: "deploy.render", Type: "commands", Default: "[]", Example: `[["kustomize", "build", "deploy/production"]]`, meant: []string{"kustomize", "helm", "template", "command"},
			Doc: "Commands that print manifests: kustomize, helm, a script. Each runs in a box of a task, where that starts, with its closure and without a network."},
		{Key: "deploy.sources", Type: "globs", Default: "[]", Example: `["charts/**"]`, meant: []string{"charts", "templates"},
			Doc: "The files that the commands of `render` read. Where the API server accepts all that is rendered, no test has to notice a fault in them."},
		{Key: "deploy.box", Type: "id", Example: `"unit"`, Doc: "The task in whose box the commands of `render` run. By default the first that tests the tree."},
		{Key: "deploy.namespace", Type: "id", Default: `"default"`, Example: `"shop"`, Doc: "Where objects go that need a namespace and name none."},
		{Key: "deploy.namespaces", Type: "ids", Default: "[]", Example: `["shop"]`, meant: []string{"existing"},
			Doc: "Namespaces that are there already where the objects will be deployed. They are made in a disposable server, and in no other."},
	}
}

func (r *resolver) deploy(s *Spec) Deploy {
	if !r.given["deploy"] {
		return Deploy{}
	}
	d := Deploy{Manifests: r.list("deploy.manifests"), Render: r.commands("deploy.render"), Sources: r.list("deploy.sources")}
	if !d.Declared() {
		return Deploy{}
	}
	if len(d.Render) > 0 && len(s.Tasks) > 0 {
		d.Box = or(r, "deploy.box", s.firstTask())
	}
	d.Namespace, d.Namespaces = r.text("deploy.namespace"), r.list("deploy.namespaces")
	return d
}

// deployRules refuses a table without anything to rehearse, and a box of no task.
func (c *checker) deployRules(s *Spec) {
	switch {
	case c.given["deploy"] && !s.Deploy.Declared() && !c.partial && !c.given["deploy.manifests"] && !c.given["deploy.render"] && !c.meant["deploy.manifests"] && !c.meant["deploy.render"]:
		c.at("deploy", "[deploy] names no manifests: there is nothing to rehearse", `write manifests = ["deploy/**/*.yaml"], or render`)
	case s.Deploy.Box != "" && !slices.ContainsFunc(s.treeTasks(), func(t Task) bool { return t.Name == s.Deploy.Box }):
		c.at("deploy.box", "there is no task "+quote(s.Deploy.Box)+" that tests the tree", "name a [[task]] of this spec")
	}
}

// shown is what Explain prints of it.
func (d Deploy) shown() []string {
	if !d.Declared() {
		return nil
	}
	out := []string{}
	for _, m := range d.Manifests {
		out = append(out, "manifests  "+m)
	}
	for _, r := range d.Render {
		out = append(out, "render     "+commandLine(r)+"  (task "+d.Box+")")
	}
	for _, s := range d.Sources {
		out = append(out, "source     "+s)
	}
	out = append(out, "namespace  "+d.Namespace)
	for _, n := range d.Namespaces {
		out = append(out, "exists     "+n)
	}
	return out
}
