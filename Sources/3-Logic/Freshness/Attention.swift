public import Model

/// The page and the plan that a viewer shows. They are rendered first, regardless of the order of plans and charts.
public struct Attention: Hashable, Sendable {
    public let onScreen: WantedImage.Page?
    public let next: [WantedImage.Page]
    /// The charts of the plan on a screen, in the plan's order.
    public let charts: [ChartHash]
    private let places: [ChartHash: Int]
    private let turns: [WantedImage.Page: Int]

    /// How many pages after the page on the screen are prepared.
    public static let nextPages = 2

    /// By default, no viewer is open.
    public init(onScreen: WantedImage.Page? = nil, next: [WantedImage.Page] = [], charts: [ChartHash] = []) {
        (self.onScreen, self.next, self.charts) = (onScreen, next, charts)
        places = Dictionary(zip(charts, 0...), uniquingKeysWith: min)
        turns = Dictionary(zip(next, 0...), uniquingKeysWith: min)
    }

    /// How urgent a page is, considering the page and plan on a screen.
    public func urgency(of work: PageWork) -> RenderUrgency {
        let page = WantedImage.Page(chart: work.chart, index: work.page)
        if page == onScreen { return .onScreen }
        if let turn = turns[page] { return .next(turn) }
        guard work.page.value < RenderPriority.firstPages, !work.priority.isRisky, let place = places[work.chart] else { return .ahead }
        return work.images.allSatisfy { $0.inputs.variant == .thumbnail }
            ? .lookedAtThumbnail(place: place, page: work.page) : .lookedAt(place: place, page: work.page)
    }

    /// The index in `works` of the work to do next, among those for which `mayStart` is true; `nil` if there is none. `works` must
    /// be in the order that applies when no viewer is open. Of equally urgent works, the first is chosen.
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

/// How urgent work is. Pages on a screen, or soon to be shown there, come before everything that is rendered ahead. Lesser values
/// come first.
public enum RenderUrgency: Hashable, Comparable, Sendable {
    case onScreen
    /// The page comes after turning pages: 0 for the next page, 1 for the one after that.
    case next(Int)
    /// One of the first pages of a chart in the plan on a screen. Any of these charts may be opened next.
    case lookedAt(place: Int, page: PageIndex)
    /// A page as in `lookedAt`, of which only the thumbnail is missing.
    case lookedAtThumbnail(place: Int, page: PageIndex)
    case ahead
}

/// The order in which an item shows a chart's pages.
public struct PageSequence: Hashable, Sendable {
    /// The pages in order. A page occurs as often as it is shown.
    public let pages: [PageIndex]

    /// Reads the order as the service writes it, for a chart with `pageCount` pages.
    ///
    /// The format is not documented, so numbers with anything but letters between them are accepted. They are counted from 0 if
    /// there is a 0 among them, otherwise from 1. A text with letters, or with a page that does not exist, is ignored, and the
    /// pages come in their natural order.
    public init(_ text: String, pageCount: Int) {
        let natural = (0..<max(pageCount, 0)).map { PageIndex($0) }
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let numbers = words.compactMap { Int($0) }
        let first = numbers.contains(0) ? 0 : 1
        let isSound = !numbers.isEmpty && numbers.count == words.count && numbers.allSatisfy { natural.indices.contains($0 - first) }
        pages = isSound ? numbers.map { PageIndex($0 - first) } : natural
    }

    /// The pages of a chart with `pageCount` pages that this order never shows.
    public func leftOut(of pageCount: Int) -> [PageIndex] {
        let shown = Set(pages)
        return (0..<max(pageCount, 0)).map { PageIndex($0) }.filter { !shown.contains($0) }
    }

    /// Up to `count` other pages that may soon follow a page, nearest first. The page may occur several times in the order.
    public func next(after page: PageIndex, _ count: Int) -> [PageIndex] {
        let places = pages.indices.filter { pages[$0] == page }
        var found: [PageIndex] = []
        for distance in 1...max(count, 1) {
            for place in places where pages.indices.contains(place + distance) {
                let next = pages[place + distance]
                if next != page, !found.contains(next) { found.append(next) }
            }
        }
        return Array(found.prefix(count))
    }
}
