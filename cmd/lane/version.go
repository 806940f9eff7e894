package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/vallane/lane/assurance"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of lane and of its rules",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.out.result(func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "lane %s (%s)\nrules %d\n%s %s/%s\n", version, revision(), assurance.RulesVersion,
					runtime.Version(), runtime.GOOS, runtime.GOARCH)
				return err
			})
		},
	}
}

// revision is the commit that the linker or the Go command recorded.
func revision() string {
	if commit != "" {
		return commit
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "commit unknown"
}
