public import Model

/// What the musician is looking at: it decides what is rendered next, before the order of plans and charts does.
public struct Attention: Hashable, Sendable {
    /// The page on the screen.
    public let onScreen: WantedImage.Page?
    /// The pages that come after it, nearest first.
    public let next: [WantedImage.Page]
    /// The charts of the plan that somebody is looking at, in its order.
    public let charts: [ChartHash]
    private let places: [ChartHash: Int]
    private let turns: [WantedImage.Page: Int]

    /// How many pages beyond the one on the screen are made ready.
    public static let nextPages = 2

    /// By default, nobody is looking at anything.
    public init(onScreen: WantedImage.Page? = nil, next: [WantedImage.Page] = [], charts: [ChartHash] = []) {
        self.onScreen = onScreen
        self.next = next
        self.charts = charts
        places = Dictionary(zip(charts, 0...), uniquingKeysWith: min)
        turns = Dictionary(zip(next, 0...), uniquingKeysWith: min)
    }

    /// How urgent a page's work is, judging by what somebody is looking at.
    public func urgency(of work: PageWork) -> RenderUrgency {
        let page = WantedImage.Page(chart: work.chart, index: work.page)
        if page == onScreen { return .onScreen }
        if let turn = turns[page] { return .next(turn) }
        guard work.page.value < RenderPriority.firstPages, let place = places[work.chart] else { return .ahead }
        return work.images.allSatisfy { $0.inputs.variant == .thumbnail }
            ? .lookedAtThumbnail(place: place, page: work.page) : .lookedAt(place: place, page: work.page)
    }

    /// The index in `works` of what to do next, among those that `mayStart`; `nil` if there is none. `works` are in the order that
    /// applies when nobody is looking; of equally urgent ones the first is chosen.
    public func mostUrgent(of works: [PageWork], where mayStart: (PageWork) -> Bool) -> Int? {
        guard onScreen != nil || !next.isEmpty || !charts.isEmpty else { return works.firstIndex(where: mayStart) }
        var best: (index: Int, urgency: RenderUrgency)?
        for (index, work) in works.enumerated() {
            let urgency = urgency(of: work)
            if let best, best.urgency <= urgency { continue }
            guard mayStart(work) else { continue }
            best = (index, urgency)
            if urgency == .onScreen { break }
        }
        return best?.index
    }
}
