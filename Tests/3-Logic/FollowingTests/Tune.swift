import Following

/// A tune and pages that it is printed on: each bar is a list of notes, as heights in half spaces below the uppermost line.
struct Tune {
    var bars: [[Int]]

    /// A tune in which hardly anything repeats itself.
    static func random(_ count: Int, seed: UInt64) -> Tune {
        var state = seed
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        return Tune(bars: (0..<count).map { _ in (0..<3 + next(5)).map { _ in next(14) } })
    }

    func lowered(by halfSpaces: Int) -> Tune { Tune(bars: bars.map { $0.map { $0 + halfSpaces } }) }

    /// Where notes are printed: systems of this many bars, with this many columns from note to note, on pages of three systems.
    struct Layout {
        var perSystem: Int
        var apart: Int
        var space = 0.008
    }

    /// The pages, and where each bar's notes are on them.
    func printed(_ layout: Layout) -> (pages: [PageMap], places: [[(page: Int, point: PagePoint)]]) {
        var pages: [PageMap] = []
        var places: [[(page: Int, point: PagePoint)]] = []
        for (number, first) in stride(from: 0, to: bars.count, by: layout.perSystem).enumerated() {
            let row = bars[first..<min(bars.count, first + layout.perSystem)]
            if number % 3 == 0 { pages.append(PageMap(systems: [], steepness: 1.4)) }
            let columns = 20 + row.reduce(0) { $0 + $1.count * layout.apart + 12 }
            let y = 0.2 + 0.25 * Double(number % 3), left = PagePoint(x: 0.1, y: y), right = PagePoint(x: 0.9, y: y)
            var profile = [UInt8](repeating: 0, count: 3 * columns)
            var (column, lines) = (20, [Float]())
            for bar in row {
                var notes: [(page: Int, point: PagePoint)] = []
                for height in bar {
                    for (offset, ink) in [5, 8, 8, 8, 5].enumerated() {
                        profile[3 * (column + offset)] = UInt8(ink)
                        profile[3 * (column + offset) + 2] = UInt8(64 + 4 * height)
                    }
                    let x = left.x + 0.8 * (Double(column) + 2.5) / Double(columns)
                    notes.append((pages.count - 1, PagePoint(x: x, y: y + (Double(height) / 2 - 2) * layout.space)))
                    column += layout.apart
                }
                lines.append(Float(column))
                column += 12
                places.append(notes)
            }
            let staff = PageMap.Staff(left: left, right: right, space: layout.space, columns: profile)
            pages[pages.count - 1].systems.append(PageMap.System(staves: [staff], bars: lines))
        }
        return (pages, places)
    }
}
