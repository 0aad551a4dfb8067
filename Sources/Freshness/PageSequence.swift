public import Model

/// The order in which an item shows a chart's pages.
public struct PageSequence: Hashable, Sendable {
    /// Each page as often as it is shown.
    public let pages: [PageIndex]

    /// Reads the order as the service says it, of a chart with so many pages.
    ///
    /// It is not documented how it is spelled: numbers with anything between them are taken, from 0 where there is a 0 among them,
    /// else from 1. What names no page, or has other words in it, says nothing, and the pages come as they are.
    public init(_ text: String, pageCount: Int) {
        let natural = (0..<max(pageCount, 0)).map { PageIndex($0) }
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let numbers = words.compactMap { Int($0) }
        let first = numbers.contains(0) ? 0 : 1
        let isSound = !numbers.isEmpty && numbers.count == words.count && numbers.allSatisfy { natural.indices.contains($0 - first) }
        pages = isSound ? numbers.map { PageIndex($0 - first) } : natural
    }

    /// The pages that may come soon after one is shown, the nearest first: after each of the places where it stands.
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
