/// The music on a page: its systems and staves with their contents from left to right, as the renderer found them in the page's image.
/// Places are fractions of the page's width and height, from its top left corner.
public struct PageMap: Hashable, Sendable {
    public struct Staff: Hashable, Sendable {
        /// The ends of the middle line.
        public var left: PagePoint
        public var right: PagePoint
        /// The distance from one line to the next, as a fraction of the page's height.
        public var space: Double
        /// Three bytes for each column: broad ink, other ink, and the height of the broad ink. CMusic.h describes them.
        public var columns: [UInt8]

        public init(left: PagePoint, right: PagePoint, space: Double, columns: [UInt8]) {
            (self.left, self.right, self.space, self.columns) = (left, right, space, columns)
        }
    }

    public struct System: Hashable, Sendable {
        public var staves: [Staff]
        /// Where bar lines stand, in columns.
        public var bars: [Float]

        public init(staves: [Staff], bars: [Float]) { (self.staves, self.bars) = (staves, bars) }
    }

    public var systems: [System]
    /// The page's height divided by its width.
    public var steepness: Double
    /// The words that are printed on the page, in the order of reading; empty in a picture.
    public var words: [PageWord]

    public init(systems: [System], steepness: Double, words: [PageWord] = []) {
        (self.systems, self.steepness, self.words) = (systems, steepness, words)
    }
}

/// A point on a page, as fractions of its width and height.
public struct PagePoint: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

extension PageMap {
    private static let version = 1
    private static let parts = 10_000.0
    private enum Length { static let page = 16, system = 18, staff = 9, bar = 4, block = 5, white = 2, column = 3 }
    /// The most that the renderer finds.
    private static let (mostStaves, mostColumns) = (64, 1024)

    /// Reads the renderer's map, which contains no words. Fails if the map is damaged or of another version.
    public init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        var reader = Reader(rest: bytes[...])
        guard reader.number() == Self.version, let width = reader.number(), let height = reader.number(), let length = reader.number(),
            width > 0, height > 0, length >= 2 * Length.page, length % 2 == 0
        else { return nil }
        var music: [Int] = []
        for _ in 0..<length / 2 {
            guard let value = reader.number() else { return nil }
            music.append(value)
        }
        let (systems, staves, bars) = (music[4], music[5], music[6])
        let firstStaff = Length.page + Length.system * systems, firstBar = firstStaff + Length.staff * staves
        let end = firstBar + Length.bar * bars + Length.block * music[7] + Length.white * music[8]
        guard staves <= Self.mostStaves, music.count == end else { return nil }
        self.init(systems: [], steepness: Double(height) / Double(width))
        for system in 0..<systems {
            let place = Length.page + Length.system * system
            let (first, count) = (music[place + 12], music[place + 13])
            guard let columns = reader.number(), (1...Self.mostColumns).contains(columns), first + count <= staves else { return nil }
            var found = System(staves: [], bars: [])
            for staff in first..<first + count {
                var ends: [Double] = []
                for _ in 0..<4 {
                    guard let value = reader.number() else { return nil }
                    ends.append(Double(value) / Self.parts)
                }
                guard let profile = reader.bytes(Length.column * columns) else { return nil }
                found.staves.append(
                    Staff(
                        left: PagePoint(x: ends[0], y: ends[1]), right: PagePoint(x: ends[2], y: ends[3]),
                        space: max(1, Double(music[firstStaff + Length.staff * staff + 6])) / 100_000, columns: profile))
            }
            let (barsBegin, barCount) = (music[place + 14], music[place + 15])
            guard let upper = found.staves.first, barsBegin + barCount <= bars else { return nil }
            found.bars = (barsBegin..<barsBegin + barCount).map {
                let x = Double(music[firstBar + Length.bar * $0]) / Self.parts
                return Float((x - upper.left.x) / max(1 / Self.parts, upper.right.x - upper.left.x) * Double(columns))
            }
            self.systems.append(found)
        }
        guard reader.rest.isEmpty else { return nil }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func number() -> Int? {
            guard let pair = bytes(2) else { return nil }
            return Int(pair[0]) << 8 | Int(pair[1])
        }

        mutating func bytes(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }
}

/// A place at a staff: how far along it, in columns, and how far below its middle line, in spaces.
struct StaffPlace: Hashable {
    var column: Double
    var depth: Double
}

extension PageMap.Staff {
    var columnCount: Int { columns.count / 3 }

    /// How far the staff falls towards the right, in the page's own proportions.
    private func slope(_ steepness: Double) -> Double { (right.y - left.y) * steepness / max(1e-4, right.x - left.x) }

    /// The place at the staff of a point of the page. The lengths in between are fractions of the page's width.
    func place(of point: PagePoint, steepness: Double) -> StaffPlace {
        let slope = slope(steepness), length = max(1e-4, right.x - left.x)
        let (across, down) = (point.x - left.x, (point.y - left.y) * steepness)
        let along = (across + slope * down) / (1 + slope * slope)
        return StaffPlace(column: along / length * Double(columnCount), depth: (down - slope * along) / (space * steepness))
    }

    /// The point of the page at a place of the staff.
    func point(at place: StaffPlace, steepness: Double) -> PagePoint {
        let slope = slope(steepness), along = place.column / Double(max(1, columnCount)) * max(1e-4, right.x - left.x)
        let down = place.depth * space * steepness
        return PagePoint(x: left.x + along - slope * down, y: left.y + (slope * along + down) / steepness)
    }
}
