/// A state for measuring, in place of the band's: so many coming plans with so many charts each.
///
/// Every chart is a PDF unlike every other: blank pages, of the size asked for, or a copy of one of the scores named.
public struct DemoLoad: Sendable, Hashable {
    public var plans: Int
    public var chartsPerPlan: Int
    /// 1000 at least.
    public var bytesPerChart: Int
    /// Layers of marks on each plan's first charts, one a chart.
    public var layersPerPlan: Int
    public var pagesPerChart: Int
    /// The first pages of a chart with a layer that have a mark, one each.
    public var markedPages: Int
    /// What the charts are in turn, in place of blank pages.
    public var scores: [Score]

    /// One of the band's scores.
    public struct Score: Sendable, Hashable {
        public var name: String
        public var pages: Int

        /// Names a score, with the pages that it has.
        public init(_ name: String, pages: Int) {
            self.name = name
            self.pages = pages
        }
    }

    /// Describes a state; by default the charts are as large as a sheet of engraved music.
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

    /// The pages of one of them.
    func pages(ofChart number: Int) -> Int { scores.isEmpty ? pagesPerChart : scores[number % scores.count].pages }

    func bytes(ofChart number: Int) -> [UInt8] {
        guard !scores.isEmpty, let score = DemoScore.chart(scores[number % scores.count].name) else {
            return BlankPDF.bytes(size: bytesPerChart, number: number, pages: pagesPerChart)
        }
        return score + Array("%number \(number)\n".utf8)
    }
}

extension DemoState {
    /// The plans of a load, spread over the coming 26 days; the first one is tomorrow.
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
