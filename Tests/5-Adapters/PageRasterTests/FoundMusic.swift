import CMusic

/// The music of a page, decoded from its bytes. Positions are shares of the page's height or width.
struct FoundMusic {
    struct System {
        var left = 0.0, top = 0.0, right = 0.0, bottom = 0.0
        /// The heights between which each cut lies, since a slanted page has slanted cuts.
        var cutAbove = 0.0...0.0, cutBelow = 0.0...0.0
        var staves = 0
        var bars = 0
        var isSure = false
        /// Only its end is doubtful, because the system touches another.
        var isTouching = false
    }

    var isSure = false
    /// The slant of the page in degrees.
    var slant = 0.0
    var isTurned = false
    var systems: [System] = []
    var blocks: [(top: Double, bottom: Double)] = []
    var whites: [ClosedRange<Double>] = []

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 32, bytes.count % 2 == 0 else { return nil }
        let numbers = stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        func share(_ place: Int) -> Double { Double(numbers[place]) / 10_000 }
        let (systemCount, staves, bars, blockCount, whiteCount) = (numbers[4], numbers[5], numbers[6], numbers[7], numbers[8])
        let firstBlock = 16 + 18 * systemCount + 9 * staves + 4 * bars
        let firstWhite = firstBlock + 5 * blockCount
        guard numbers[0] == WOODSHED_MUSIC_VERSION, numbers.count == firstWhite + 2 * whiteCount else { return nil }
        isSure = numbers[1] == 1
        slant = Double(numbers[3] - 9000) / 100
        isTurned = numbers[9] == 1
        for place in (0..<systemCount).map({ 16 + 18 * $0 }) {
            func edge(_ offset: Int) -> ClosedRange<Double> {
                let ends = [share(place + offset), share(place + offset + 1)].sorted()
                return ends[0]...ends[1]
            }
            systems.append(
                System(
                    left: share(place), top: edge(4).lowerBound, right: share(place + 2), bottom: edge(6).upperBound, cutAbove: edge(8),
                    cutBelow: edge(10), staves: numbers[place + 13], bars: numbers[place + 15], isSure: numbers[place + 16] == 1,
                    isTouching: numbers[place + 17] == Int(WOODSHED_DOUBT_TOUCHING)))
        }
        blocks = (0..<blockCount).map { (share(firstBlock + 5 * $0 + 1), share(firstBlock + 5 * $0 + 3)) }
        whites = (0..<whiteCount).map { share(firstWhite + 2 * $0)...share(firstWhite + 2 * $0 + 1) }
    }
}
