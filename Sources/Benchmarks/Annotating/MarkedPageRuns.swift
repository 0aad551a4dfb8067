import BenchmarkCorpus

/// What new marks cost on one page in each run, and the peers' time for that page.
struct MarkedPageRuns: Sendable {
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
    let startUps: [Peer: StartUp]
    var costs: [Kind: [Cost]] = [:]
    /// Milliseconds to write and rename a file as large as the small mark's image, measured right afterwards.
    var writing: [Double] = []
    /// Wall time in milliseconds of a process for this page alone.
    var peers: [Peer: [Double]] = [:]

    init(page: CorpusPage, startUps: [Peer: StartUp]) {
        self.page = page
        self.startUps = startUps
    }

    /// What was measured on this page, by the names of the figures.
    private var values: [(name: String, unit: String, runs: [Double])] {
        let small = costs[.small] ?? []
        let ratios = peers.sorted { $0.key.rawValue > $1.key.rawValue }.map { peer, times in
            let startUp = startUps[peer] ?? StartUp([])
            let runs = zip(small, times).map { $0.wall / startUp.share(of: $1, pageCount: page.pageCount) }
            return (name: "small_mark/\(peer.rawValue)", unit: "ratio", runs: runs)
        }
        return ratios
            + Kind.allCases.map { kind in (name: "\(kind.rawValue)_ms", unit: "ms", runs: (costs[kind] ?? []).map(\.wall)) } + [
                (name: "small_mark_cpu_ms", unit: "ms", runs: small.map(\.cpu)), (name: "write_rename_ms", unit: "ms", runs: writing),
                (name: "small_mark_beyond_write_ms", unit: "ms", runs: zip(small, writing).map { $0.wall - $1 }),
            ]
    }

    /// Each figure for the page where it is highest, then for every page by name.
    static func figures(_ pages: [MarkedPageRuns]) -> [Figure] {
        var worst: [Figure] = []
        var all: [Figure] = []
        for page in pages {
            for value in page.values where !value.runs.isEmpty {
                let figure = Figure(value.name, unit: value.unit, runs: value.runs)
                all.append(Figure("\(value.name)@\(page.page.name.replacing(" ", with: "-"))", unit: value.unit, runs: value.runs))
                if let place = worst.firstIndex(where: { $0.name == value.name }) {
                    if worst[place].value < figure.value { worst[place] = figure }
                } else {
                    worst.append(figure)
                }
            }
        }
        return worst + all
    }
}
