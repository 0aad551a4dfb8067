/// A state for measuring, in place of the band's: so many coming plans with so many charts each.
///
/// Every chart is a PDF of blank pages, of the size asked for and unlike every other.
public struct DemoLoad: Sendable, Hashable {
    public var plans: Int
    public var chartsPerPlan: Int
    /// 1000 at least.
    public var bytesPerChart: Int
    /// Layers of marks on each plan's first charts, one a chart, with one mark each.
    public var layersPerPlan: Int
    public var pagesPerChart: Int

    /// Describes a state; by default the charts are as large as a sheet of engraved music.
    public init(plans: Int, chartsPerPlan: Int, bytesPerChart: Int = 40_000, layersPerPlan: Int = 0, pagesPerChart: Int = 1) {
        self.plans = plans
        self.chartsPerPlan = chartsPerPlan
        self.bytesPerChart = max(1000, bytesPerChart)
        self.layersPerPlan = layersPerPlan
        self.pagesPerChart = pagesPerChart
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
                    bytes: BlankPDF.bytes(size: load.bytesPerChart, number: number, pages: load.pagesPerChart))
            }
            program.addPlan(
                id: String(68_000_001 + plan), serviceType: "501001", title: "Plan \(plan + 1)", series: nil,
                times: [PlanTime(id: String(32_000_001 + plan), kind: "service", name: "Service", starts: starts, ends: starts + 4500)],
                items: charts)
        }
        var state = program.state
        for plan in 0..<load.plans {
            for attachment in state.attachments.dropFirst(plan * load.chartsPerPlan).prefix(min(load.layersPerPlan, load.chartsPerPlan)) {
                state.layers.append(
                    Layer(
                        id: "marks-\(attachment.id)", attachment: attachment.id, person: "117", personName: "Ben Cantor", name: "bowings",
                        isShared: true, marks: [], updatedAt: attachment.updatedAt))
                _ = try? state.apply(.addMark(layer: "marks-\(attachment.id)", page: 0, mark: nil), now: attachment.updatedAt)
            }
        }
        return state
    }
}
