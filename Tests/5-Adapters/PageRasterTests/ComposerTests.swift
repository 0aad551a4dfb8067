import DemoScores
import Glibc
import Model
import PagePNG
import TestSupport
import Testing

@testable import PageRaster

/// Annotated images that are composed from plain ones equal images that are drawn from scratch.
@Suite(.timeLimit(.minutes(60)))
struct ComposerTests {
    /// How many sets of marks each page gets; `WOODSHED_TEST_IMAGES` sets another number.
    private static let count = Asked.number("IMAGES", everyday: 6)
    private static let pages = ["piano-album", "saints-chord-chart", "old-songbook-scan"]
    private static let paper = Color.white

    /// A drawn page, and its plain image.
    private static func page(_ name: String) throws -> (raster: Raster, plain: [UInt8]) {
        let score = try #require((0..<demo_scores_count).map { woodshed_demo_scores()[$0] }.first { String(cString: $0.name) == name })
        let document = try Drawing.document(Array(UnsafeBufferPointer(start: score.bytes, count: score.length)))
        let raster = Raster()
        _ = try document.draw(page: 0, longSide: 900, into: raster)
        return (raster, try PNGEncoder().encode(raster, key: Drawing.key))
    }

    private static func compose(
        _ plain: [UInt8], after previous: (png: [UInt8], marks: [Mark])? = nil, _ marks: [Mark], _ composer: PageComposer = PageComposer()
    ) throws -> [UInt8] {
        try plain.withUnsafeBytes { plain in
            try (previous?.png ?? []).withUnsafeBytes { former in
                let predecessor = try previous.map {
                    PageComposer.Predecessor(image: try #require(BandedPNG(former)), marks: $0.marks)
                }
                let image = try #require(BandedPNG(plain))
                return try composer.compose(image, previous: predecessor, marks: marks, key: Drawing.key, on: Raster()).png
            }
        }
    }

    /// A copy of the page, with all marks painted on it directly.
    private static func drawn(_ page: Raster, _ marks: [Mark]) throws -> Raster {
        let raster = Raster()
        try raster.copy(page)
        _ = try raster.paint(marks)
        return raster
    }

    private static func isShown(_ raster: Raster, in png: [UInt8]) -> Bool {
        guard let image = PNGImage(png), image.width == raster.width, image.height == raster.height else { return false }
        let rows = UnsafeBufferPointer(start: raster.row(0), count: raster.width * raster.height)
        let expected =
            image.channels == 1
            ? rows.map { UInt8(truncatingIfNeeded: $0) }
            : rows.flatMap { [UInt8(truncatingIfNeeded: $0 >> 16), UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        return expected == image.pixels
    }

    private static func bands(_ png: [UInt8]) -> [[UInt8]] {
        var bands: [[UInt8]] = []
        var place = 8
        while place + 12 <= png.count {
            let length = png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            if png[(place + 4)..<(place + 8)].elementsEqual("IDAT".utf8) { bands.append(Array(png[place..<place + 12 + length])) }
            place += 12 + length
        }
        return Array(bands.dropFirst().dropLast())
    }

    @Test(arguments: pages)
    func imagesShowWhatDrawingAllAtOnceShows(name: String) throws {
        let (page, plain) = try Self.page(name)
        let composer = PageComposer()
        #expect(PNGImage(plain)?.channels == (name == "saints-chord-chart" ? 3 : 1))
        for seed in 0..<Self.count {
            var numbers = SeededGenerator(seed: UInt64(seed))
            let isGray = Bool.random(using: &numbers)
            let marks = try RandomMarks(isGray: isGray).marks(0...8, using: &numbers)
            let png = try Self.compose(plain, marks, composer)
            #expect(Self.isShown(try Self.drawn(page, marks), in: png), "seed \(seed)")
            let isAllGray = PNGImage(plain)?.channels == 1 && marks.allSatisfy(\.isGrayInk)
            #expect(PNGImage(png)?.channels == (isAllGray ? 1 : 3), "seed \(seed)")
            #expect(!isGray || marks.allSatisfy(\.isGrayInk))
        }
    }

    @Test(arguments: pages)
    func predecessorsChangeNoByte(name: String) throws {
        let (page, plain) = try Self.page(name)
        let composer = PageComposer()
        for seed in 0..<Self.count {
            var numbers = SeededGenerator(seed: UInt64(1000 + seed))
            let random = try RandomMarks(isGray: Bool.random(using: &numbers))
            var marks = random.marks(0...8, using: &numbers)
            var png = try Self.compose(plain, marks, composer)
            // One change after another, as at a rehearsal.
            for step in 0..<4 {
                // Sometimes all ink turns gray, or some of it gets a colour.
                let other = try RandomMarks(isGray: Bool.random(using: &numbers))
                let changed = other.changed(marks, using: &numbers)
                let next = try Self.compose(plain, after: (png, marks), changed, composer)
                #expect(next == (try Self.compose(plain, changed)), "seed \(seed), step \(step)")
                if step == 3 { #expect(Self.isShown(try Self.drawn(page, changed), in: next), "seed \(seed)") }
                (png, marks) = (next, changed)
            }
        }
    }

    /// The composer paints a mark only in the mark's own rows: clipping to these rows must cut nothing off.
    @Test func marksStayWithinTheirRows() throws {
        for seed in 0..<Self.count * 8 {
            var numbers = SeededGenerator(seed: UInt64(2000 + seed))
            let mark = try RandomMarks(isGray: false).mark(using: &numbers)
            guard mark.isDrawn else { continue }
            let (cut, whole) = (try Drawing.blank(300, 424), try Drawing.blank(300, 424))
            _ = try cut.paint([mark])
            _ = try whole.paint([mark], rows: [0..<424], within: [0..<424], paper: Self.paper)
            let differing = (0..<424).filter { y in (0..<300).contains { cut[$0, y] != whole[$0, y] } }
            #expect(differing.isEmpty, "seed \(seed): \(mark.kind) in rows \(differing)")
        }
    }

    /// Marks in the margin enlarge the box of ink, and the box shrinks again when they are removed.
    @Test func inkOfMarksGrowsTheBox() throws {
        let (page, plain) = try Self.page("piano-album")
        func box(_ png: [UInt8]) -> InkBox? { Self.ink(png)?.all }
        let bare = try #require(box(plain))
        #expect(bare.left > 100 && bare.top > 100 && bare.right < 9900 && bare.bottom < 9900)
        let high = Mark(
            id: "a", page: PageIndex(0), kind: .pen, width: 0.002, points: [Mark.Point(x: 0.01, y: 0.01), Mark.Point(x: 0.5, y: 0.5)])
        let far = Mark(
            id: "b", page: PageIndex(0), kind: .pen, width: 0.002, points: [Mark.Point(x: 0.99, y: 0.5), Mark.Point(x: 0.99, y: 0.6)])
        var former: (png: [UInt8], marks: [Mark])?
        for marks in [[high], [high, far], [far], []] {
            let png = try Self.compose(plain, after: former, marks)
            #expect(try box(png) == box(PNGEncoder().encode(Self.drawn(page, marks), key: Drawing.key)), "\(marks.map(\.id))")
            former = (png, marks)
            let grown = try #require(box(png))
            #expect((grown.left < 110 && grown.top < 110) == marks.contains(high))
            #expect((grown.right > 9890) == marks.contains(far))
            #expect(grown.bottom == bare.bottom)
        }
        #expect(former.flatMap { box($0.png) } == bare)
    }

    private static func ink(_ png: [UInt8]) -> PageInk? {
        PageInk(head: Array(png.prefix(PageInk.headLength)), tail: Array(png.suffix(PageInk.tailLength)))
    }

    /// The ink of any marks lies in the box that the image states for them.
    @Test func marksStayWithinTheirBox() throws {
        let blank = try PNGEncoder().encode(Drawing.blank(300, 424), key: Drawing.key)
        #expect(Self.ink(blank) == PageInk(all: .none))
        for seed in 0..<Self.count * 8 {
            var numbers = SeededGenerator(seed: UInt64(3000 + seed))
            let marks = try RandomMarks(isGray: false).marks(1...2, using: &numbers).filter { $0.kind != .eraser }
            let ink = try #require(Self.ink(Self.compose(blank, marks)))
            guard ink.all != .none else { continue }
            let isInside =
                ink.marks.left <= ink.all.left && ink.marks.top <= ink.all.top && ink.marks.right >= ink.all.right
                && ink.marks.bottom >= ink.all.bottom
            #expect(isInside, "seed \(seed): \(marks.map(\.kind)), \(ink)")
        }
        let dot = Mark(id: "a", page: PageIndex(0), kind: .pen, width: 0.01, points: [Mark.Point(x: 0.5, y: 0.25)])
        let rubber = Mark(id: "b", page: PageIndex(0), kind: .eraser, width: 0.1, points: [Mark.Point(x: 0.1, y: 0.9)])
        let box = try #require(Self.ink(Self.compose(blank, [dot, rubber])))
        #expect(box.marks.left > 4700 && box.marks.right < 5300 && box.marks.top > 2300 && box.marks.bottom < 2700, "\(box)")
    }

    /// A former image makes no difference, even if the former image, the plain image or both do not state where their ink is.
    @Test func noUnknownInkIsStated() throws {
        let (_, plain) = try Self.page("piano-album")
        let silent = try Self.withoutInk(plain)
        let line = Mark(id: "a", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.1), Mark.Point(x: 0.9, y: 0.9)])
        let dot = Mark(id: "b", page: PageIndex(0), kind: .pen, width: 0.01, points: [Mark.Point(x: 0.5, y: 0.51)])
        let (before, silentBefore) = (try Self.compose(plain, [line]), try Self.compose(silent, [line]))
        #expect(PNGImage.chunk("wsIN", of: before) != nil && PNGImage.chunk("wsIN", of: silentBefore) == nil)
        for former in [before, silentBefore] {
            #expect(try Self.compose(plain, after: (former, [line]), [line, dot]) == Self.compose(plain, [line, dot]))
            #expect(try Self.compose(silent, after: (former, [line]), [line, dot]) == Self.compose(silent, [line, dot]))
        }
    }

    /// The image as an earlier version made it: it does not state where its ink is.
    private static func withoutInk(_ png: [UInt8]) throws -> [UInt8] {
        try png.withUnsafeBytes { bytes in
            let image = try #require(BandedPNG(bytes))
            let writer = PNGWriter()
            writer.begin(image.layout, statesInk: false)
            for band in 0..<image.layout.bandCount { writer.append(band, from: image) }
            return writer.finish(key: image.key)
        }
    }

    @Test func aSmallChangeLeavesTheOtherBandsAsTheyStand() throws {
        let (_, plain) = try Self.page("piano-album")
        let line = Mark(
            id: "a", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.1), Mark.Point(x: 0.9, y: 0.9)])
        let dot = Mark(id: "b", page: PageIndex(0), kind: .pen, width: 0.01, points: [Mark.Point(x: 0.5, y: 0.51)])
        let before = try Self.compose(plain, [line])
        let after = try Self.compose(plain, after: (before, [line]), [line, dot])
        let (old, new) = (Self.bands(before), Self.bands(after))
        // 900 rows in bands of 64; the dot is in row 459, in the eighth.
        #expect(old.count == 15 && new.count == 15)
        #expect(old.indices.filter { old[$0] != new[$0] } == [7])
        let bare = Self.bands(plain)
        #expect(Set(old.indices.filter { old[$0] != bare[$0] }).isSuperset(of: 2...11))
        #expect(old[0] == bare[0] && old[14] == bare[14])
        #expect(try Self.compose(plain, after: (after, [line, dot]), []) == plain)
    }

