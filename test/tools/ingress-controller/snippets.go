// The snippet block of a backend, and which snippet is to blame for an error of `haproxy -c`.
package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const (
	blockBegin = "  ###_config-snippet_### BEGIN"
	blockEnd   = "  ###_config-snippet_### END"
)

// fragment is what one origin adds to the block; lines begin with the comment that names it.
type fragment struct {
	origin string
	lines  []string
}

// snippetMarker is the comment above a user's snippet, by which a faulty one is found again. kind is service or
// ingress.
func snippetMarker(kind, backend, namespace, name string) string {
	return "### " + kind + ":" + backend + "/" + namespace + "/" + name + " ###"
}

func snippetFragment(marker, text string) (fragment, bool) {
	text = strings.Trim(text, "\n")
	return fragment{origin: marker, lines: append([]string{marker}, strings.Split(text, "\n")...)}, text != ""
}

func snippetBlock(fragments []fragment) []string {
	if len(fragments) == 0 {
		return nil
	}
	block := []string{blockBegin}
	for _, fragment := range fragments {
		for _, line := range fragment.lines {
			block = append(block, "  "+line)
		}
	}
	return append(block, blockEnd)
}

// disabledSnippets remembers the text with which a snippet broke the configuration: it stays out until its text
// changes.
type disabledSnippets map[string]string

func (d disabledSnippets) has(f fragment) bool {
	text, known := d[f.origin]
	return known && text == strings.Join(f.lines, "\n")
}

var errorPlace = regexp.MustCompile(`\[([^\]\s]+):(\d+)\]`)

// markersBlamed finds, for each error place of file in HAProxy's output, the marker of a user's snippet above that
// line. A custom annotation has no such marker: an error in one is put down to the user's snippet above it in the
// same block, or to nobody. The real controller errs in the same way.
func markersBlamed(output, file, text string) []string {
	lines := strings.Split(text, "\n")
	var markers []string
	for _, place := range errorPlace.FindAllStringSubmatch(output, -1) {
		number, err := strconv.Atoi(place[2])
		if err != nil || filepath.Base(place[1]) != filepath.Base(file) {
			continue
		}
		for i := min(number, len(lines)) - 1; i >= 0; i-- {
			line := strings.TrimSpace(lines[i])
			if lines[i] == blockBegin || lines[i] == blockEnd || strings.HasPrefix(lines[i], "backend") {
				break
			}
			if strings.HasPrefix(line, "### service:") || strings.HasPrefix(line, "### ingress:") {
				markers = append(markers, line)
				break
			}
		}
	}
	return markers
}
