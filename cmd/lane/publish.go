package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/lane"
	"github.com/vallane/lane/lane/publish"
	"github.com/vallane/lane/lane/report"
)

func (a *app) publishCommand() *cobra.Command {
	var to []string
	var repo string
	var dry bool
	c := &cobra.Command{
		Use:   "publish --to PLACE [SPEC|VERDICT...]",
		Short: "Put signed verdicts where their readers are",
		Long: `Publish takes the newest signed verdict of each spec, or files of signed verdicts (.json, .jsonl), and adds them to a
PLACE: refs (refs/lane/verdicts of the repository), notes (refs/notes/lane, on the commit), a folder, oci://HOST/NAME (a
registry; docker's config.json has the password), or the URL of a webhook (LANE_WEBHOOK_TOKEN is sent with it). What is there already is not added again, and nothing is replaced. Nothing
but this command writes outside of lane's own folders. Refs and notes are pushed by git: git push REMOTE refs/lane/verdicts.`,
		Example: "  lane publish --to refs --dry-run specs/cart.toml\n  lane publish --to notes --to https://hooks.example.org/verdicts verdict.intoto.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			items, err := a.toPublish(args)
			if err != nil {
				return err
			}
			if len(to) == 0 {
				return errors.New("read flags: nothing says where to; use --to with refs, notes, a folder, oci://HOST/NAME or the URL of a webhook")
			}
			var said []string
			for _, name := range to {
				p, err := publish.Open(name, publish.Options{Repo: repo, Token: a.getenv("LANE_WEBHOOK_TOKEN"), DockerConfig: a.dockerConfig()})
				if err != nil {
					return err
				}
				n, err := p.Put(cmd.Context(), items, dry)
				if err != nil {
					return err
				}
				verb := "added"
				if dry {
					verb = "would add"
				}
				said = append(said, fmt.Sprintf("%s: %s %d of %d verdicts\n", p, verb, n, len(items)))
			}
			return a.out.result(func(w io.Writer) error {
				_, err := io.WriteString(w, strings.Join(said, ""))
				return err
			})
		},
	}
	c.Flags().StringArrayVar(&to, "to", nil, "where to: refs, notes, a folder, oci://HOST/NAME or a URL; may be given again")
	c.Flags().StringVar(&repo, "repo", ".", "the repository whose refs and notes are meant")
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would be added, and write nothing")
	return c
}

// dockerConfig is the file in which docker keeps the passwords of registries, "" where there is none.
func (a *app) dockerConfig() string {
	dir := a.getenv("DOCKER_CONFIG")
	if dir == "" {
		dir = filepath.Join(a.getenv("HOME"), ".docker")
	}
	file := filepath.Join(dir, "config.json")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// toPublish reads the signed verdicts that are meant.
func (a *app) toPublish(args []string) (items []publish.Item, err error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	var files []string
	var specs []string
	for _, name := range args {
		if ext := filepath.Ext(name); ext == ".json" || ext == ".jsonl" {
			files = append(files, name)
		} else {
			specs = append(specs, name)
		}
	}
	if len(specs) > 0 || len(files) == 0 {
		if specs, err = lane.Find(specs); err != nil {
			return nil, err
		}
	}
	for _, name := range specs {
		file, err := lane.VerdictFile(o, name)
		if err != nil {
			return nil, err
		}
		signed := strings.TrimSuffix(file, ".json") + ".intoto.json"
		if _, err := os.Stat(signed); err != nil {
			return nil, fmt.Errorf("publish the verdict of %s: it is not signed; run lane sign --key FILE %s, or check with --key", name, file)
		}
		files = append(files, signed)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read verdict: %w", err)
		}
		parts := [][]byte{data}
		if filepath.Ext(file) == ".jsonl" {
			parts = slices.DeleteFunc(bytes.Split(data, []byte("\n")), func(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 })
		}
		for i, part := range parts {
			it, err := publish.Parse(part)
			if err != nil {
				return nil, fmt.Errorf("publish %s, verdict %d: %w", file, i+1, err)
			}
			items = append(items, it)
		}
	}
	return items, nil
}

func (a *app) verdictsCommand() *cobra.Command {
	var from []string
	var repo, about string
	var lines bool
	c := &cobra.Command{
		Use:   "verdicts",
		Short: "List the verdicts that were published, of a commit or of all",
		Long: `Verdicts reads what lane publish put into refs, notes or folders. It verifies nothing: --jsonl prints the envelopes as
a log for lane gate, which does. --for takes a commit, and finds verdicts on it and on others of the same tree.`,
		Example: "  lane verdicts --for HEAD\n  lane verdicts --for v1.2.0 --jsonl | lane gate --min-val 1 --trust trust.toml --subject .@v1.2.0 -",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var tree string
			if about != "" {
				o, err := a.options()
				if err != nil {
					return err
				}
				s, err := lane.SubjectOf(cmd.Context(), o, repo, about, false)
				if err != nil {
					return err
				}
				tree = s.GitTree
			}
			var items []publish.Item
			for _, name := range from {
				p, err := publish.Open(name, publish.Options{Repo: repo, DockerConfig: a.dockerConfig()})
				if err != nil {
					return err
				}
				found, foreign, err := p.Get(cmd.Context(), tree, "")
				if err != nil {
					return err
				}
				if foreign > 0 {
					a.out.notice("%s: %d entries are no signed verdicts, and were passed over", p, foreign)
				}
				items = append(items, found...)
			}
			items = ordered(items)
			return a.out.result(func(w io.Writer) error { return printItems(w, items, lines) })
		},
	}
	c.Flags().StringSliceVar(&from, "from", []string{"refs", "notes"}, "where from: refs, notes, folders, oci://HOST/NAME")
	c.Flags().StringVar(&repo, "repo", ".", "the repository whose refs and notes are meant")
	c.Flags().StringVar(&about, "for", "", "the commit, branch or tag that they are about")
	c.Flags().BoolVar(&lines, "jsonl", false, "print the envelopes, one a line")
	return c
}

// ordered are items the newest first, each once.
func ordered(items []publish.Item) []publish.Item {
	slices.SortStableFunc(items, func(x, y publish.Item) int {
		return cmp.Or(strings.Compare(y.Finished, x.Finished), strings.Compare(x.Spec, y.Spec), cmp.Compare(y.Attempt, x.Attempt), strings.Compare(x.Digest, y.Digest))
	})
	return slices.CompactFunc(items, func(x, y publish.Item) bool { return x.Digest == y.Digest && bytes.Equal(x.Line, y.Line) })
}

func printItems(w io.Writer, items []publish.Item, lines bool) error {
	if lines {
		for _, it := range items {
			if _, err := fmt.Fprintf(w, "%s\n", it.Line); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, it := range items {
		commit := it.Subject.Commit
		if commit == "" {
			commit = "tree " + it.Subject.GitTree
		}
		fmt.Fprintf(t, "%s\t%.12s\t%s\tattempt %d\t%s\t%s\n", report.Line(it.Finished), commit, report.Line(it.Spec), it.Attempt, report.Line(it.Outcome), it.Level)
	}
	fmt.Fprintf(t, "%d verdicts; nobody has looked at their signatures: lane gate does\n", len(items))
	return t.Flush()
}
