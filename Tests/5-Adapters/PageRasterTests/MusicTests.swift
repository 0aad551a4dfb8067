import CMusic
import DemoScores
import Model
import PagePNG
import PageRaster
import TestSupport
import Testing

/// Which music is found on a page.
@Suite(.timeLimit(.minutes(5)))
struct MusicTests {
    /// How many staves each system of a page has, as engraved.
    private static let engraved: [(chart: String, pages: [[Int]])] = [
        ("amazing-grace-bflat", [[1, 1, 1, 1]]),
        ("amazing-grace-lead-g", [[1, 1, 1, 1]]),
        ("amazing-grace-violin", [[1, 1, 1, 1, 1, 1]]),
        ("chorale-tunes-rotated", [[2, 2, 2, 2], [2, 2, 2, 2, 2]]),
        ("holy-holy-holy-hymn", [[2, 2, 2, 2]]),
        ("holy-holy-holy-trumpet", [[1, 1, 1, 1, 1]]),
        ("holy-holy-holy-violin", [[1, 1, 1, 1, 1, 1, 1]]),
        ("old-songbook-scan", [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]),
        ("piano-album", [6, 7, 7, 6, 6, 4, 4].map { Array(repeating: 2, count: $0) }),
        ("riverside-lead", [[1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1]]),
        ("saints-chord-chart", [[], []]),
        ("session-tunes-mixed", [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1], [1, 1, 1, 1]]),
        ("silent-night-landscape", [[1, 1, 1]]),
        ("simple-gifts-scan-g4", [[1, 1, 1, 1]]),
        ("swing-low-plain", [[]]),
    ]

    private static func chart(_ name: String) throws -> ChartDocument {
        let score = try #require(
            (0..<demo_scores_count).map { woodshed_demo_scores()[$0] }
                .first { String(cString: $0.kind) == "chart" && String(cString: $0.name) == name })
        return try Drawing.document(Array(UnsafeBufferPointer(start: score.bytes, count: score.length)))
    }

    private static func found(_ raster: Raster) throws -> FoundMusic { try #require(FoundMusic(raster.music())) }

    @Test(arguments: [1200, 1600, 2400]) func systemsAreFoundAsTheyWereEngraved(longSide: Int) throws {
        let raster = Raster()
        for (name, pages) in Self.engraved {
            let chart = try Self.chart(name)
            #expect(chart.pageCount == pages.count, "\(name)")
            for (page, staves) in pages.enumerated() {
                _ = try chart.draw(page: page, longSide: longSide, into: raster)
                let music = try Self.found(raster)
                #expect(music.systems.map(\.staves) == staves, "\(name), page \(page + 1)")
                for (upper, lower) in zip(music.systems, music.systems.dropFirst()) where upper.isSure && lower.isSure {
                    let isBetween = upper.cutBelow.lowerBound >= upper.bottom - 0.02 && upper.cutBelow.upperBound <= lower.top + 0.02
                    #expect(isBetween, "\(name), page \(page + 1)")
                }
            }
        }
    }

    /// On the first page of a full score, a name beside the uppermost staff seems to be a piece of it.
    @Test(arguments: [1200, 1600, 2400]) func aNameBesideAStaffPartsNoSystem(longSide: Int) throws {
        let raster = Raster()
        _ = try Self.chart("holy-holy-holy-full-score").draw(page: 0, longSide: longSide, into: raster)
        #expect(try Self.found(raster).systems.map(\.staves) == [15])
    }

    /// A page with staves of one line of chords above and three of words below, drawn dot by dot.
    private static func page(slope: Double = 0, words: Int = 3) throws -> (raster: Raster, systems: [ClosedRange<Double>]) {
        let raster = Raster()
        let (width, height, space) = (1200, 1600, 10)
        try raster.prepare(width: width, height: height)
        func fill(_ xs: Range<Int>, _ ys: Range<Int>, _ color: UInt32) {
            for x in xs {
                let shift = Int((slope * Double(x - width / 2)).rounded())
                for y in ys where (0..<height).contains(y + shift) { raster[x, y + shift] = color }
            }
        }
        for y in 0..<height { for x in 0..<width { raster[x, y] = 0xff_ffff } }
        var systems: [ClosedRange<Double>] = []
        for top in stride(from: 200, to: 1300, by: 260) {
            for line in 0..<5 { fill(100..<1100, top + line * space..<top + line * space + 2, 0) }
            for x in stride(from: 100, through: 1098, by: 249) { fill(x..<x + 3, top..<top + 4 * space + 2, 0) }
            // Chord names, and words letter by letter.
            for x in stride(from: 160, to: 1000, by: 249) { fill(x..<x + 14, top - 30..<top - 12, 0) }
            for line in 0..<words {
                for x in stride(from: 120, to: 1080, by: 24) { fill(x..<x + 12, top + 60 + line * 24..<top + 74 + line * 24, 0) }
            }
            systems.append(Double(top - 30) / Double(height)...Double(top + 74 + (words - 1) * 24) / Double(height))
        }
        return (raster, systems)
    }

    @Test(arguments: [0, 1, 3, 4]) func chordsAndAllLinesOfWordsBelongToASystem(words: Int) throws {
        let (raster, systems) = try Self.page(words: words)
        let music = try Self.found(raster)
        #expect(music.isSure && music.systems.count == systems.count, "\(music)")
        for (system, truth) in zip(music.systems, systems) {
            let bottom = words == 0 ? truth.lowerBound + 72 / 1600 : truth.upperBound
            #expect(abs(system.top - truth.lowerBound) < 0.003 && abs(system.bottom - bottom) < 0.003, "\(system), \(truth)")
            #expect(system.bars == 4)
        }
    }

    /// On a page that was scanned askew, the staves and the angle are found.
    @Test(arguments: [-0.02, -0.005, 0.01, 0.03]) func staffLinesMayBeSlanted(slope: Double) throws {
        let (raster, systems) = try Self.page(slope: slope)
        let music = try Self.found(raster)
        #expect(music.systems.count == systems.count && music.systems.allSatisfy { $0.staves == 1 && $0.bars == 4 }, "\(music)")
        #expect(abs(music.slant - slope * 57.3) < 0.15, "\(music.slant)")
    }

    /// A page that is to be turned has the same white and the same cuts as one that lay straight. A very small slant is left alone.
    @Test(arguments: [-0.02, -0.006, 0, 0.004, 0.01, 0.03]) func aSlantedPageIsCutWhereItIsLevelOnceItIsTurned(slope: Double) throws {
        let straight = try Self.found(try Self.page().raster)
        let raster = try Self.page(slope: slope).raster
        let music = try Self.found(raster)
        #expect(music.isTurned == (abs(slope) > 0.005))
        #expect(PageMusic(raster.music())?.slant == (music.isTurned ? Int((music.slant * 100).rounded()) : 0))
        guard music.isTurned else { return }
        try #require(music.whites.count == straight.whites.count && music.systems.count == straight.systems.count)
        func isNear(_ one: ClosedRange<Double>, _ other: ClosedRange<Double>) -> Bool {
            abs(one.lowerBound - other.lowerBound) < 0.003 && abs(one.upperBound - other.upperBound) < 0.003
        }
        #expect(zip(music.whites, straight.whites).allSatisfy(isNear), "\(music.whites) \(straight.whites)")
        #expect(zip(music.systems, straight.systems).allSatisfy { isNear($0.cutAbove, $1.cutAbove) && isNear($0.cutBelow, $1.cutBelow) })
    }

    /// A page of five staves. Below each but the last, two strokes rise to the right, beginning `inset` from the staff's left end: a divider, or
    /// beams. Above them stands a clef's 8, below them the number of a bar; they touch the strokes if `reach` is more than 5.
    private static func divided(inset: Int, reach: Int) throws -> Raster {
        let raster = Raster()
        try raster.prepare(width: 1200, height: 1600)
        func fill(_ xs: Range<Int>, _ ys: Range<Int>, _ color: UInt32 = 0) { for y in ys { for x in xs { raster[x, y] = color } } }
        fill(0..<1200, 0..<1600, 0xff_ffff)
        for top in stride(from: 200, through: 680, by: 120) {
            for line in 0..<5 { fill(100..<1100, top + line * 10..<top + line * 10 + 2) }
            for x in stride(from: 100, through: 1098, by: 249) { fill(x..<x + 3, top..<top + 42) }
            guard top < 680 else { break }
            fill(100 + inset + 27..<100 + inset + 36, top + 36..<top + 55 + reach)
            for x in 0..<30 {
                for stroke in [0, 10] { fill(100 + inset + x..<101 + inset + x, top + 74 + stroke - x / 2..<top + 82 + stroke - x / 2) }
            }
            fill(100 + inset + 10..<100 + inset + 20, top + 92 - reach..<top + 106)
        }
        return raster
    }

    /// Two heavy strokes at the left divide two systems. The page may be cut there, even if the strokes touch music.
    @Test(arguments: [0, 3, 8]) func aDividerBelongsToNoSystem(reach: Int) throws {
        let music = try Self.found(try Self.divided(inset: -15, reach: reach))
        #expect(music.isSure && music.systems.map(\.staves) == [1, 1, 1, 1, 1], "\(music)")
        for (place, (upper, lower)) in zip(music.systems, music.systems.dropFirst()).enumerated() {
            let top = Double(200 + 120 * place)
            let bottom = (top + 55 + Double(reach)) / 1600, number = (top + 92 - Double(reach)) / 1600
            #expect(abs(upper.bottom - bottom) < 0.004 && abs(lower.top - number) < 0.004, "\(upper) \(lower)")
            #expect(upper.cutBelow == lower.cutAbove && upper.cutBelow.lowerBound > bottom && upper.cutBelow.upperBound < number)
            #expect(music.whites.contains { $0.contains(upper.cutBelow.lowerBound) }, "\(music.whites)")
        }
    }

    @Test func beamsBelongToTheirSystem() throws {
        let music = try Self.found(try Self.divided(inset: 60, reach: 8))
        #expect(music.systems.count == 5)
        for (place, system) in music.systems.dropLast().enumerated() { #expect(system.bottom > Double(200 + 120 * place + 90) / 1600) }
    }

    /// Charts that lie askew in their scans, and one that was engraved.
    @Test func scansAreTurnedAndEngravedPagesAreNot() throws {
        let raster = Raster()
        let charts: [(name: String, slants: [Double])] = [
            ("old-songbook-scan", [0.7, -0.52]), ("simple-gifts-scan-g4", [0.4]), ("holy-holy-holy-hymn", [0]),
        ]
        for (name, slants) in charts {
            let chart = try Self.chart(name)
            for (page, slant) in slants.enumerated() {
                _ = try chart.draw(page: page, longSide: 1600, into: raster)
                let music = try #require(PageMusic(raster.music()))
                #expect(abs(Double(music.slant) / 100 - slant) < 0.08, "\(name), page \(page + 1): \(music.slant)")
            }
        }
    }

    /// The finder examines only so many lines across the staves. A part of the bars must not be reported as all bars.
    @Test func aSystemWithTooManyBarsHasNoneAndIsDoubtful() throws {
        let raster = Raster()
        try raster.prepare(width: 1200, height: 1600)
        func fill(_ xs: Range<Int>, _ ys: Range<Int>, _ color: UInt32 = 0) { for y in ys { for x in xs { raster[x, y] = color } } }
        func staff(_ top: Int, barsApart: Int) {
            for line in 0..<5 { fill(100..<1100, top + line * 10..<top + line * 10 + 2) }
            for x in stride(from: 100, to: 1100, by: barsApart) { fill(x..<x + 3, top..<top + 42) }
        }
        fill(0..<1200, 0..<1600, 0xff_ffff)
        for top in stride(from: 200, through: 800, by: 120) { staff(top, barsApart: 14) }
        fill(100..<103, 200..<842)
        staff(1100, barsApart: 249)
        let music = try Self.found(raster)
        #expect(music.systems.map(\.staves) == [6, 1] && music.systems.map(\.bars) == [0, 4], "\(music)")
        #expect(!music.isSure && music.systems.map(\.isSure) == [false, true], "\(music)")
    }

    /// The bytes of every picture have the known form and stay below their limit.
    @Test(arguments: ["black", "white", "lines", "bars", "grid", "noise", "gray"]) func noPictureIsTooMuch(kind: String) throws {
        var numbers = SeededGenerator(seed: 7)
        for (width, height) in [(1, 1), (64, 64), (1200, 1700), (8000, 70), (70, 8000)] {
            let raster = Raster()
            try raster.prepare(width: width, height: height)
            for y in 0..<height {
                for x in 0..<width {
                    let isInked =
                        switch kind {
                        case "black": true
                        case "lines": y % 3 == 0
                        case "bars": x % 4 == 0
                        case "grid": x % 5 == 0 || y % 5 == 0
                        case "noise": Bool.random(using: &numbers)
                        default: false
                        }
                    raster[x, y] = isInked ? 0 : kind == "gray" ? 0x80_8080 : 0xff_ffff
                }
            }
            let bytes = raster.music()
            #expect(bytes.count <= Int(WOODSHED_MOST_MUSIC_BYTES) && FoundMusic(bytes) != nil, "\(width) × \(height)")
        }
    }

    /// A page's plain and annotated images contain the music, and damage to any part of it is detected.
    @Test func imagesHaveTheirPagesMusic() throws {
        let raster = Raster()
        _ = try Self.chart("holy-holy-holy-hymn").draw(page: 0, longSide: 800, into: raster)
        let music = raster.music()
        let encoder = PNGEncoder()
        encoder.pack(raster)
        let plain = encoder.encode(key: Drawing.key, music: music)
        #expect(PNGImage(plain) != nil)
        let known = PageInk(head: Array(plain.prefix(PageInk.headLengthWithMusic)), tail: Array(plain.suffix(PageInk.tailLength)))?.music
        #expect(known == PageMusic(music) && known?.bands.filter { $0.kind == .system }.count == 4)
        let mark = Mark(id: "a", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.1), Mark.Point(x: 0.9, y: 0.2)])
        let marked = try plain.withUnsafeBytes { bytes in
            try PageComposer().compose(try #require(BandedPNG(bytes)), marks: [mark], key: Drawing.key, on: raster).png
        }
        for image in [plain, marked] {
            image.withUnsafeBytes { bytes in
                #expect(BandedPNG(bytes)?.music == music)
                #expect(BandedPNG(whole: bytes, unpackingInto: PackedRows()) != nil)
            }
        }
        for place in [34, 41, 60, 41 + music.count, 44 + music.count] {
            var damaged = plain
            damaged[place] ^= 1
            damaged.withUnsafeBytes { #expect(BandedPNG($0) == nil, "byte \(place)") }
        }
    }
}
