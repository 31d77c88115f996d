package event

import (
	"strconv"
	"strings"
)

// EpisodeName returns the name of an episode, such as example-h1#1.
func EpisodeName(task string, repetition int) string {
	return task + "#" + strconv.Itoa(repetition)
}

// Names collects episodes, so that a list of many is short. The zero value is empty.
type Names struct {
	tasks []string
	of    [][]int // repetitions, by index in tasks
}

// Add adds an episode. The episodes of a task follow each other, in ascending order.
func (n *Names) Add(task string, repetition int) {
	if last := len(n.tasks) - 1; last < 0 || n.tasks[last] != task {
		n.tasks, n.of = append(n.tasks, task), append(n.of, nil)
	}
	last := len(n.of) - 1
	n.of[last] = append(n.of[last], repetition)
}

// List returns a text for each task, such as example-h1#1-3,5; nil if there is none.
func (n *Names) List() (list []string) {
	for i, task := range n.tasks {
		list = append(list, task+"#"+Ranges(n.of[i]))
	}
	return list
}

// Ranges writes ascending numbers as 1-3,5.
func Ranges(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(numbers[i]))
		if end > i {
			b.WriteString("-" + strconv.Itoa(numbers[end]))
		}
		i = end + 1
	}
	return b.String()
}
