package python

import "github.com/vallane/lane/lane/observe"

func warm(kind string, r observe.Request) ([]observe.Step, error) {
	r.Canaries, r.Seed, r.FailFast, r.Select = false, 0, false, nil
	s, err := prepare(kind, r)
	if err != nil {
		return nil, err
	}
	files, err := s.files(observe.Variation{}, nil, func(p *boxPlan) { p.Warm = true })
	if err != nil {
		return nil, err
	}
	return []observe.Step{{
		Name: "warm bytecode cache", Argv: s.argv(), Env: s.env(), Dir: r.Dir, Files: files, Units: []string{kind},
	}}, nil
}
