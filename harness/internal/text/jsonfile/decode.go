package jsonfile

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Reader is a value that reads itself, with its own checks.
type Reader interface{ ReadJSON(f *File, n *Node) }

// Decode reads a value into what to points to: a [Reader], struct, map by string, slice, pointer,
// string, bool or regexp. A field of a struct has the name of its json tag, and must be there unless
// the tag says omitempty or omitzero. A string that is there is not blank. A tag groups lists the
// groups that a pattern must have.
func (f *File) Decode(n *Node, to any) {
	if n != nil {
		f.decode(n, reflect.ValueOf(to).Elem(), "")
	}
}

func (f *File) decode(n *Node, v reflect.Value, groups string) {
	if r, ok := v.Addr().Interface().(Reader); ok {
		r.ReadJSON(f, n)
		return
	}
	if re, ok := v.Addr().Interface().(**regexp.Regexp); ok {
		*re = f.PatternWith(n, strings.Fields(groups)...)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.decode(n, v.Elem(), groups)
	case reflect.Struct:
		var fields []Field
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag
			name, options, _ := strings.Cut(tag.Get("json"), ",")
			if name != "" && name != "-" {
				read := func(n *Node) { f.decode(n, v.Field(i), tag.Get("groups")) }
				fields = append(fields, Field{Name: name, Required: options == "", Read: read})
			}
		}
		f.Fields(n, fields...)
	case reflect.Map:
		if f.Want(n, Object, Object.String()) {
			v.Set(reflect.MakeMap(v.Type()))
			for _, m := range n.Items {
				item := reflect.New(v.Type().Elem()).Elem()
				f.decode(m, item, "")
				v.SetMapIndex(reflect.ValueOf(m.Key), item)
			}
		}
	case reflect.Slice:
		if f.Want(n, Array, Array.String()) {
			v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
			for i, item := range n.Items {
				f.decode(item, v.Index(i), "")
			}
		}
	case reflect.String:
		v.SetString(f.Text(n))
	case reflect.Bool:
		v.SetBool(f.Bool(n))
	default:
		panic(fmt.Sprintf("jsonfile: cannot decode into %s", v.Type()))
	}
}

// PatternWith reads a pattern that has at least these groups. It returns nil after a fault.
func (f *File) PatternWith(n *Node, groups ...string) *regexp.Regexp {
	f.Text(n)
	re := f.Pattern(n)
	for _, g := range groups {
		if re != nil && !slices.Contains(re.SubexpNames(), g) {
			f.FaultAt(n, "has no group %s", display.Visible(g))
		}
	}
	return re
}

// Pattern reads an RE2 pattern. It returns nil after a fault.
func (f *File) Pattern(n *Node) *regexp.Regexp {
	re, err := regexp.Compile(n.Text)
	if err != nil {
		why := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		f.FaultAt(n, "is not an RE2 pattern: %s", display.VisibleTo(why, 100))
	}
	return re
}
