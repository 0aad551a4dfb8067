import Library
package import Model
import Platform

/// Everything that `woodshed why` says about one image of one page.
package struct PageStory {
    /// A layer with marks on the page.
    package struct Entry: Equatable {
        package let name: String
        /// Whose it is; empty if that is not known.
        let person: String
        /// Where the file is, for one of the user's.
        package let file: String?
        package let isShown: Bool
        /// How many marks it has on the page.
        package let marks: Int
        let changedAt: Timestamp?
        /// Whether the page looked different when they were made.
        let isOutdated: Bool
    }

    /// The state of the image's file.
    package enum Condition: Equatable {
        case intact
        case missing
        case damaged
        case unreadable(String)
    }

    package let chart: ChartFinder.Candidate
    package let path: String
    /// The size of each page; nil until they are counted.
    package let pages: [PageGeometry]?
    /// As asked for; if there are no marks, the image itself may be of another variant.
    package let variant: Variant
    package let inputs: ImageInputs
    package let layers: [Entry]
    /// The user's mark files that cannot be read, a sentence each.
    package let unread: [String]
    /// What in the user's mark files is not drawn as it was made, a sentence each.
    package var leftOut: [String] = []
    /// What happened to the user's mark files for the chart since they were read, a sentence each: by the time the image is made,
    /// the marks may be different.
    package let news: [String]
    package let name: ImageName
    package let file: String
    package let condition: Condition
    /// What last happened to an image of this page, be it this one or another.
    package let record: ImageRecord?
    /// Why it is missing, if it is.
    package let missReason: MissReason?
    package let use: ImageUses.Use
    package let useInWords: String
    /// What prevents it from being made, a sentence each.
    package let obstacles: [String]
    /// Who will make it, in a sentence, if it is missing and nothing prevents it.
    package let prospect: String?

    /// Whether marks are drawn on it.
    var showsMarks: Bool { inputs.marks != nil }

    /// The layers with marks on `page`, including hidden ones.
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
