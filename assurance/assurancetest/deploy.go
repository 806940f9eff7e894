package assurancetest

import "github.com/vallane/lane/assurance"

// Ids of what Rehearse adds.
const (
	APIServer = "server"
	Web       = "object/1" // a Deployment
	Settings  = "object/2" // a ConfigMap
	BadWeb    = "broken-object/1"
	BadConfig = "broken-object/2"
)

const (
	webDigest    = "sha256:3333333333333333333333333333333333333333333333333333333333333333"
	configDigest = "sha256:4444444444444444444444444444444444444444444444444444444444444444"
)

// Rehearse adds a deployment to evidence, which an API server accepts: with that of Good it earns VAL-2.
func Rehearse(e *assurance.Evidence) {
	e.Plan.Deploy = &assurance.PlannedDeploy{Server: APIServer, Disposable: true,
		Objects: []assurance.PlannedObject{
			{ID: Web, Source: "deploy/web.yaml", Number: 1, APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web", Digest: webDigest},
			{ID: Settings, Source: "deploy/web.yaml", Number: 2, APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "settings", Digest: configDigest},
		},
		Controls: []assurance.PlannedControl{
			{ID: BadWeb, APIVersion: "apps/v1", Kind: "Deployment", Field: "lanea1b2"},
			{ID: BadConfig, APIVersion: "v1", Kind: "ConfigMap", Field: "lanec3d4"},
		}}
	e.Plan.Criteria = append(e.Plan.Criteria, assurance.Criterion{ID: "AC-9", Kind: assurance.CriterionDeploy, Text: "The cluster takes it"})
	ok := &assurance.Reply{Code: 200}
	accepted := func(digest string) assurance.Observation {
		return assurance.Observation{Object: &assurance.ObjectObservation{Answer: assurance.AnswerAccepted, Digest: digest, Apply: ok, Create: ok}}
	}
	refused := func(field string) assurance.Observation {
		return assurance.Observation{Control: &assurance.ControlObservation{Refused: true,
			Apply:  &assurance.Reply{Code: 500, Message: "failed to create typed patch object: ." + field + ": field not declared in schema"},
			Create: &assurance.Reply{Code: 400, Reason: "BadRequest", Message: `strict decoding error: unknown field "` + field + `"`}}}
	}
	e.Observations[APIServer] = assurance.Observation{Server: &assurance.ServerObservation{Version: "v1.37.2", Cluster: "6f1d"}}
	e.Observations[Web], e.Observations[Settings] = accepted(webDigest), accepted(configDigest)
	e.Observations[BadWeb], e.Observations[BadConfig] = refused("lanea1b2"), refused("lanec3d4")
}

// Refuse has the API server refuse the Deployment of Rehearse.
func Refuse(e *assurance.Evidence) {
	why := "422 Invalid: spec.selector does not match template labels"
	e.Observations[Web] = assurance.Observation{Object: &assurance.ObjectObservation{Answer: assurance.AnswerRefused, Digest: webDigest, Reason: why,
		Apply: &assurance.Reply{Code: 422, Reason: "Invalid", Message: why}}}
}
