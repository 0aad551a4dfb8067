import ChartLinks
import Library
package import Model

/// What was found out about one chart; whether it is ready follows from this alone.
package struct ChartFacts {
    /// The state of the chart's file.
    package enum File: Hashable, Sendable {
        case intact
        case gone
        case changed
        case unreadable(String)
    }

    /// The state of one of the chart's images.
    package enum Condition: Hashable, Sendable {
        case intact
        /// Not there, but one that shows the same is: from another renderer, or with another size or paper.
        case former
        case missing
        case damaged
        case unreadable(String)
    }

    /// An image that the chart should have.
    package struct Image: Hashable, Sendable {
        var page: PageIndex
        var variant = Variant.plain
        package var condition: Condition
        /// Why it will not be made, if making it failed for good.
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

        var canBeShown: Bool { condition == .intact || condition == .former }
    }

    let attachment: Attachment
    var item: String
    package var stored: StoredChart?
    var path = ""
    package var file = File.gone
    /// Why the service's present version does not arrive.
    var refusal: String?
    /// Why the present renderer cannot open it.
    package var reasonNotToOpen: String?
    /// Why its pages could not be counted so far; the next try may succeed.
    package var reasonNotToCount: String?
    /// The images that its pages should have; `nil` while they are not counted.
    package var images: [Image]?
    package var pages: Int?
    /// Whose marks are on the pages that cannot be drawn with their marks: a file's path or a layer's name.
    var markers: [PageIndex: [String]] = [:]
    /// Why images are withheld.
    package var reasonToWithhold = ""
    /// What is known of the marks on it.
    var marks = MarkFacts()
    /// Links to it in the music folder that could not be brought up to date.
    var linksLeftBehind: [LinkLeftBehind] = []
    /// The pages that can be drawn but have something missing.
    var lostContent: [LostContent] = []

    /// The chart's part of the report.
    package var report: ReadinessReport.Chart {
        ReadinessReport.Chart(
            attachment: attachment.id, filename: attachment.filename, item: item, hash: stored?.hash, pages: pages,
            wanted: images?.count ?? 0, present: images?.count(where: \.canBeShown) ?? 0, lacks: lacks, notes: notes)
    }

    /// Everything that keeps the chart from being played from.
    package var lacks: [ReadinessLack] {
        guard let stored else { return [.notDownloaded(because: refusal)] + marks.lacks(of: attachment.id) }
        var lacks: [ReadinessLack] = []
        switch file {
        case .intact: break
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
        // If the file is missing, it is not also reported as not counted; one lack is enough.
        guard let images else { return file == .intact ? [.notCounted(because: reasonNotToCount)] : [] }
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
        // A page that cannot be drawn is not tried with marks either.
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

    /// The annotated images that cannot be drawn although the page itself can: that is not the chart's fault.
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
