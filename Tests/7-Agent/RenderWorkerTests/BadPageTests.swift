import Model
import Platform
import Rendering
import TestSupport
import Testing

/// A page that cannot be read does not spoil any other page.
@Suite(.onLoop)
struct BadPageTests {
    /// Pages that can be distinguished by their widths: 300, 310, 320 … points.
    private static func pdf(pages: Int = 4, _ change: (inout TestPDF) -> Void) -> [UInt8] {
        var pdf = TestPDF()
        for page in 0..<pages { pdf.addPage(width: 300 + 10 * Double(page), height: 400) }
        change(&pdf)
        return pdf.bytes
    }

    /// The results of describing a chart and drawing each of its pages.
    private struct Outcome: Equatable {
        var widths: [Double]
        var bad: [Int]
        var warnings: [String]

        init(_ widths: [Double], bad: [Int] = [], _ warnings: String...) {
            (self.widths, self.bad, self.warnings) = (widths, bad, warnings)
        }
    }

    @LoopActor
    private static func outcome(of pdf: [UInt8]) async throws -> Outcome {
        let bench = Bench { $0.width = 1 }
        let chart = try bench.chart(pdf)
        let description = try await bench.pool.describe(chart: chart)
        var outcome = Outcome(description.pages.map(\.width))
        outcome.warnings = description.warnings
        // The pages are drawn by a process that has not described the chart.
        let other = Bench { $0.width = 1 }
        for page in description.pages.indices {
            do {
                let (images, drawn) = try await other.render(chart, page: page, settings: Bench.small)
                let image = images[.plain].flatMap { PNGImage($0) }
                let size = description.pages[page].pixels(longSide: Bench.small.fullSize)
                #expect(image?.width == size.width && image?.height == size.height, "another page is in the place of page \(page + 1)")
                #expect(drawn.warnings.isEmpty)
            } catch let failure as RenderFailure {
                #expect(failure == .noSuchPage(PageIndex(page)) && failure.isLasting)
                outcome.bad.append(page)
            }
        }
        await bench.pool.stop()
        await other.pool.stop()
        return outcome
    }

    @Test(arguments: [
        "null", "999 0 R", "7", "3 0 R", "2 0 R", "<< /Type /Page /MediaBox [0 0 9 9] /Contents 7 >>", "<< /Type /Pages /Kids 7 >>",
    ])
    @LoopActor func whatIsNoPageIsOneBadPage(kid: String) async throws {
        let one = "page 2 cannot be read; the others are shown"
        #expect(try await Self.outcome(of: Self.pdf { $0.kids[1] = kid }) == Outcome([300, 300, 320, 330], bad: [1], one))
        // Without a table, the file is first searched for its objects.
        let withoutTable = Self.pdf {
            $0.kids[1] = kid
            $0.hasTable = false
        }
        #expect(try await Self.outcome(of: withoutTable) == Outcome([300, 300, 320, 330], bad: [1], one))
    }

    @Test(arguments: ["1000000000000", "9223372036854775807"])
    @LoopActor func aPageBeyondAllMeasureTakesNoOther(side: String) async throws {
        let pdf = Self.pdf { $0.kids[1] = "<< /Type /Page /MediaBox [0 0 \(side) \(side)] >>" }
        #expect(try await Self.outcome(of: pdf) == Outcome([300, 1, 320, 330]))
    }

    /// The warning must not depend on which process opens the chart first, nor on which page that process draws.
    @Test @LoopActor func whatIsWrongWithAChartIsSaidWhenItIsDescribedAndNotOfAPage() async throws {
        let bench = Bench { $0.width = 1 }
        let text = String(decoding: Self.pdf { _ in }, as: UTF8.self)
        let chart = try bench.chart(Array(text.replacing("/Root 1 0 R", with: "/Root 1 0 R /Encrypt << /Filter /Standard >>").utf8))
        #expect(try await bench.render(chart, settings: Bench.small).outcome.warnings.isEmpty)
        let warnings = try await bench.pool.describe(chart: chart).warnings
        #expect(warnings.count == 1 && warnings[0].contains("encryption"), "\(warnings)")
        #expect(try await bench.render(chart, page: 1, settings: Bench.small).outcome.warnings.isEmpty)
        await bench.pool.stop()
    }

