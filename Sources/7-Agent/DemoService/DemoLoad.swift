/// A state for measurements, in place of the band's: a number of upcoming plans with a number of charts each.
///
/// Every chart is a different PDF: blank pages, padded to a given size, or a copy of one of the named scores.
public struct DemoLoad: Sendable, Hashable {
    public var plans: Int
    public var chartsPerPlan: Int
    /// The size of charts with blank pages; `init` raises it to at least 1000.
    public var bytesPerChart: Int
    /// How many charts of each plan, counted from the first, have a layer of marks.
    public var layersPerPlan: Int
    public var pagesPerChart: Int
    /// How many pages of each layer, counted from the first, have one mark.
    public var markedPages: Int
    /// The scores to use in rotation; if empty, blank pages.
    public var scores: [Score]

    public struct Score: Sendable, Hashable {
        public var name: String
        public var pages: Int

        public init(_ name: String, pages: Int) { (self.name, self.pages) = (name, pages) }
    }

    /// Creates a load; by default, charts are as large as a page of engraved music.
    public init(
        plans: Int, chartsPerPlan: Int, bytesPerChart: Int = 40_000, layersPerPlan: Int = 0, pagesPerChart: Int = 1,
        markedPages: Int = 1, scores: [Score] = []
    ) {
        (self.plans, self.chartsPerPlan) = (plans, chartsPerPlan)
        self.bytesPerChart = max(1000, bytesPerChart)
        (self.layersPerPlan, self.pagesPerChart, self.markedPages, self.scores) = (layersPerPlan, pagesPerChart, markedPages, scores)
    }

    public var charts: Int { plans * chartsPerPlan }

    func pages(ofChart number: Int) -> Int { scores.isEmpty ? pagesPerChart : scores[number % scores.count].pages }

    func bytes(ofChart number: Int) -> [UInt8] {
        guard !scores.isEmpty, let score = DemoScore.chart(scores[number % scores.count].name) else {
            return BlankPDF.bytes(size: bytesPerChart, number: number, pages: pagesPerChart)
        }
        return score + Array("%number \(number)\n".utf8)
    }
}

extension DemoState {
    /// The plans of a load, spread over the next 26 days; the first one is tomorrow.
    static func loaded(_ load: DemoLoad, now: Stamp) -> DemoState {
        var program = DemoProgram()
        program.addPeople(
            [Person(id: DemoService.personID, firstName: "Ada", lastName: "Player")],
            serviceTypes: [ServiceType(id: "501001", name: "Sunday Morning", sequence: 0)])
        for plan in 0..<load.plans {
            let starts = now.startOfDay + (Stamp.day + plan * 26 * Stamp.day / max(1, load.plans))
            let charts = (0..<load.chartsPerPlan).map { chart in
                let number = plan * load.chartsPerPlan + chart
                return DemoProgram.Line.sheet("Song \(number + 1)", file: "Song \(number + 1).pdf", bytes: load.bytes(ofChart: number))
            }
            program.addPlan(
                id: String(68_000_001 + plan), serviceType: "501001", title: "Plan \(plan + 1)", series: nil,
                times: [PlanTime(id: String(32_000_001 + plan), kind: "service", name: "Service", starts: starts, ends: starts + 4500)],
                items: charts)
        }
        var state = program.state
        for plan in 0..<load.plans {
            for chart in plan * load.chartsPerPlan..<plan * load.chartsPerPlan + min(load.layersPerPlan, load.chartsPerPlan) {
                let attachment = state.attachments[chart]
                state.layers.append(
                    Layer(
                        id: "marks-\(attachment.id)", attachment: attachment.id, person: "117", personName: "Ben Cantor", name: "bowings",
                        isShared: true, marks: [], updatedAt: attachment.updatedAt))
                for page in 0..<min(load.markedPages, load.pages(ofChart: chart)) {
                    _ = try? state.addMark(to: "marks-\(attachment.id)", page: page, mark: nil, now: attachment.updatedAt)
                }
            }
        }
        return state
    }
}

/// PDFs with blank pages, padded to any size with a comment.
package enum BlankPDF {
    /// A file of `size` bytes, or larger if that is too small for a PDF; equal numbers give equal files.
    public static func bytes(size: Int, number: Int, pages: Int = 1) -> [UInt8] {
        var text = "%PDF-1.7\n%number \(number)\n"
        var offsets: [Int] = []
        let kids = (0..<pages).map { "\($0 + 3) 0 R" }.joined(separator: " ")
        let sheets = [String](repeating: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>", count: pages)
        for object in ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[\(kids)]/Count \(pages)>>"] + sheets {
            offsets.append(text.utf8.count)
            text += "\(offsets.count) 0 obj\n\(object)\nendobj\n"
        }
        var table = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { table += String(repeating: "0", count: 10 - String(offset).count) + "\(offset) 00000 n \n" }
        table += "trailer\n<</Size \(offsets.count + 1)/Root 1 0 R>>\nstartxref\n"
        let end = "\n%%EOF\n"
        // The table is near the end of the file, so its offset has about as many digits as the size.
        let digits = String(size).count
        let filler = max(0, size - text.utf8.count - table.utf8.count - digits - end.utf8.count - 2)
        var bytes = Array(text.utf8)
        bytes.reserveCapacity(size)
        bytes.append(UInt8(ascii: "%"))
        bytes += [UInt8](repeating: UInt8(ascii: "."), count: filler)
        bytes.append(UInt8(ascii: "\n"))
        let place = String(bytes.count)
        let padded = String(repeating: "0", count: max(0, digits - place.count)) + place
        bytes.append(contentsOf: (table + padded + end).utf8)
        return bytes
    }
}
