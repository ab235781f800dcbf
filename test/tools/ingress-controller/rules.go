// The rules of a ValidationRules object: its expressions compiled once, an annotation's value checked by one and
// turned into configuration text by its template. What ends up in which backend: custom_annotations.go.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/google/cel-go/cel"
	"google.golang.org/protobuf/types/known/durationpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

type ruleSpec struct {
	Type          string   `json:"type"`
	Rule          string   `json:"rule"`
	Template      string   `json:"template"`
	Section       string   `json:"section"`
	OrderPriority int      `json:"order_priority"`
	Resources     []string `json:"resources"`
	Namespaces    []string `json:"namespaces"`
	Ingresses     []string `json:"ingresses"`
}

type rule struct {
	ruleSpec
	program cel.Program // nil where the expression did not compile
}

type ruleSet struct {
	prefix string // ends with a slash
	rules  map[string]rule
}

// compileRules returns every rule, also beside an error: a rule whose expression is wrong refuses each value.
func compileRules(object *unstructured.Unstructured) (*ruleSet, error) {
	var typed struct {
		Spec struct {
			Prefix string              `json:"prefix"`
			Rules  map[string]ruleSpec `json:"validation_rules"`
		} `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &typed); err != nil {
		return nil, err
	}
	if typed.Spec.Prefix == "" {
		return nil, errors.New("spec.prefix is empty: give the annotations' prefix")
	}
	environment, err := cel.NewEnv(cel.Variable("value", cel.AnyType), cel.Types(cel.DurationType), cel.StdLib())
	if err != nil {
		return nil, err
	}
	set := &ruleSet{prefix: strings.TrimSuffix(typed.Spec.Prefix, "/") + "/", rules: map[string]rule{}}
	var faults []error
	for name, spec := range typed.Spec.Rules {
		if spec.Section == "" {
			spec.Section = "backend"
		}
		if spec.Type == "json" {
			spec.Template = strings.TrimSuffix(spec.Template, "\n")
		}
		compiled := rule{ruleSpec: spec}
		ast, issues := environment.Compile(spec.Rule)
		err := issues.Err()
		if err == nil {
			compiled.program, err = environment.Program(ast)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("rule %s: %w", name, err))
		}
		set.rules[name] = compiled
	}
	return set, errors.Join(faults...)
}

// validate says why the rule refuses the value; nil where it takes it.
func (r rule) validate(raw string) error {
	if r.program == nil {
		return errors.New("the rule's expression does not compile")
	}
	value, err := r.parse(raw)
	if err != nil {
		return fmt.Errorf("value '%s' is no %s: %w", raw, r.Type, err)
	}
	result, _, err := r.program.Eval(map[string]any{"value": value})
	if err != nil {
		return fmt.Errorf("value '%s': the rule's expression failed: %w", raw, err)
	}
	if passed, ok := result.Value().(bool); !ok {
		return fmt.Errorf("the rule's expression gives %v, not true or false", result.Value())
	} else if !passed {
		return fmt.Errorf("value '%s' is refused by the rule", raw)
	}
	return nil
}

func (r rule) parse(raw string) (any, error) {
	switch r.Type {
	case "json":
		var value map[string]any
		err := json.Unmarshal([]byte(raw), &value)
		return value, err
	case "duration":
		value, err := time.ParseDuration(raw)
		return durationpb.New(value), err
	case "int":
		return strconv.ParseInt(raw, 10, 64)
	case "uint":
		return strconv.ParseUint(raw, 10, 64)
	case "bool":
		return strconv.ParseBool(raw)
	case "float":
		return strconv.ParseFloat(raw, 64)
	case "string":
		return raw, nil
	}
	return nil, fmt.Errorf("the rule's type '%s' is unknown", r.Type)
}

// text is what a value that passed is turned into. In a json rule the value's keys and the variables are one map,
// in which the variables win.
func (r rule) text(name, raw string, variables map[string]string) (string, error) {
	if r.Template == "" {
		return name + " " + raw, nil
	}
	parsed, err := template.New(name).Parse(strings.ReplaceAll(r.Template, "{{.}}", "{{.value}}"))
	if err != nil {
		return "", err
	}
	data := map[string]any{"value": raw}
	if r.Type == "json" {
		data = map[string]any{}
		if err := json.Unmarshal([]byte(raw), &data); err != nil {
			return "", err
		}
	}
	for key, value := range variables {
		data[key] = value
	}
	var result strings.Builder
	err = parsed.Execute(&result, data)
	return result.String(), err
}
