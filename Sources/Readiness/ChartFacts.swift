import ChartLinks
import Library
package import Model

/// What was found of one chart; what that means for its readiness follows from it alone.
package struct ChartFacts {
    /// How its file is.
    package enum File: Hashable, Sendable {
        case whole
        case gone
        case changed
        case unreadable(String)
    }

    /// How an image of it is.
    package enum Condition: Hashable, Sendable {
        case whole
        /// Not there, but one that shows the same is: of another renderer, size or paper.
        case former
        case missing
        case damaged
        case unreadable(String)
    }

    /// An image that it should have.
    package struct Image: Hashable, Sendable {
        var page: PageIndex
        var variant = Variant.plain
        package var condition: Condition
        /// Why it will not be made, where it failed for good.
        package var failure: String?
        /// Whether there is no room for it.
        package var isWithheld = false

        package init(page: PageIndex, variant: Variant = .plain, condition: Condition, failure: String? = nil, isWithheld: Bool = false) {
            self.page = page
            self.variant = variant
            self.condition = condition
            self.failure = failure
            self.isWithheld = isWithheld
        }

        var canBeShown: Bool { condition == .whole || condition == .former }
    }

    let attachment: Attachment
    var item: String
    package var stored: StoredChart?
    var path = ""
    package var file = File.gone
    /// Why the service's present version does not come.
    var refusal: String?
    /// Why the present renderer cannot open it.
    package var reasonNotToOpen: String?
    /// What has stood in the way of counting its pages, and may have passed at the next try.
    package var reasonNotToCount: String?
    /// What its pages should look like; `nil` where they are not counted.
    package var images: [Image]?
    package var pages: Int?
    /// Whose marks are on the pages that cannot be drawn with them, a file's path or a layer's name.
    var markers: [PageIndex: [String]] = [:]
    /// Why images are withheld.
    package var reasonToWithhold = ""
    /// What is known of the marks on it.
    var marks = MarkFacts()
    /// Links to it in the folder that people open that could not be brought up to date.
    var linksLeftBehind: [LinkLeftBehind] = []
    /// The pages of which something is missing though they can be drawn.
    var lostContent: [LostContent] = []

    /// The chart as it is reported.
    package var report: ReadinessReport.Chart {
        ReadinessReport.Chart(
            attachment: attachment.id, filename: attachment.filename, item: item, hash: stored?.hash, pages: pages,
            wanted: images?.count ?? 0, present: images?.count(where: \.canBeShown) ?? 0, lacks: lacks, notes: notes)
    }

    /// Everything that stands between it and the stand.
    var lacks: [ReadinessLack] {
        guard let stored else { return [.notDownloaded(because: refusal)] + marks.lacks(of: attachment.id) }
        var lacks: [ReadinessLack] = []
        switch file {
        case .whole: break
        case .gone: lacks.append(.fileGone(path: path))
        case .changed: lacks.append(.fileChanged(path: path))
        case .unreadable(let reason): lacks.append(.fileUnreadable(path: path, reason: reason))
        }
        if stored.version != attachment.version { lacks.append(.outOfDate(because: refusal)) }
        return lacks + imageLacks + marks.lacks(of: attachment.id)
    }

    private var imageLacks: [ReadinessLack] {
        let isShown = images?.allSatisfy(\.canBeShown) ?? false
        if let reasonNotToOpen, !isShown { return [.cannotBeOpened(reason: reasonNotToOpen)] }
        // One that is not there is not counted for that; one lack is enough.
        guard let images else { return file == .whole ? [.notCounted(because: reasonNotToCount)] : [] }
        var lacks: [ReadinessLack] = []
        func pages(_ images: [Image]) -> [PageIndex] { Set(images.map(\.page)).sorted() }
        func group(_ images: [Image], by reason: (Image) -> String?, _ lack: ([PageIndex], String) -> ReadinessLack) {
            for (reason, images) in Dictionary(grouping: images, by: { reason($0) ?? "" }).sorted(by: { $0.key < $1.key }) {
                lacks.append(lack(pages(images), reason))
            }
        }
        let lacking = images.filter { !$0.canBeShown }
        let marked = failedForTheirMarks
        group(lacking.filter { $0.failure != nil && !marked.contains($0) }, by: \.failure) { .cannotBeDrawn($0, reason: $1) }
        group(marked, by: \.failure) { [markers] pages, reason in
            .marksCannotBeDrawn(pages, of: Set(pages.flatMap { markers[$0] ?? [] }).sorted(), reason: reason, chart: attachment.id)
        }
        // A page that cannot be drawn is not tried with marks on it.
        let hopeless = Set(lacking.filter { $0.variant == .plain && $0.failure != nil }.map(\.page))
        let rest = lacking.filter { $0.failure == nil && !($0.variant == .annotated && hopeless.contains($0.page)) }
        let damaged = rest.filter { $0.condition == .damaged }
        if !damaged.isEmpty { lacks.append(.damaged(pages(damaged))) }
        let unreadable = rest.filter { if case .unreadable = $0.condition { true } else { false } }
        group(unreadable, by: { if case .unreadable(let reason) = $0.condition { reason } else { nil } }) {
            .imagesUnreadable($0, reason: $1)
        }
        let missing = rest.filter { $0.condition == .missing }
        let withheld = missing.count(where: \.isWithheld)
        if withheld > 0 { lacks.append(.noRoom(images: withheld, reason: reasonToWithhold)) }
        let due = missing.filter { !$0.isWithheld }
        if !due.isEmpty { lacks.append(.notRendered(pages(due), images: due.count)) }
        for (reason, lost) in Dictionary(grouping: lostContent.filter { !$0.isAccepted }, by: \.reason).sorted(by: { $0.key < $1.key }) {
            lacks.append(.contentLost(lost.map(\.page), reason: reason, chart: attachment.id))
        }
        return lacks
    }

    /// The images with marks that cannot be drawn though the page itself can: that is no fault of the chart.
    var failedForTheirMarks: [Image] {
        let pages = Set((images ?? []).filter { $0.variant == .plain && $0.canBeShown }.map(\.page))
        return (images ?? []).filter { $0.variant == .annotated && !$0.canBeShown && $0.failure != nil && pages.contains($0.page) }
    }

    private var notes: [ReadinessNote] {
        var notes: [ReadinessNote] = []
        let former = images?.count { $0.condition == .former } ?? 0
        if former > 0 { notes.append(.formerImages(former)) }
        if !marks.olderPages.isEmpty { notes.append(.olderMarks(marks.olderPages, chart: attachment.id)) }
        let accepted = lostContent.filter(\.isAccepted).map(\.page)
        if !accepted.isEmpty { notes.append(.damageAccepted(accepted)) }
        if !marks.goneLayers.isEmpty { notes.append(.layersGone(marks.goneLayers)) }
        notes += linksLeftBehind.map(ReadinessNote.linkLeftBehind)
        return notes + marks.notesOfOmissions(on: attachment.id)
    }
}
