import Model
import TestSupport
import Testing

/// The renderer's findings on a page's music, as they are kept in the image of the page.
@Suite(.timeLimit(.minutes(5)))
struct PageMusicTests {
    /// A system of staves: the heights above and below it at which the page may be cut, and whether the renderer is sure of it.
    private struct System {
        var cutAbove: Int
        var cutBelow: Int
        var isSure = true
        var doubts = 0
    }

    private static func bytes(
        version: Int = 1, systems: [System] = [], blocks: [(top: Int, bottom: Int, place: Int)] = [], whites: [(Int, Int)] = [],
        slant: Int = 0, turned: Int = 0
    ) -> [UInt8] {
        var values = [version, 1, 0, 9000 + slant, systems.count, 0, 0, blocks.count, whites.count, turned, 0, 0] + [0, 0, 10_000, 10_000]
        for system in systems {
            let edges = [0, 0, 0, 0] + [system.cutAbove, system.cutAbove, system.cutBelow, system.cutBelow]
            values += [0, 0, 10_000, 10_000] + edges + [0, 1, 0, 0, system.isSure ? 1 : 0, system.doubts]
        }
        for block in blocks { values += [0, block.top, 10_000, block.bottom, block.place] }
        for white in whites { values += [white.0, white.1] }
        return values.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    }

    private static func kinds(_ bytes: [UInt8]) -> [[Int]]? {
        PageMusic(bytes)?.bands.map { [Int($0.from), Int($0.to), Int($0.kind.rawValue)] }
    }