    @Test @LoopActor func badPagesAreAsLargeAsTheNextBefore() async throws {
        let several = Self.pdf(pages: 6) { for page in [0, 1, 4, 5] { $0.kids[page] = "null" } }
        let expected = Outcome(
            [320, 320, 320, 330, 330, 330], bad: [0, 1, 4, 5], "pages 1, 2, 5 and 6 cannot be read; the others are shown")
        #expect(try await Self.outcome(of: several) == expected)
    }

    @Test @LoopActor func manyBadPagesAreCountedAndNotNamed() async throws {
        let bench = Bench { $0.width = 1 }
        let pdf = Self.pdf(pages: 40) { for page in 3..<38 { $0.kids[page] = "null" } }
        let description = try await bench.pool.describe(chart: bench.chart(pdf))
        #expect(description.pages.count == 40 && description.warnings == ["35 pages cannot be read; the others are shown"])
        await bench.pool.stop()
    }

    @Test @LoopActor func aChartWithoutAnyPageThatCanBeReadIsRefused() async throws {
        let bench = Bench { $0.width = 1 }
        let chart = try bench.chart(Self.pdf { $0.kids = ["null", "999 0 R"] })
        await #expect(throws: RenderFailure.noSuchPage(PageIndex(0))) { try await bench.pool.describe(chart: chart) }
        await bench.pool.stop()
    }

    @Test(arguments: ["5", "6", "11", "5000", "999999999"])
    @LoopActor func aCountOfMorePagesThanThereAreTakesNone(count: String) async throws {
        let expected = Outcome([300, 310, 320, 330], "the PDF says that it has \(count) pages, but it has 4")
        #expect(try await Self.outcome(of: Self.pdf { $0.count = count }) == expected)
    }

    @Test(arguments: ["1", "3"]) @LoopActor func aCountOfFewerPagesThanThereAreTakesNone(count: String) async throws {
        let expected = Outcome([300, 310, 320, 330], "the PDF says that it has \(count) pages, but it has 4")
        #expect(try await Self.outcome(of: Self.pdf { $0.count = count }) == expected)
    }

    @Test(arguments: ["0", "-2", "/Four", "null", "4.0"]) @LoopActor func aCountThatIsNoneTakesNone(count: String) async throws {
        #expect(try await Self.outcome(of: Self.pdf { $0.count = count }) == Outcome([300, 310, 320, 330]))
    }

    /// Programs that remove pages from a PDF may leave `null`, or a reference to an object that does not exist, in the list of
    /// pages.
    @Test(arguments: ["null", "999 0 R"]) @LoopActor func whatIsNoPageAndNotCountedIsPassedOver(kid: String) async throws {
        let pdf = Self.pdf {
            $0.kids.insert(kid, at: 2)
            $0.count = "4"
        }
        #expect(try await Self.outcome(of: pdf) == Outcome([300, 310, 320, 330]))
    }

    @Test @LoopActor func aBadPageAndAWrongCountAreBothTold() async throws {
        let pdf = Self.pdf {
            $0.kids[3] = "null"
            $0.count = "9"
        }
        let expected = Outcome(
            [300, 310, 320, 320], bad: [3], "page 4 cannot be read; the others are shown", "the PDF says that it has 9 pages, but it has 4")
        #expect(try await Self.outcome(of: pdf) == expected)
    }

    @Test @LoopActor func pagesInBranchesKeepWhatTheyHaveFromThem() async throws {
        let pdf = Self.pdf {
            let (first, last) = ($0.add("<< /Type /Page >>"), $0.add("<< /Type /Page /Rotate 0 >>"))
            // Rotated, these pages are 500 points wide.
            let branch = $0.add(
                "<< /Type /Pages /MediaBox [0 0 400 500] /Rotate 90 /Kids [\(first) 0 R null \(last) 0 R] /Count 3 >>")
            // One page has no object number of its own.
            $0.kids = [$0.kids[0], "\(branch) 0 R", "<< /Type /Page /MediaBox [0 0 350 400] >>", $0.kids[3]]
            $0.count = "6"
        }
        let expected = Outcome([300, 500, 500, 400, 350, 330], bad: [2], "page 3 cannot be read; the others are shown")
        #expect(try await Self.outcome(of: pdf) == expected)
    }

    @Test @LoopActor func wholeChartsAreTakenAsTheyAre() async throws {
        #expect(try await Self.outcome(of: Self.pdf { _ in }) == Outcome([300, 310, 320, 330]))
    }
}
