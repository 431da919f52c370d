package render_test
import ("testing";"os";"etrace/tracefmt";"etrace/render")
func BenchmarkZZ(b *testing.B){ f,_ := os.Open("/tmp/pictures-b/t256/"+os.Getenv("ZZ")); m,err := tracefmt.ReadMemory(f); if err!=nil {b.Fatal(err)}; benchmark(b, m[0], render.Options{}) }
