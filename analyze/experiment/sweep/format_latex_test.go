package sweep

import "testing"

// TestMathematics: formulas as mathematics writes them.
func TestMathematics(t *testing.T) {
	for formula, want := range map[string]string{
		"(n^2 + 3*n)/2":                   `$(n^2 + 3\,n)/2$`,
		"n*H(n) + n":                      `$n\,H(n) + n$`,
		"6*n + 4*2^ceil(log2(n)) - 8":     `$6\,n + 4\cdot 2^{\lceil\log_2 n\rceil} - 8$`,
		"2*n*floor(log2(n))":              `$2\,n\,\lfloor\log_2 n\rfloor$`,
		"0.6842*n*log2(n)":                `$0.6842\,n\,\log_2(n)$`,
		"n^12 + n**2":                     `$n^{12} + n^2$`,
		"n*(n % 2)":                       `$n\,(n\bmod 2)$`,
		"start^2 - 2*max_size":            `$\mathit{start}^2 - 2\,\mathit{max\_size}$`,
		`1 \ & {n}$\input{x}#~` + "%done": `$1   \mathit{ninputx}\%\mathit{done}$`,
	} {
		if got := mathematics(formula); got != want {
			t.Errorf("%q: got %s, want %s", formula, got, want)
		}
	}
}
