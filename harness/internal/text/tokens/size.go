package tokens

// Size is the length of texts in three measures.
type Size struct {
	Bytes  int `json:"bytes"`
	O200k  int `json:"o200k"`
	Cl100k int `json:"cl100k"`
}

// SizeOf measures a text.
func SizeOf(text string) Size { return Size{len(text), O200k.Of(text), Cl100k.Of(text)} }

// Plus adds two sizes.
func (s Size) Plus(t Size) Size {
	return Size{s.Bytes + t.Bytes, s.O200k + t.O200k, s.Cl100k + t.Cl100k}
}

// Max is the larger one in each measure.
func (s Size) Max(t Size) Size {
	return Size{max(s.Bytes, t.Bytes), max(s.O200k, t.O200k), max(s.Cl100k, t.Cl100k)}
}

// Values are the three measures.
func (s Size) Values() [3]int { return [3]int{s.Bytes, s.O200k, s.Cl100k} }
