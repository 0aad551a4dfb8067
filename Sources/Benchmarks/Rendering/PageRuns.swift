import BenchmarkCorpus

/// What one page cost in each run, measured in turn for us and the peers.
struct PageRuns: Hashable, Sendable {
    let page: CorpusPage
    /// Plain image and thumbnail.
    var plainAndThumbnail: [Cost] = []
    /// All three variants, the annotated one with marks.
    var threeVariants: [Cost] = []
    /// CPU milliseconds of a process for this page alone.
    var peers: [Peer: [Double]] = [:]
}