    /// When a byte of either file is damaged, composing fails or makes the same image.
    @Test func damageIsRefusedOrHarmless() throws {
        let (_, plain) = try Self.page("piano-album")
        var numbers = SeededGenerator(seed: 7)
        let random = try RandomMarks(isGray: true)
        let marks = random.marks(2...3, using: &numbers)
        let former = try Self.compose(plain, marks)
        let changed = marks + [random.mark(using: &numbers)]
        let expected = try Self.compose(plain, changed)
        var refusals = 0
        for round in 0..<Self.count * 6 {
            var (plain, former) = (plain, former)
            let isHead = round % 2 == 0
            let place = Int.random(in: 0..<(isHead ? 60 : plain.count), using: &numbers)
            let flip = UInt8.random(in: 1...255, using: &numbers)
            if Bool.random(using: &numbers) {
                plain[place] ^= flip
            } else {
                former[min(place, former.count - 1)] ^= flip
            }
            let result: [UInt8]? = try plain.withUnsafeBytes { plain in
                try former.withUnsafeBytes { former in
                    guard let plain = BandedPNG(plain) else { return nil }
                    let previous = BandedPNG(former).map { PageComposer.Predecessor(image: $0, marks: marks) }
                    do throws(RasterFailure) {
                        return try PageComposer().compose(plain, previous: previous, marks: changed, key: Drawing.key, on: Raster()).png
                    } catch {
                        guard error == .damaged else { throw error }
                        return nil
                    }
                }
            }
            if result == nil { refusals += 1 } else { #expect(result == expected, "round \(round), byte \(place)") }
        }
        #expect(refusals > 0)
    }

    /// Any byte of any band may be damaged, and every band is reused: composing must fail.
    @Test func noDamagedBandIsTakenOver() throws {
        let (_, plain) = try Self.page("saints-chord-chart")
        var numbers = SeededGenerator(seed: 8)
        for _ in 0..<Self.count * 3 {
            var damaged = plain
            damaged[Int.random(in: 70..<plain.count - 400, using: &numbers)] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            damaged.withUnsafeBytes { bytes in
                guard let image = BandedPNG(bytes) else { return }
                #expect(throws: RasterFailure.damaged) {
                    _ = try PageComposer().compose(image, marks: [], key: Drawing.key, on: Raster())
                }
            }
        }
    }
}
