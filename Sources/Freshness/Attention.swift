public import Model

/// What the musician looks at: it decides what is rendered next, before the order of plans and charts does.
public struct Attention: Hashable, Sendable {
    /// The page on the screen.
    public let onScreen: WantedImage.Page?
    /// The pages that come after it, nearest first.
    public let next: [WantedImage.Page]
    /// The charts of the plan that is being looked at, in its order.
    public let charts: [ChartHash]
    private let places: [ChartHash: Int]
    private let turns: [WantedImage.Page: Int]

    /// How many pages are made ready ahead of the one on the screen.
    public static let nextPages = 2

    /// Nobody looks at anything, unless it is said.
    public init(onScreen: WantedImage.Page? = nil, next: [WantedImage.Page] = [], charts: [ChartHash] = []) {
        self.onScreen = onScreen
        self.next = next
        self.charts = charts
        places = Dictionary(zip(charts, 0...), uniquingKeysWith: min)
        turns = Dictionary(zip(next, 0...), uniquingKeysWith: min)
    }

    /// How urgent a page's work is by what is looked at.
    public func urgency(of work: PageWork) -> RenderUrgency {
        let page = WantedImage.Page(chart: work.chart, index: work.page)
        if page == onScreen { return .onScreen }
        if let turn = turns[page] { return .next(turn) }
        guard work.page.value < RenderPriority.firstPages, let place = places[work.chart] else { return .ahead }
        return work.images.allSatisfy { $0.inputs.variant == .thumbnail }
            ? .lookedAtThumbnail(place: place, page: work.page) : .lookedAt(place: place, page: work.page)
    }

    /// Where in `works`, which are in the order that holds when nobody looks, the one stands that is to be done next of those that
    /// `mayStart`; `nil` if there is none. Of equally urgent ones it is the first.
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
