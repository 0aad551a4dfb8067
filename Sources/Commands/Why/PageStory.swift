import Library
import Model
import Platform

/// Everything about one image of one page, as `woodshed why` tells it.
struct PageStory {
    /// A layer with marks on the page.
    struct Entry: Equatable {
        let name: String
        /// Whose it is; empty where nobody says.
        let person: String
        /// Where it is, for a file of the user's.
        let file: String?
        let isShown: Bool
        /// How many marks it has on the page.
        let marks: Int
        let changedAt: Timestamp?
        /// Whether the page looked different when they were made.
        let isOutdated: Bool
    }

    /// How the image's file is.
    enum Condition: Equatable {
        case whole
        case missing
        case damaged
        case unreadable(String)
    }

    let chart: ChartFinder.Candidate
    let path: String
    /// What the chart's pages measure; nil as long as they are not counted.
    let pages: [PageGeometry]?
    /// As asked for; the image may be of another one, where there are no marks.
    let variant: Variant
    let inputs: ImageInputs
    let layers: [Entry]
    /// The user's files of marks that cannot be read, a sentence each.
    let unread: [String]
    /// What in the user's files of marks is not drawn as it was made, a sentence each.
    var leftOut: [String] = []
    /// What happened to the user's files of marks for the chart since they were read, a sentence each: what the image will be made
    /// from may be something else by then.
    let news: [String]
    let name: ImageName
    let file: String
    let condition: Condition
    /// What became of this page's image last, be it this one or another.
    let record: ImageRecord?
    /// Why that was made; empty where it was not written down.
    let reasons: [MakingReason]
    /// Why it is not there, if it is not.
    let missReason: MissReason?
    let use: ImageUses.Use
    let useInWords: String
    /// What stands in the way of making it, a sentence each.
    let obstacles: [String]
    /// Who will make it, in a sentence, if it is not there and nothing stands in the way.
    let prospect: String?

    /// Whether marks are drawn on it.
    var showsMarks: Bool { inputs.marks != nil }

    /// The layers that have marks on `page`, hidden ones among them.
    @LoopActor
    static func layers(_ library: Library, of attachment: AttachmentID, on page: PageIndex) throws(LibraryError) -> [Entry] {
        let hidden = try library.drawings.hiddenLayers(of: attachment)
        let outdated = Set(try library.olderMarks.outdatedMarks(of: attachment).filter { $0.pages.contains(page) }.map(\.layer))
        func entry(_ layer: Layer, _ file: LocalFile?) -> Entry? {
            let marks = layer.marks.filter { $0.page == page }
            guard !marks.isEmpty else { return nil }
            return Entry(
                name: layer.name, person: layer.personName, file: file?.path, isShown: !hidden.contains(layer.id), marks: marks.count,
                changedAt: file.map { Timestamp(nanoseconds: $0.stamp.modified) } ?? layer.updatedAt,
                isOutdated: outdated.contains(layer.id))
        }
        let remote = try library.layers.all(of: attachment).filter { $0.deletedAt == nil }.compactMap { entry($0, nil) }
        return remote + (try library.markFiles.all(of: attachment).compactMap { file in file.layer.flatMap { entry($0, file) } })
    }
}
