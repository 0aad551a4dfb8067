/// The bands of white on a page, and where the page may be cut, as the renderer found them in the page's image. Heights are in
/// ten-thousandths of the page's height.
public struct PageMusic: Hashable, Sendable {
    /// A band of white across the page.
    public struct Band: Hashable, Sendable {
        public var from: UInt16
        public var to: UInt16
        public var kind: Kind

        public init(from: UInt16, to: UInt16, kind: Kind) { (self.from, self.to, self.kind) = (from, to, kind) }
    }

    public enum Kind: UInt8, Sendable {
        /// A band within a system or a text.
        case inner
        /// The band above a system and above the chords and marks that belong to it. On a page without staves, the band above a block of
        /// text and its heading.
        case system
        /// The band below the last system and all its lines of lyrics.
        case end
        /// The band above a line at the foot of the page, such as a copyright notice. Nothing below the band is played or sung.
        case foot
    }

    /// The bands, from the top of the page. If the page has a slant, these are the heights once it is turned upright around its middle.
    public let bands: [Band]
    /// How far the staves of a picture fall towards the right, in hundredths of a degree; below 0 if they rise. 0 for a page that is not to
    /// be turned.
    public let slant: Int

    public init(bands: [Band], slant: Int = 0) { (self.bands, self.slant) = (bands, slant) }
}

extension PageMusic {
    /// The number of values in each part of the renderer's findings. CMusic.h describes the format.
    private enum Length {
        static let page = 16, system = 18, staff = 9, bar = 4, block = 5, white = 2
    }

    private static let version = 1
    private static let parts = 10_000
    /// The value for lines that are level, and the greatest slant.
    private static let (level, steepest) = (9000, 400)
    /// Half the height of the cut between two systems that leave no white between them.
    private static let thin = 20
    /// The doubts about a system that touches another one and is otherwise certain.
    private static let touching = 16
    /// A line at the foot of a page begins at or below the first of these heights, and is at most as high as the second.
    private static let (footBegins, footHeight) = (9000, 300)
    /// The greatest height of the heading of a verse, with a line of directions.
    private static let headingHeight = 350

    /// Reads the renderer's findings. Fails if they are of another version or damaged.
    public init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= 2 * Length.page, bytes.count % 2 == 0 else { return nil }
        let values = stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        let (systems, blocks) = (values[4], values[7])
        let firstBlock = Length.page + Length.system * systems + Length.staff * values[5] + Length.bar * values[6]
        let firstWhite = firstBlock + Length.block * blocks
        guard values[0] == Self.version, values.count == firstWhite + Length.white * values[8] else { return nil }
        var bands = (0..<values[8]).map { Cut(values[firstWhite + Length.white * $0], values[firstWhite + Length.white * $0 + 1]) }
        guard zip(bands, bands.dropFirst()).allSatisfy({ $0.to <= $1.from }) else { return nil }

        /// Marks the last band that begins above this height.
        func mark(above height: Int, as kind: Kind) {
            if let place = bands.lastIndex(where: { $0.from < height }) { bands[place].kind = kind }
        }
        /// The height of a cut.
        func height(_ system: Int, edge: Int) -> Int {
            let place = Length.page + Length.system * system + edge
            return (values[place] + values[place + 1]) / 2
        }
        /// Whether a system was found for certain, or only touches the one above it, and both are cut at the same height.
        func isCertain(_ system: Int) -> Bool {
            let place = Length.page + Length.system * system
            guard values[place + 16] != 1 else { return true }
            guard system > 0, values[place + 17] == Self.touching else { return false }
            return abs(height(system, edge: 8) - height(system - 1, edge: 10)) <= Self.thin
        }
        /// Marks the band at the edge of a system. If a system that was found for certain has no white there, a thin cut is added.
        func mark(_ system: Int, edge: Int, as kind: Kind) {
            let cut = height(system, edge: edge)
            if let band = bands.firstIndex(where: { $0.from <= cut && cut <= $0.to }) {
                bands[band].kind = kind
            } else if isCertain(system) {
                bands.append(Cut(max(0, cut - Self.thin), min(Self.parts, cut + Self.thin), kind))
                bands.sort { $0.from < $1.from }
            }
        }
        let texts = (0..<blocks).map { firstBlock + Length.block * $0 }
        /// Whether the text above a text is its heading: not tall, and nearer to the text than to anything above.
        func isBelowHeading(_ number: Int) -> Bool {
            guard number >= 2 else { return false }
            let (above, heading, text) = (texts[number - 2], texts[number - 1], texts[number])
            let (before, after) = (values[heading + 1] - values[above + 3], values[text + 1] - values[heading + 3])
            return after < before && values[heading + 3] - values[heading + 1] <= Self.headingHeight
        }
        if systems == 0 {
            for (number, text) in texts.enumerated() where !isBelowHeading(number) { mark(above: values[text + 1], as: .system) }
        } else {
            mark(systems - 1, edge: 10, as: .end)
            for system in 0..<systems { mark(system, edge: 8, as: .system) }
            let foot = texts.first {
                values[$0 + 4] == 2 && values[$0 + 1] >= Self.footBegins && values[$0 + 3] - values[$0 + 1] <= Self.footHeight
            }
            if let foot { mark(above: values[foot + 1], as: .foot) }
        }
        guard bands.allSatisfy({ 0 <= $0.from && $0.from <= $0.to && $0.to <= Self.parts }) else { return nil }
        slant = values[9] == 1 ? values[3] - Self.level : 0
        guard abs(slant) <= Self.steepest else { return nil }
        self.bands = bands.map { Band(from: UInt16($0.from), to: UInt16($0.to), kind: $0.kind) }
    }

    private struct Cut {
        var from: Int
        var to: Int
        var kind: Kind

        init(_ from: Int, _ to: Int, _ kind: Kind = .inner) { (self.from, self.to, self.kind) = (from, to, kind) }
    }
}
