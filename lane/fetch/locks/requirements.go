package locks

import "strings"

// requirementsFile is what a requirements file says.
type requirementsFile struct {
	unhashed []string // what has no hash of its own
	strict   bool     // it asks for hashes of everything
	files    []string // other requirements files that it reads
}

// requirements reads a requirements file of pip's. A package of the tree itself ("-e .", "./lib") needs no hash.
func requirements(data []byte) (r requirementsFile) {
	for _, line := range logical(data) {
		fields := strings.Fields(line)
		switch first := fields[0]; {
		case first == "--require-hashes":
			r.strict = true
		case first == "-r" || first == "--requirement":
			r.files = append(r.files, fields[len(fields)-1])
		case strings.HasPrefix(first, "-r"):
			r.files = append(r.files, strings.TrimPrefix(first, "-r"))
		case strings.HasPrefix(first, "--requirement="):
			r.files = append(r.files, strings.TrimPrefix(first, "--requirement="))
		case (first == "-e" || strings.HasPrefix(first, "--editable")) && strings.Contains(line, "://"):
			r.unhashed = append(r.unhashed, fields[len(fields)-1])
		case strings.HasPrefix(first, "-"), strings.HasPrefix(first, "."), strings.HasPrefix(first, "/"):
		case strings.Contains(line, "--hash=") || strings.Contains(line, "--hash "):
		default:
			name, _, _ := strings.Cut(first, ";")
			r.unhashed = append(r.unhashed, name)
		}
	}
	return r
}

// logical are the lines of a requirements file without comments, with those joined that a backslash continues.
func logical(data []byte) (out []string) {
	joined := ""
	for _, line := range lines(data) {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "#") {
			line = ""
		} else if before, _, ok := strings.Cut(line, " #"); ok {
			line = before
		}
		if before, ok := strings.CutSuffix(strings.TrimRight(line, " \t"), `\`); ok {
			joined += before + " "
			continue
		}
		if joined += line; strings.TrimSpace(joined) != "" {
			out = append(out, strings.TrimSpace(joined))
		}
		joined = ""
	}
	if strings.TrimSpace(joined) != "" {
		out = append(out, strings.TrimSpace(joined))
	}
	return out
}
