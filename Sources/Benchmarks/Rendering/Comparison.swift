import BenchmarkCorpus

/// Our costs compared with the peers': ratios by page and by run, and summaries of them.
struct Comparison: Sendable {
    let pages: [PageRuns]
    let startUps: [Peer: StartUp]

    /// The same for only the photographs that are made for measuring, since other people's may be smaller or simpler.
    var photographs: Comparison { Comparison(pages: pages.filter(\.page.isPhotograph), startUps: startUps) }

    /// What a page cost a peer in each run, for one process that draws the whole chart.
    func peerMilliseconds(_ page: PageRuns, _ peer: Peer) -> [Double] {
        let startUp = startUps[peer] ?? StartUp([])
        return (page.peers[peer] ?? []).map { startUp.share(of: $0, pageCount: page.page.pageCount) }
    }

    /// Our CPU time for plain image and thumbnail, divided by the peer's for its single image, for each run.
    func ratios(_ page: PageRuns, _ peer: Peer) -> [Double] {
        zip(page.plainAndThumbnail, peerMilliseconds(page, peer)).map { $0.cpu / $1 }
    }

    /// The median over the pages of a class, for each run; `nil` if there is nothing to compare.
    func median(_ name: String, _ kind: PageClass, _ peer: Peer) -> Figure? {
        let ratios = pages.filter { $0.page.kind == kind }.map { self.ratios($0, peer) }
        let runs = ratios.map(\.count).min() ?? 0
        guard runs > 0 else { return nil }
        return Figure("\(name)/\(peer.rawValue)", unit: "ratio", runs: (0..<runs).map { run in ratios.map { $0[run] }.median })
    }

    /// The page of a class with the worst median of its runs.
    func worst(_ name: String, _ kind: PageClass, _ peer: Peer) -> (figure: Figure, page: CorpusPage)? {
        let compared = pages.filter { $0.page.kind == kind }.map { (page: $0.page, ratios: ratios($0, peer)) }.filter { !$0.ratios.isEmpty }
        guard let worst = compared.max(by: { $0.ratios.median < $1.ratios.median }) else { return nil }
        return (Figure("\(name)/\(peer.rawValue)", unit: "ratio", runs: worst.ratios), worst.page)
    }

    /// One of our costs over the pages of a class: the median for each run.
    func median(
        _ name: String, _ kind: PageClass, _ costs: KeyPath<PageRuns, [Cost]>, _ part: KeyPath<Cost, Double>
    ) -> Figure? {
        let values = pages.filter { $0.page.kind == kind }.map { $0[keyPath: costs].map { $0[keyPath: part] } }
        let runs = values.map(\.count).min() ?? 0
        guard runs > 0 else { return nil }
        return Figure(name, unit: "ms", runs: (0..<runs).map { run in values.map { $0[run] }.median })
    }

    /// Every page with its costs for us and for the peers.
    func table(_ present: [Peer]) -> DetailTable {
        func spread(_ values: [Double]) -> String {
            guard let low = values.min(), let high = values.max() else { return "" }
            return
                "\(DetailTable.text(values.median, digits: 1)) (\(DetailTable.text(low, digits: 1))-\(DetailTable.text(high, digits: 1)))"
        }
        return DetailTable(
            title: "CPU ms a page, median (low-high) of the runs; a peer's ratio beside its time",
            columns: ["page", "class", "plain+thumbnail", "wall", "all three"] + present.flatMap { [$0.rawValue, "ratio"] },
            rows: pages.map { page in
                [
                    page.page.name, page.page.kind.rawValue, spread(page.plainAndThumbnail.map(\.cpu)),
                    DetailTable.text(page.plainAndThumbnail.map(\.wall).median, digits: 1), spread(page.threeVariants.map(\.cpu)),
                ]
                    + present.flatMap { peer in
                        let ratios = ratios(page, peer)
                        return ratios.isEmpty ? ["", ""] : [spread(peerMilliseconds(page, peer)), DetailTable.text(ratios.median)]
                    }
            })
    }
}
