import Benchmarks

BenchmarkProgram.main()
