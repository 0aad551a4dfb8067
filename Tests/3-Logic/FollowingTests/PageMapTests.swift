import Following
import Testing

/// The map of a page's music, as the renderer writes it.
@Suite(.timeLimit(.minutes(5)))
struct PageMapTests {
    /// A page with a system of one staff, four columns and a bar line.
    private static func bytes(version: Int = 1, columns: Int = 4, staves: Int = 1, music: Int = 0) -> [UInt8] {
        var values = [1, 1, 0, 9000, 1, 1, 1, 0, 0, 0, 0, 0] + [0, 0, 10_000, 10_000]
        values += Array(repeating: 0, count: 12) + [0, staves, 0, 1, 1, 0]
        values += [1000, 9000, 2000, 2000, 2400, 2400, 800, 5, 0]
        values += [5000, 5000, 1, 0]
        let head = [version, 1200, 1700, 2 * (values.count + music)]
        values = head + values + [columns, 1000, 2200, 9000, 2200]
        return values.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } + [8, 2, 70, 8, 2, 70, 0, 0, 0, 0, 9, 0]
    }

    @Test func aMapHasStavesBarsAndWhatStandsInThem() throws {
        let map = try #require(PageMap(Self.bytes())), system = try #require(map.systems.first)
        #expect(system.bars == [2] && system.staves.count == 1 && abs(map.steepness - 1700.0 / 1200) < 1e-9)
        #expect(system.staves[0].left == PagePoint(x: 0.1, y: 0.22) && system.staves[0].space == 0.008)
        #expect(system.staves[0].columns.prefix(3) == [8, 2, 70])
    }

    @Test func damagedMapsAreRefused() {
        let good = Self.bytes()
        #expect(PageMap([]) == nil && PageMap(Self.bytes(version: 2)) == nil)
        for length in good.indices { #expect(PageMap(good.prefix(length)) == nil, "\(length)") }
        #expect(PageMap(good + [0]) == nil)
        #expect(PageMap(Self.bytes(columns: 0)) == nil && PageMap(Self.bytes(columns: 60_000)) == nil)
        #expect(PageMap(Self.bytes(staves: 2)) == nil && PageMap(Self.bytes(music: 1)) == nil)
    }
}
