/// Places a song's rows: on which page, in which column, and how far below the column's top.
struct ColumnFlow {
    struct Place: Hashable {
        let page: Int
        let column: Int
        /// The row's top, in ems.
        let y: Double
        let row: Row
    }

    private(set) var places: [Place] = []
    /// The number of pages.
    var pages: Int { (places.last?.page ?? 0) + 1 }

    /// How far the rows of the last page reach down.
    var lowest: Double { places.reduce(0) { $1.page == pages - 1 ? max($0, $1.y + $1.row.height) : $0 } }

    private let columns: Int
    private let firstHeight: Double
    private let height: Double
    private let isDense: Bool
    private var page = 0
    private var column = 0
    private var y = 0.0

    static let partGap = 0.8
    static let stanzaGap = 0.55

    /// `firstHeight` is the height of the columns on the first page, `height` on all later pages, in ems. If `isDense`, each column is
    /// filled before the next one begins, even if that divides a part.
    init(_ flow: [Flow], columns: Int, firstHeight: Double, height: Double, isDense: Bool = false) {
        (self.columns, self.firstHeight, self.height, self.isDense) = (columns, firstHeight, height, isDense)
        guard !flow.contains(where: \.isAcross) else {
            placeInBands(flow)
            return
        }
        for step in flow {
            switch step {
            case .part(let stanzas), .across(let stanzas): place(stanzas)
            case .newColumn: if y > 0 { nextColumn() }
            case .newPage:
                guard y > 0 || column > 0 else { continue }
                (page, column, y) = (page + 1, 0, 0)
            }
        }
    }

    // MARK: - Lines across the page

    /// The least height that is worth beginning something at the foot of a page, and the height up to which lines between two that go across
    /// the page stay in one column, so that nobody has to look for the next line in the other. In ems.
    private static let short = (foot: 6.0, column: 9.0)

    /// Places what is in columns and what goes across the page in bands, one below the other. Columns are equally long in each.
    private mutating func placeInBands(_ flow: [Flow]) {
        var band: [Flow] = []
        for step in flow {
            switch step {
            case .across(let stanzas):
                place(band: band, stanzas: band.stanzas, isAcross: false)
                place(band: [.part(stanzas)], stanzas: stanzas, isAcross: true)
                band = []
            case .newPage:
                place(band: band, stanzas: band.stanzas, isAcross: false)
                band = []
                if y > 0 { (page, y) = (page + 1, 0) }
            default: band.append(step)
            }
        }
        place(band: band, stanzas: band.stanzas, isAcross: false)
    }

    private mutating func place(band: [Flow], stanzas: [Stanza], isAcross: Bool) {
        guard let first = stanzas.first else { return }
        var start = y > 0 ? y + Self.partGap : 0
        let room = height(of: page) - start
        let least = isAcross || columns == 1 ? first.height : min(first.height, Self.short.foot)
        if y > 0, room < least { (page, start) = (page + 1, 0) }
        let top = height(of: page) - start
        let inOne = ColumnFlow(band, columns: 1, firstHeight: top, height: height)
        var flow = inOne
        if !isAcross, inOne.pages > 1 || inOne.lowest > Self.short.column {
            flow = ColumnFlow(band, columns: columns, firstHeight: top, height: height, isDense: isDense)
            if flow.pages == 1 { flow = Self.balanced(band, within: top, least: 0) ?? flow }
        }
        for place in flow.places {
            let y = place.y + (place.page == 0 ? start : 0)
            places.append(Place(page: page + place.page, column: place.column, y: y, row: place.row))
        }
        (page, y) = (page + flow.pages - 1, flow.lowest + (flow.pages == 1 ? start : 0))
    }

    /// The shortest two columns that hold everything on one page; `nil` if none do.
    static func balanced(_ flow: [Flow], within height: Double, least: Double) -> ColumnFlow? {
        // A part that fits a column is not torn apart for the sake of balance.
        let parts = flow.map { step -> Double in
            guard case .part(let stanzas) = step else { return 0 }
            return stanzas.reduce(0) { $0 + $1.height } + stanzaGap * Double(max(0, stanzas.count - 1))
        }
        let tallest = parts.filter { $0 <= height }.max() ?? 0
        var (low, high, best): (Double, Double, ColumnFlow?) = (max(tallest, least), height, nil)
        for _ in 0..<12 {
            let middle = (low + high) / 2
            let tried = ColumnFlow(flow, columns: 2, firstHeight: middle, height: middle)
            if tried.pages == 1 { (high, best) = (middle, tried) } else { low = middle }
        }
        return best
    }

    // MARK: - Columns

    private func height(of page: Int) -> Double { page == 0 ? firstHeight : height }

    private mutating func nextColumn() {
        (column, y) = (column + 1, 0)
        if column == columns { (page, column) = (page + 1, 0) }
    }

    private var nextHeight: Double { height(of: column + 1 == columns ? page + 1 : page) }

    /// Makes room for this height here or, if it does not fit, in the next column. Returns `false` and changes nothing if it fits
    /// in neither, or if what it is for can be divided and no column may stay unfilled.
    private mutating func makeRoom(_ needed: Double, gap: Double, isDivisible: Bool = false) -> Bool {
        let before = y > 0 ? gap : 0
        if y + before + needed <= height(of: page) + 1e-9 {
            y += before
            return true
        }
        guard y > 0, needed <= nextHeight + 1e-9, !(isDense && isDivisible) else { return false }
        nextColumn()
        return true
    }

    private mutating func place(_ stanzas: [Stanza]) {
        let whole = stanzas.reduce(0) { $0 + $1.height } + Self.stanzaGap * Double(max(0, stanzas.count - 1))
        if makeRoom(whole, gap: Self.partGap, isDivisible: true) {
            for (number, stanza) in stanzas.enumerated() {
                if number > 0 { y += Self.stanzaGap }
                add(stanza.flatMap(\.rows))
            }
            return
        }
        for (number, stanza) in stanzas.enumerated() {
            let gap = number == 0 ? Self.partGap : Self.stanzaGap
            if makeRoom(stanza.height, gap: gap, isDivisible: true) { add(stanza.flatMap(\.rows)) } else { place(lines: stanza, gap: gap) }
        }
    }

    /// Places a stanza line by line, because neither this column nor the next has room for all of it.
    private mutating func place(lines stanza: Stanza, gap: Double) {
        var rest = stanza[...]
        var gap = gap
        while !rest.isEmpty {
            let count = min(rest.count, (rest.firstIndex { !$0.keepsNext } ?? rest.endIndex - 1) - rest.startIndex + 1)
            let chunk = rest.prefix(count)
            rest = rest.dropFirst(count)
            if makeRoom(chunk.reduce(0) { $0 + $1.height }, gap: gap) {
                add(chunk.flatMap(\.rows))
            } else {
                for row in chunk.flatMap(\.rows) {
                    if !makeRoom(row.height, gap: gap), y > 0 { nextColumn() }
                    add([row])
                }
            }
            gap = 0
        }
    }

    private mutating func add(_ rows: [Row]) {
        for row in rows {
            places.append(Place(page: page, column: column, y: y, row: row))
            y += row.height
        }
    }
}

extension Flow {
    var isAcross: Bool { if case .across = self { true } else { false } }
}

extension [Flow] {
    fileprivate var stanzas: [Stanza] { flatMap { step in if case .part(let stanzas) = step { stanzas } else { [Stanza]() } } }
}
