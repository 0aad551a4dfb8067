import Freshness
import Model

/// The annotated images that were made last, with what they show: most of each can be reused for the next image of its page.
///
/// Only those of the pages that somebody works on: otherwise the marks of a whole library would be in memory.
struct LastAnnotated {
    typealias Entry = (name: ImageName, marks: PageMarks)

    private var entries: [WantedImage.Page: (image: Entry, number: Int)] = [:]
    private var count = 0
    private var points = 0

    /// Some megabytes, and more pages than anybody marks at a time.
    private static let mostPages = 64
    private static let mostPoints = 100_000

    init() {}

    subscript(page: WantedImage.Page) -> Entry? { entries[page]?.image }

    /// Notes the image that was made last of a page.
    mutating func note(_ image: Entry, of page: WantedImage.Page) {
        remove(page)
        count += 1
        entries[page] = (image, count)
        points += Self.points(in: image)
        while entries.count > Self.mostPages || points > Self.mostPoints,
            let oldest = entries.min(by: { $0.value.number < $1.value.number })
        {
            remove(oldest.key)
        }
    }

    /// Drops the pages that need not be kept.
    mutating func keep(only isKept: (WantedImage.Page) -> Bool) {
        for page in entries.keys where !isKept(page) { remove(page) }
    }

    private mutating func remove(_ page: WantedImage.Page) {
        if let former = entries.removeValue(forKey: page) { points -= Self.points(in: former.image) }
    }

    private static func points(in image: Entry) -> Int { image.marks.marks.reduce(0) { $0 + $1.points.count } }
}
