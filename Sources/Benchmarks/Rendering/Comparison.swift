import BenchmarkCorpus

/// What one page cost in each run, measured in turn for us and the peers.
struct PageRuns: Hashable, Sendable {
    let page: CorpusPage
    var plainAndThumbnail: [Cost] = []
    /// All three variants, the annotated one with marks.
    var threeVariants: [Cost] = []
    /// CPU milliseconds of a process for this page alone.
    var peers: [Peer: [Double]] = [:]
}

/// Our costs compared with the peers': ratios by page and by run, and summaries of them.
struct Comparison: Sendable {
    let pages: [PageRuns]
    let startUps: [Peer: StartUp]

    /// The same for only the photographs that are made for measuring, since other people's may be smaller or simpler.
    var photographs: Comparison { Comparison(pages: pages.filter(\.page.chart.isPhotograph), startUps: startUps) }

    /// What a page cost a peer in each run, for one process that draws the whole chart.
    private func peerMilliseconds(_ page: PageRuns, _ peer: Peer) -> [Double] {
        let startUp = startUps[peer] ?? StartUp([])
        return (page.peers[peer] ?? []).map { startUp.share(of: $0, pageCount: page.page.pageCount) }
    }

    /// Our CPU time for plain image and thumbnail, divided by the peer's for its single image, for each run.
    func ratios(_ page: PageRuns, _ peer: Peer) -> [Double] {
        zip(page.plainAndThumbnail, peerMilliseconds(page, peer)).map { $0.cpu / $1 }
    }

    /// The median ratio over the pages of a class, for each run; `nil` if there is nothing to compare.
    func median(_ name: String, _ kind: PageClass, _ peer: Peer) -> Figure? {
        median("\(name)/\(peer.rawValue)", unit: "ratio", kind) { ratios($0, peer) }
    }

    /// The median of what there is of each page of a class in each run; `nil` if there is nothing.
    func median(_ name: String, unit: String, _ kind: PageClass, _ values: (PageRuns) -> [Double]) -> Figure? {
        let values = pages.filter { $0.page.kind == kind }.map(values)
        let runs = values.map(\.count).min() ?? 0
        guard runs > 0 else { return nil }
        return Figure(name, unit: unit, runs: (0..<runs).map { run in values.map { $0[run] }.median })
    }

    /// The engraved page with the worst median of its runs.
    func worst(_ peer: Peer) -> (figure: Figure, page: CorpusPage)? {
        let compared = pages.filter { $0.page.kind == .engraved }.map { (page: $0.page, ratios: ratios($0, peer)) }
        guard let worst = compared.filter({ !$0.ratios.isEmpty }).max(by: { $0.ratios.median < $1.ratios.median }) else { return nil }
        return (Figure("worst_page/\(peer.rawValue)", unit: "ratio", runs: worst.ratios), worst.page)
    }
}
