import Model
import Platform

/// Charts of which several pages took the renderer down. Their other pages may be good, so each is still tried: for a short time,
/// and after one that fails the chart rests, ever longer. A PDF of hundreds of pages that hang costs next to nothing that way,
/// and a single bad page costs the others nothing.
struct DoubtfulCharts {
    private var resting: [ChartHash: (failures: Int, until: Moment)] = [:]

    /// A chart with so many such pages is doubted.
    static let mostPages = 3
    /// How long one of its pages may compute. Most take a tenth of a second.
    static let patience = Duration.seconds(10)

    /// Whether a chart is left alone for now.
    func isResting(_ chart: ChartHash, at now: Moment) -> Bool { resting[chart].map { $0.until > now } ?? false }

    /// Those that rest, and until when.
    func resting(at now: Moment) -> [ChartHash: Moment] { resting.mapValues(\.until).filter { $0.value > now } }

    /// When the next one is due that is not due yet.
    func next(after now: Moment) -> Moment? { resting(at: now).values.min() }

    /// Another of its pages took the renderer down, or was held up by whatever it was.
    mutating func noteFailure(of chart: ChartHash, at now: Moment) {
        let failures = (resting[chart]?.failures ?? 0) + 1
        resting[chart] = (failures, now + GrowingPause.after(failures))
    }

    /// One of its pages was drawn.
    mutating func noteSuccess(of chart: ChartHash) { resting[chart] = nil }

    /// Lets all be tried: a person wishes it.
    mutating func forgive() { resting = [:] }
}
