import Model
import Platform

/// Charts of which several pages took the renderer down. Their other pages may be good, so each is still tried, but only briefly, and
/// after each failure the chart rests, longer every time. That way a PDF of hundreds of pages that hang costs next to nothing, and a
/// single bad page costs the others nothing.
struct DoubtfulCharts {
    private var resting: [ChartHash: (failures: Int, until: Moment)] = [:]

    /// A chart with this many such pages is doubtful.
    static let mostPages = 3
    /// How long the renderer may work on one of its pages. Most take a tenth of a second.
    static let patience = Duration.seconds(10)

    /// Whether a chart is left alone for now.
    func isResting(_ chart: ChartHash, at now: Moment) -> Bool { resting[chart].map { $0.until > now } ?? false }

    /// The charts that rest, and until when.
    func resting(at now: Moment) -> [ChartHash: Moment] { resting.mapValues(\.until).filter { $0.value > now } }

    /// When the next rest ends.
    func next(after now: Moment) -> Moment? { resting(at: now).values.min() }

    /// Notes that another page of the chart took the renderer down, or was held up for whatever reason.
    mutating func noteFailure(of chart: ChartHash, at now: Moment) {
        let failures = (resting[chart]?.failures ?? 0) + 1
        resting[chart] = (failures, now + GrowingPause.after(failures))
    }

    /// Notes that one of its pages was drawn.
    mutating func noteSuccess(of chart: ChartHash) { resting[chart] = nil }

    /// Lets all of them be tried: a person asked for it.
    mutating func forgive() { resting = [:] }
}
