/// What new marks cost on one page in each run, and the peers' time for that page.
struct MarkedPageRuns: Sendable {
    static let peers = [Peer.pdftocairo, .mutoolGray]

    /// Which mark is added to which page.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// About 60 pixels, coloured, on a page with coloured marks.
        case small = "small_mark"
        /// A circle of 500 pixels.
        case medium = "medium_mark"
        /// From top to bottom.
        case full = "full_mark"
        /// A small pencil mark, on a page with nothing but pencil on it.
        case smallPencil = "small_pencil_mark"
        /// A small coloured mark on a page with nothing but pencil on it, so its image was gray.
        case firstColour = "first_colour_mark"
    }

    let page: CorpusPage
    var startUps: [Peer: StartUp] = [:]
    var costs: [Kind: [Cost]] = [:]
    /// Milliseconds to write and rename a file as large as the small mark's image, measured right afterwards.
    var writing: [Double] = []
    /// Wall time in milliseconds of a process for this page alone.
    var peers: [Peer: [Double]] = [:]

    /// What was measured on this page; the names of the figures end with the page's, if it is to be named.
    private func figures(suffix: String) -> [Figure] {
        let small = costs[.small] ?? []
        let ratios = Self.peers.compactMap { peer -> Figure? in
            guard let times = peers[peer] else { return nil }
            let startUp = startUps[peer] ?? StartUp([])
            let runs = zip(small, times).map { $0.wall / startUp.share(of: $1, pageCount: page.pageCount) }
            return Figure("small_mark/\(peer.rawValue)\(suffix)", unit: "ratio", runs: runs)
        }
        return ratios
            + Kind.allCases.map { Figure("\($0.rawValue)_ms\(suffix)", unit: "ms", runs: (costs[$0] ?? []).map(\.wall)) } + [
                Figure("small_mark_cpu_ms\(suffix)", unit: "ms", runs: small.map(\.cpu)),
                Figure("write_rename_ms\(suffix)", unit: "ms", runs: writing),
                Figure("small_mark_beyond_write_ms\(suffix)", unit: "ms", runs: zip(small, writing).map { $0.wall - $1 }),
            ]
    }

    /// Each figure for the page where it is highest, then for every page by name.
    static func figures(_ pages: [MarkedPageRuns]) -> [Figure] {
        let unnamed = pages.map { $0.figures(suffix: "") }
        let worst = (unnamed.first ?? []).indices.compactMap { place in unnamed.map { $0[place] }.max { $0.value < $1.value } }
        return worst + pages.flatMap { $0.figures(suffix: "@\($0.page.name.replacing(" ", with: "-"))") }
    }
}
