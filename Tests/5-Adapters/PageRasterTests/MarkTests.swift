import Foundation
import Model
import PageRaster
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MarkTests {
    private static func mark(
        _ kind: Mark.Kind, _ points: [(Double, Double)], color: String = "#ff0000", width: Double = 0.02
    ) -> Mark {
        Mark(
            id: "m", page: PageIndex(0), kind: kind, color: Color(color) ?? .black, width: width,
            points: points.map { Mark.Point(x: $0.0, y: $0.1) })
    }

    /// Paints on a page of 200 by 400 pixels.
    private static func page(_ marks: [Mark], on color: UInt32 = 0xffffff) throws -> Raster {
        let raster = try Drawing.blank(200, 400, color)
        #expect(try raster.paint(marks).isEmpty)
        return raster
    }

    /// The bounds of all pixels that are not `color`; `nil` if there are none.
    private static func changed(_ raster: Raster, from color: UInt32 = 0xffffff) -> (x: ClosedRange<Int>, y: ClosedRange<Int>)? {
        var (xs, ys): (Set<Int>, Set<Int>) = ([], [])
        for y in 0..<raster.height {
            for x in 0..<raster.width where raster[x, y] != color {
                xs.insert(x)
                ys.insert(y)
            }
        }
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return nil }
        return (left...right, top...bottom)
    }

    @Test(arguments: [Mark.Kind.pen, .highlighter, .line])
    func strokesReachFromPointToPoint(kind: Mark.Kind) throws {
        let raster = try Self.page([Self.mark(kind, [(0.25, 0.5), (0.75, 0.5)])])
        // The line is 4 pixels wide and has round ends, which add 2 pixels on each side.
        let area = try #require(Self.changed(raster))
        #expect(area.x == 48...151 && area.y == 198...201)
        #expect(raster[100, 200] == 0xff0000)
    }

    @Test func eachCapHasItsOwnEnd() throws {
        var mark = Self.mark(.line, [(0.25, 0.5), (0.75, 0.5)])
        mark.cap = .butt
        #expect(Self.changed(try Self.page([mark]))?.x == 50...149)
        mark.cap = .square
        let raster = try Self.page([mark])
        #expect(Self.changed(raster)?.x == 48...151)
        #expect(raster[48, 198] == 0xff0000)
    }

    @Test func onePointOrEqualOnesAreADot() throws {
        let one = try Self.page([Self.mark(.pen, [(0.5, 0.5)], width: 0.1)])
        let two = try Self.page([Self.mark(.pen, [(0.5, 0.5), (0.5, 0.5)], width: 0.1)])
        for raster in [one, two] {
            let area = try #require(Self.changed(raster))
            #expect(area.x == 90...109 && area.y == 190...209)
            #expect(raster[100, 200] == 0xff0000 && raster[91, 191] == 0xffffff)
        }
    }

    @Test func penFollowsItsPressureAndPaintsNowhereTwice() throws {
        var mark = Self.mark(.pen, [(0.25, 0.25), (0.75, 0.25), (0.75, 0.5)], color: "#00000080")
        for (index, width) in [0.02, 0.2, 0.02].enumerated() { mark.points[index].width = width }
        let raster = try Self.page([mark])
        let area = try #require(Self.changed(raster))
        // Each piece has the width of the point at which it begins.
        #expect(area.x == 48...169 && area.y == 80...219)
        #expect(raster[100, 97] == 0xffffff && raster[132, 200] != 0xffffff && raster[168, 200] != 0xffffff)
        // Every place inside is half-black, even where pieces of the line overlap.
        #expect(raster[150, 100] == raster[60, 100] && raster[150, 100] == raster[150, 180])
        #expect(raster[150, 100] == 0x7f7f7f)
    }

    @Test(arguments: [8, 7, 3]) func dashesGoOnFromPieceToPieceWhateverTheirWidths(pixels: Int) throws {
        func row(_ widths: [Double]) throws -> [Bool] {
            var mark = Self.mark(.pen, stride(from: 20, through: 180, by: pixels).map { (Double($0) / 200, 0.5) })
            for index in mark.points.indices { mark.points[index].width = widths[index % widths.count] }
            (mark.dash, mark.cap) = ([0.05, 0.05], .butt)
            let raster = try Self.page([mark])
            return (0..<raster.width).map { raster[$0, 200] == 0xff0000 }
        }
        let even = try row([0.02])
        #expect(even[20..<30].allSatisfy { $0 } && !even[30..<40].contains(true))
        #expect(try row([0.02, 0.04]) == even)
        #expect(try row([0.05, 0.02, 0.03]) == even)
    }

    /// A line that crosses itself everywhere would take minutes if painted as a whole: its time must grow only with its points.
    @Test(arguments: [Mark.Kind.pen, .highlighter])
    func costOfALineGrowsWithItsPointsOnly(kind: Mark.Kind) throws {
        func time(_ count: Int) throws -> Duration {
            var numbers = SeededGenerator(seed: 1)
            let points = (0..<count).map { _ in (Double.random(in: 0...1, using: &numbers), Double.random(in: 0...1, using: &numbers)) }
            let mark = Self.mark(kind, points, color: "#ff000080", width: 0.002)
            let raster = try Drawing.blank(800, 1100)
            // Counts only this thread's time, because other tests run at the same time.
            func spent() -> Duration {
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
            }
            let before = spent()
            #expect(try raster.paint([mark]).isEmpty)
            return spent() - before
        }
        let (few, many) = (try time(4000), try time(16_000))
        // About four times as much; sixteen times if time grew with the crossings. The caches of a busy machine add a little.
        #expect(many < few * 8)
    }

    /// A line of many points looks like a line of few. A long one is painted in pieces, and where two pieces meet, their soft
    /// edges add up: by a quarter of a pixel at most.
    @Test(arguments: [Mark.Kind.pen, .highlighter], [(height: 0.02, most: 16), (height: 0.2, most: 66)])
    func lineOfManyPointsLooksAsOneOfFew(kind: Mark.Kind, wave: (height: Double, most: Int)) throws {
        func page(_ count: Int, _ color: String, _ cap: Mark.Cap) throws -> Raster {
            let points = (0..<count).map { number in
                let along = Double(number) / Double(count - 1)
                return (0.2 + 0.6 * along, 0.5 + wave.height * sin(20 * along))
            }
            var mark = Self.mark(kind, points, color: color, width: 0.03)
            mark.cap = cap
            return try Self.page([mark])
        }
        for (color, cap) in [("#ff0000", Mark.Cap.round), ("#ff000080", .round), ("#ff000080", .butt), ("#ff0000", .square)] {
            let (few, many) = (try page(1999, color, cap), try page(6001, color, cap))
            var apart = 0
            for y in 0..<few.height {
                for x in 0..<few.width where few[x, y] != many[x, y] {
                    func shade(_ color: UInt32, _ shift: UInt32) -> Int { Int((color >> shift) & 255) }
                    for shift in [0, 8, 16] as [UInt32] { apart = max(apart, abs(shade(few[x, y], shift) - shade(many[x, y], shift))) }
                }
            }
            #expect(apart <= wave.most)
        }
    }

    @Test func highlighterKeepsBlackBlack() throws {
        let stroke = Self.mark(.highlighter, [(0.25, 0.5), (0.75, 0.5)], color: "#ffff00", width: 0.1)
        let onBlack = try Self.page([stroke], on: 0x000000)
        #expect(Self.changed(onBlack, from: 0x000000) == nil)
        #expect(try Self.page([stroke])[100, 200] == 0xffff00)
        let onGray = try Self.page([stroke], on: 0x808080)
        #expect(onGray[100, 200] == 0x808000)
    }

    @Test func eraserPaintsPaperWhateverItsColour() throws {
        let raster = try Self.page([Self.mark(.eraser, [(0.25, 0.5), (0.75, 0.5)], color: "#00ff0010")], on: 0x000000)
        #expect(raster[100, 200] == 0xffffff)
        #expect(Self.changed(raster, from: 0)?.x == 48...151)
    }

    @Test func shapesAreOutlinesUnlessFilled() throws {
        for kind in [Mark.Kind.rectangle, .ellipse] {
            // The corners may come in any order.
            var mark = Self.mark(kind, [(0.75, 0.25), (0.25, 0.75)])
            let outline = try Self.page([mark])
            let area = try #require(Self.changed(outline))
            #expect(area.x == 48...151 && area.y == 98...301)
            #expect(outline[100, 200] == 0xffffff && outline[50, 200] == 0xff0000)
            mark.fill = 0.5
            let filled = try Self.page([mark])
            #expect(filled[100, 200] == 0xff7f7f || filled[100, 200] == 0xff8080)
            #expect(filled[40, 200] == 0xffffff)
            mark.width = 0
            #expect(Self.changed(try Self.page([mark]))?.x == 50...149)
        }
        #expect(try Self.page([Self.mark(.ellipse, [(0.25, 0.25), (0.75, 0.75)])])[51, 101] == 0xffffff)
    }

    @Test func dashesLeaveGaps() throws {
        var mark = Self.mark(.line, [(0.1, 0.5), (0.9, 0.5)])
        mark.cap = .butt
        mark.dash = [0.1, 0.1]
        let raster = try Self.page([mark])
        #expect(raster[30, 200] == 0xff0000 && raster[50, 200] == 0xffffff && raster[70, 200] == 0xff0000)
    }

    @Test func textStandsBelowAndRightOfItsAnchor() throws {
        var mark = Mark(
            id: "t", page: PageIndex(0), kind: .text, points: [Mark.Point(x: 0.25, y: 0.25)], text: "Hm", setting: .init(size: 0.1))
        let one = try #require(Self.changed(try Self.page([mark])))
        #expect(one.x.lowerBound >= 50 && one.x.upperBound > 70 && one.x.upperBound < 110)
        #expect(one.y.lowerBound >= 100 && one.y.upperBound < 130)
        mark.text = "Hm\nHm"
        let two = try #require(Self.changed(try Self.page([mark])))
        #expect(two.x == one.x)
        #expect(two.y.upperBound >= one.y.upperBound + 18)
    }

    @Test func blackTextLeavesAGrayPageGray() throws {
        let mark = Mark(
            id: "t", page: PageIndex(0), kind: .text, points: [Mark.Point(x: 0, y: 0)], text: "rit. 𝄐", setting: .init(size: 0.2))
        let raster = try Self.page([mark])
        #expect(PNGImage(try PNGEncoder().encode(raster, key: Drawing.key))?.channels == 1)
    }

    @Test func picturesFillTheirBox() throws {
        let picture = try PNGEncoder().encode(Drawing.blank(10, 10, 0x00ff00), key: Drawing.key)
        var mark = Self.mark(.image, [(0.25, 0.25), (0.75, 0.5)])
        mark.image = Data(picture).base64EncodedString()
        let raster = try Self.page([mark])
        let area = try #require(Self.changed(raster))
        // The edge fades from half a pixel of the picture inside to half a pixel outside; such a pixel is ten by ten here.
        #expect(area.x == 45...154 && area.y == 95...204)
        #expect(raster[55, 105] == 0x00ff00 && raster[144, 194] == 0x00ff00)
        #expect(raster[52, 150] != 0x00ff00 && raster[147, 150] != 0xffffff)
    }

    @Test func aBoxThatGoesToTheLeftOrUpMirrorsItsPicture() throws {
        let halves = try Drawing.blank(40, 40, 0x00ff00)
        for y in 0..<40 { for x in 0..<40 where x < 20 && y < 20 { halves[x, y] = 0x0000ff } }
        let picture = Data(try PNGEncoder().encode(halves, key: Drawing.key)).base64EncodedString()
        // For each direction in which the box can be drawn, a pixel in the quarter of the box that must be blue.
        let corners: [(from: (Double, Double), to: (Double, Double), x: Int, y: Int)] = [
            ((0.25, 0.25), (0.75, 0.75), 70, 150), ((0.75, 0.25), (0.25, 0.75), 130, 150), ((0.25, 0.75), (0.75, 0.25), 70, 250),
            ((0.75, 0.75), (0.25, 0.25), 130, 250),
        ]
        for (from, to, x, y) in corners {
            var mark = Self.mark(.image, [from, to])
            mark.image = picture
            let raster = try Self.page([mark])
            #expect(raster[x, y] == 0x0000ff && raster[200 - x, 400 - y] == 0x00ff00 && raster[x, 400 - y] == 0x00ff00)
        }
    }

    @Test func aPDFIsAPictureOfItsFirstPage() throws {
        var pdf = TestPDF()
        pdf.addPage(width: 40, height: 20, "1 0 0 rg 0 0 20 20 re f 0 0 1 rg 30 0 300 20 re f")
        pdf.addPage(width: 40, height: 20, "0 g 0 0 40 20 re f")
        var mark = Self.mark(.image, [(0.25, 0.25), (0.75, 0.375)])
        mark.image = Data(pdf.bytes).base64EncodedString()
        let raster = try Self.page([mark])
        // The picture stays within its box, and the page shows wherever the picture paints nothing.
        let area = try #require(Self.changed(raster))
        #expect(area.x == 50...149 && area.y == 100...149)
        #expect(raster[60, 120] == 0xff0000 && raster[110, 120] == 0xffffff && raster[140, 120] == 0x0000ff)
        #expect(PageMarks(drawing: [mark])?.digest.showsText == true)
    }

    @Test func aFilledHighlighterIsOneArea() throws {
        var mark = Self.mark(.highlighter, [(0.25, 0.25), (0.75, 0.25), (0.75, 0.5), (0.25, 0.5)], color: "#ffff00", width: 0.1)
        mark.fill = 0.4
        let raster = try Self.page([mark])
        #expect(raster[100, 150] == 0xffff99)
        // Check pixels inside the area, on its border, and where both overlap.
        for (x, y) in [(100, 92), (100, 108), (155, 150), (145, 150)] { #expect(raster[x, y] == 0xffff99, "\(x), \(y)") }
        #expect(Self.changed(try Self.page([mark], on: 0x000000), from: 0x000000) == nil)
    }

    @Test func dashesKeepThePressure() throws {
        var mark = Self.mark(.pen, [(0.1, 0.25), (0.5, 0.25), (0.9, 0.25)], width: 0.5)
        mark.cap = .butt
        mark.dash = [0.1, 0.1]
        mark.points[0].width = 0.02
        mark.points[1].width = 0.2
        let raster = try Self.page([mark])
        #expect(raster[30, 100] == 0xff0000 && raster[30, 95] == 0xffffff && raster[50, 100] == 0xffffff)
        #expect(raster[110, 100] == 0xff0000 && raster[110, 85] == 0xff0000 && raster[130, 100] == 0xffffff)
        #expect(Self.changed(raster)?.y == 80...119)
    }

    /// The rows at which lines of text begin.
    private static func lines(_ mark: Mark) throws -> [Int] {
        let raster = try page([mark])
        let hasInk = (0..<raster.height).map { y in (0..<raster.width).contains { raster[$0, y] != 0xffffff } }
        return hasInk.indices.filter { $0 > 0 && hasInk[$0] && !hasInk[$0 - 1] }
    }

    @Test func linesOfTextFollowEachOtherInWholePoints() throws {
        var mark = Mark(
            id: "t", page: PageIndex(0), kind: .text, points: [Mark.Point(x: 0, y: 0)], text: "H\nH\nH\nH",
            setting: .init(size: 0.12, font: "DejaVu Sans"))
        // A point is 2 pixels, and the text has 12 points. The font's own line distance of about 14 points is rounded up to 14 or 15.
        mark.setting.point = 0.01
        let lines = try Self.lines(mark)
        #expect(lines.count == 4)
        #expect(
            zip(lines, lines.dropFirst()).map { $1 - $0 } == [28, 28, 28] || zip(lines, lines.dropFirst()).map { $1 - $0 } == [30, 30, 30])
        // Now a point is 6 pixels and the text has fewer points, so rounding changes the distance much more.
        mark.setting.point = 0.03
        mark.setting.size = 0.12
        let coarse = try Self.lines(mark)
        #expect(zip(coarse, coarse.dropFirst()).allSatisfy { ($1 - $0) % 6 == 0 })
    }

    @Test func textIsBrokenAndAlignedAsSet() throws {
        var mark = Mark(
            id: "t", page: PageIndex(0), kind: .text, points: [Mark.Point(x: 0.1, y: 0)], text: "HH HH HH",
            setting: .init(size: 0.1, font: "DejaVu Sans"))
        mark.setting.point = 0.005
        #expect(try Self.lines(mark).count == 1)
        mark.setting.wrap = 0.2
        #expect(try Self.lines(mark).count == 3)
        mark.setting.wrap = 0.8
        let left = try #require(Self.changed(try Self.page([mark])))
        mark.setting.alignment = .right
        let right = try #require(Self.changed(try Self.page([mark])))
        #expect(left.x.lowerBound < 30 && right.x.upperBound > 170 && right.x.count == left.x.count)
    }

    @Test func justifiedTextFillsItsLines() throws {
        var mark = Mark(
            id: "t", page: PageIndex(0), kind: .text, points: [Mark.Point(x: 0.1, y: 0)], text: "HH HH HH",
            setting: .init(size: 0.1, font: "DejaVu Sans"))
        (mark.setting.point, mark.setting.wrap) = (0.005, 0.5)
        let ragged = try #require(Self.changed(try Self.page([mark])))
        mark.setting.isJustified = true
        let full = try #require(Self.changed(try Self.page([mark])))
        #expect(ragged.x.upperBound < 105 && (112...121).contains(full.x.upperBound), "\(ragged.x), \(full.x)")
        #expect(full.y == ragged.y)
    }

    @Test func highlightersKeepTheirWidthWhateverThePressure() throws {
        var mark = Self.mark(.highlighter, [(0.25, 0.25), (0.75, 0.25), (0.75, 0.5)], width: 0.1)
        let even = try Self.page([mark])
        for (index, width) in [0.02, 0.3, 0.02].enumerated() { mark.points[index].width = width }
        let pressed = try Self.page([mark])
        #expect((0..<even.height).allSatisfy { y in (0..<even.width).allSatisfy { even[$0, y] == pressed[$0, y] } })
    }

    @Test func unreadablePictureIsAWarningAndHarmsNoOther() throws {
        let huge: [UInt8] = [
            0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0x7f, 0, 0, 0, 0x7f, 0, 8,
        ]
        for text in ["", "not base64 !", "aGVsbG8gd29ybGQsIHRoaXMgaXMgbm8gcGljdHVyZQ==", Data(huge).base64EncodedString()] {
            var broken = Self.mark(.image, [(0.1, 0.1), (0.2, 0.2)])
            broken.image = text
            let raster = try Drawing.blank(200, 400)
            let warnings = try raster.paint([broken, Self.mark(.pen, [(0.5, 0.5)])])
            #expect(warnings.count == 1)
            #expect(raster[100, 200] == 0xff0000)
        }
    }

    /// The arrow is 2.8 pixels long at either side of its place, and its head points to the right.
    @Test func aJumpIsAnArrowWithTheNumberOfItsPass() throws {
        var jump = Self.mark(.jump, [(0.5, 0.5)], width: 0.005)
        #expect(Self.changed(try Self.page([jump])) == nil, "it leads nowhere")
        jump.leads = "l"
        let plain = try #require(Self.changed(try Self.page([jump])))
        #expect((95...97).contains(plain.x.lowerBound) && (102...104).contains(plain.x.upperBound))
        #expect((197...199).contains(plain.y.lowerBound) && (200...202).contains(plain.y.upperBound))
        var looks: Set<[UInt32]> = []
        for pass in Mark.passes {
            jump.pass = pass
            let raster = try Self.page([jump])
            let area = try #require(Self.changed(raster))
            #expect(area.x == plain.x && area.y.upperBound == plain.y.upperBound)
            #expect((191...195).contains(area.y.lowerBound), "the number stands above the arrow")
            looks.insert((185..<197).flatMap { y in (90..<110).map { raster[$0, y] } })
        }
        #expect(looks.count == Mark.passes.count, "each number looks different")
    }

    @Test func aLandingArrivesAtALineAndABookmarkIsNotDrawn() throws {
        let area = try #require(Self.changed(try Self.page([Self.mark(.landing, [(0.5, 0.5)], width: 0.005)])))
        #expect((196...198).contains(area.y.lowerBound) && (201...203).contains(area.y.upperBound))
        var bookmark = Self.mark(.bookmark, [(0.5, 0.5)])
        bookmark.text = "Verse 2"
        #expect(Self.changed(try Self.page([bookmark])) == nil)
    }

    @Test func translucentArrowsArePaintedOnce() throws {
        let raster = try Self.page([Self.mark(.landing, [(0.5, 0.5)], color: "#ff000080", width: 0.02)])
        let inks = Set((0..<400).flatMap { y in (0..<200).map { raster[$0, y] & 0xff } })
        #expect(inks.min() == 0x7f, "no pixel has two layers of ink")
    }

    @Test func marksAreDrawnInTheOrderGiven() throws {
        let red = Self.mark(.pen, [(0.25, 0.5), (0.75, 0.5)])
        let blue = Self.mark(.pen, [(0.5, 0.25), (0.5, 0.75)], color: "#0000ff")
        #expect(try Self.page([red, blue])[100, 200] == 0x0000ff)
        #expect(try Self.page([blue, red])[100, 200] == 0xff0000)
    }

    @Test func wildNumbersDoNotStopThePage() throws {
        var numbers = SeededGenerator(seed: 5)
        let wild = [0, 1, -1, 1e-300, -1e300, 1e300, 0.5, .infinity, .nan, .greatestFiniteMagnitude]
        let kinds: [Mark.Kind] = [.pen, .highlighter, .eraser, .line, .rectangle, .ellipse, .text, .image, .jump, .unknown("stamp")]
        func number() -> Double { wild.randomElement(using: &numbers) ?? 0 }
        for _ in 0..<400 {
            var mark = Mark(id: "w", page: PageIndex(0), kind: kinds.randomElement(using: &numbers) ?? .pen)
            mark.points = (0..<Int.random(in: 0...4, using: &numbers)).map { _ in
                Mark.Point(x: number(), y: number(), width: Bool.random(using: &numbers) ? number() : nil)
            }
            mark.width = number()
            mark.fill = Bool.random(using: &numbers) ? number() : nil
            mark.dash = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in number() }
            (mark.text, mark.leads, mark.pass) = ("x", "l", 8)
            mark.setting.size = number()
            let after = Self.mark(.pen, [(0.5, 0.5)], color: "#00ff00", width: 0.1)
            // The mark that follows is still drawn.
            #expect(try Self.page([mark, after])[100, 200] == 0x00ff00, "\(mark)")
        }
    }
}
