public import Model

/// The order in which an item shows a chart's pages.
public struct PageSequence: Hashable, Sendable {
    /// Each page as often as it is shown.
    public let pages: [PageIndex]

    /// Reads the order as the service writes it, for a chart with this many pages.
    ///
    /// Its spelling is not documented: numbers with anything between them are accepted, counted from 0 if there is a 0 among them,
    /// otherwise from 1. A text that names a missing page, or has other words in it, is ignored, and the pages come in their own order.
    public init(_ text: String, pageCount: Int) {
        let natural = (0..<max(pageCount, 0)).map { PageIndex($0) }
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let numbers = words.compactMap { Int($0) }
        let first = numbers.contains(0) ? 0 : 1
        let isSound = !numbers.isEmpty && numbers.count == words.count && numbers.allSatisfy { natural.indices.contains($0 - first) }
        pages = isSound ? numbers.map { PageIndex($0 - first) } : natural
    }

    /// The pages that may soon follow the one shown, nearest first: what comes after each of its places in the order.
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
