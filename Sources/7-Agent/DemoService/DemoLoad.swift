/// A state for measuring, instead of the band's: a number of upcoming plans with a number of charts each.
///
/// Every chart is a different PDF: blank pages up to a given size, or a copy of one of the named scores.
public struct DemoLoad: Sendable, Hashable {
    public var plans: Int
    public var chartsPerPlan: Int
    /// At least 1000.
    public var bytesPerChart: Int
    /// How many of each plan's first charts have a layer of marks.
    public var layersPerPlan: Int
    public var pagesPerChart: Int
    /// On how many of its first pages a layer has a mark, one on each.
    public var markedPages: Int
    /// The charts in rotation, instead of blank pages.
    public var scores: [Score]

    /// One of the band's scores.
    public struct Score: Sendable, Hashable {
        public var name: String
        public var pages: Int

        /// Makes a score with its number of pages.
        public init(_ name: String, pages: Int) {
            self.name = name
            self.pages = pages
        }
    }

    /// Makes a load; by default the charts are as large as a sheet of engraved music.
    public init(
        plans: Int, chartsPerPlan: Int, bytesPerChart: Int = 40_000, layersPerPlan: Int = 0, pagesPerChart: Int = 1,
        markedPages: Int = 1, scores: [Score] = []
    ) {
        self.plans = plans
        self.chartsPerPlan = chartsPerPlan
        self.bytesPerChart = max(1000, bytesPerChart)
        self.layersPerPlan = layersPerPlan
        self.pagesPerChart = pagesPerChart
        self.markedPages = markedPages
        self.scores = scores
    }

    /// How many charts there are.
    public var charts: Int { plans * chartsPerPlan }

    /// How many pages a chart has.
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
                return DemoProgram.Line.sheet(
                    "Song \(number + 1)", file: "Song \(number + 1).pdf",
                    bytes: load.bytes(ofChart: number))
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
                    _ = try? state.apply(.addMark(layer: "marks-\(attachment.id)", page: page, mark: nil), now: attachment.updatedAt)
                }
            }
        }
        return state
    }
}