    /// The page has two systems, and words between them that belong to the first. A title is at the top, and a notice at the foot.
    @Test func thePageMayBeCutBeforeASystemAndNotBeforeItsWords() {
        let systems = [System(cutAbove: 1500, cutBelow: 4400), System(cutAbove: 4400, cutBelow: 7000)]
        let whites = [(0, 500), (1400, 1600), (3000, 3400), (4300, 4500), (6800, 9500), (9600, 10_000)]
        let title = (top: 500, bottom: 1400, place: 0), foot = (top: 9500, bottom: 9600, place: 2)
        #expect(
            Self.kinds(Self.bytes(systems: systems, blocks: [title, foot], whites: whites)) == [
                [0, 500, 0], [1400, 1600, 1], [3000, 3400, 0], [4300, 4500, 1], [6800, 9500, 3], [9600, 10_000, 0],
            ])
        let verse = (top: 9000, bottom: 9600, place: 2)
        #expect(
            Self.kinds(Self.bytes(systems: systems, blocks: [title, verse], whites: whites))?[4] == [6800, 9500, 2],
            "a text of several lines is read")
    }

    @Test func aSureSystemIsCutFromTheNextWithoutWhiteAndADoubtfulOneOnlyIfItTouches() {
        let whites = [(0, 1000), (9000, 10_000)]
        func systems(_ isSure: Bool) -> [System] {
            [System(cutAbove: 900, cutBelow: 5000), System(cutAbove: 5000, cutBelow: 9100, isSure: isSure)]
        }
        #expect(Self.kinds(Self.bytes(systems: systems(true), whites: whites)) == [[0, 1000, 1], [4980, 5020, 1], [9000, 10_000, 2]])
        #expect(Self.kinds(Self.bytes(systems: systems(false), whites: whites)) == [[0, 1000, 1], [9000, 10_000, 2]])
        // Touching systems are cut at the height that both state. If they state different heights, one system was not understood.
        func touching(_ cutBelow: Int, doubts: Int = 16) -> [System] {
            [
                System(cutAbove: 900, cutBelow: cutBelow, isSure: false, doubts: 20),
                System(cutAbove: 5000, cutBelow: 9100, isSure: false, doubts: doubts),
            ]
        }
        let apart = [[0, 1000, 1], [4980, 5020, 1], [9000, 10_000, 2]], together = [[0, 1000, 1], [9000, 10_000, 2]]
        for near in [4980, 5000, 5020] { #expect(Self.kinds(Self.bytes(systems: touching(near), whites: whites)) == apart, "\(near)") }
        for far in [4900, 5300] { #expect(Self.kinds(Self.bytes(systems: touching(far), whites: whites)) == together, "\(far)") }
        #expect(Self.kinds(Self.bytes(systems: touching(5000, doubts: 20), whites: whites)) == together)
        // Music that fills the page: the cuts end where the page does.
        let whole = Self.bytes(systems: [System(cutAbove: 5, cutBelow: 9990)], whites: [(4000, 4100)])
        #expect(Self.kinds(whole) == [[0, 25, 1], [4000, 4100, 0], [9970, 10_000, 2]])
    }

    @Test func aPageWithoutStavesIsCutBetweenItsTexts() {
        let blocks = [(top: 500, bottom: 2000, place: 3), (top: 3000, bottom: 6000, place: 3)]
        let whites = [(0, 500), (1000, 1100), (2000, 3000), (4000, 4100), (6000, 10_000)]
        #expect(
            Self.kinds(Self.bytes(blocks: blocks, whites: whites)) == [
                [0, 500, 1], [1000, 1100, 0], [2000, 3000, 1], [4000, 4100, 0], [6000, 10_000, 0],
            ])
    }

    @Test func aHeadingStaysWithTheVerseBelowIt() {
        func cuts(heading: Int, _ bottom: Int) -> [Int]? {
            let blocks = [(500, 2000), (heading, bottom), (3000, 6000)].map { (top: $0.0, bottom: $0.1, place: 3) }
            let whites = [(0, 500), (2000, heading), (bottom, 3000), (6000, 10_000)]
            return Self.kinds(Self.bytes(blocks: blocks, whites: whites))?.filter { $0[2] == 1 }.map { $0[1] }
        }
        #expect(cuts(heading: 2600, 2900) == [500, 2600])
        #expect(cuts(heading: 2100, 2400) == [500, 2100, 3000], "a last line is nearer to the verse above")
        #expect(cuts(heading: 2450, 2900) == [500, 2450, 3000], "a verse is higher than a heading")
    }

    /// An image of an older renderer states nothing about turning, and its bands fit the page as it lies.
    @Test func aPageIsTurnedByItsSlantOnlyIfItsImageRequestsThat() {
        func slant(_ degrees: Int, turned: Int) -> Int? { PageMusic(Self.bytes(slant: degrees, turned: turned))?.slant }
        #expect(slant(-52, turned: 1) == -52 && slant(315, turned: 1) == 315)
        #expect(slant(-52, turned: 0) == 0 && slant(0, turned: 1) == 0)
        #expect(slant(401, turned: 1) == nil && slant(-9000, turned: 1) == nil)
    }

    /// Whichever way a browser shows the page, a box around its ink must hold all of it.
    @Test func aBoxOnASlantedPageHoldsItsInkBeforeAndAfterTheTurn() throws {
        func sides(_ box: InkBox) -> [UInt16] { [box.left, box.top, box.right, box.bottom] }
        let box = try #require(InkBox(columns: 70..<630, rows: 50..<900, width: 700, height: 1000))
        #expect(box.upright(by: 0, width: 700, height: 1000) == box)
        #expect(sides(box.upright(by: 100, width: 700, height: 1000)) == [887, 451, 9100, 9049])
        let corner = try #require(InkBox(columns: 600..<700, rows: 0..<100, width: 700, height: 1000))
        #expect(sides(corner.upright(by: 100, width: 700, height: 1000)) == [8446, 0, 10_000, 1000])
        #expect(sides(corner.upright(by: -100, width: 700, height: 1000)) == [8571, 0, 10_000, 1062])
        #expect(InkBox.none.upright(by: 100, width: 700, height: 1000) == .none)
    }

    /// A hostile chart may have taken over the process that drew the page.
    @Test func whatCannotBeIsRefused() {
        let good = Self.bytes(systems: [System(cutAbove: 100, cutBelow: 900)], whites: [(0, 200), (800, 10_000)])
        #expect(PageMusic(good) != nil)
        #expect(PageMusic(good.dropLast()) == nil && PageMusic(good.dropLast(2)) == nil && PageMusic(good + [0, 0]) == nil)
        #expect(PageMusic([]) == nil && PageMusic(Self.bytes(version: 2)) == nil)
        for whites in [[(0, 20_000)], [(500, 400)], [(0, 500), (400, 600)], [(0, 500), (10_001, 10_002)]] {
            #expect(PageMusic(Self.bytes(whites: whites)) == nil, "\(whites)")
        }
        #expect(PageMusic(Self.bytes(systems: [System(cutAbove: 5, cutBelow: 60_000)])) == nil)
        for seed in 0..<2000 as Range<UInt64> {
            var numbers = SeededGenerator(seed: seed)
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                bytes[Int.random(in: 2..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            let music = PageMusic(bytes) ?? PageMusic(bands: [])
            #expect(music.bands.allSatisfy { $0.from <= $0.to && $0.to <= 10_000 } && abs(music.slant) <= 400, "seed \(seed)")
        }
    }
}
