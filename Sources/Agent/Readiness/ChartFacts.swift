import ChartLinks
import Library
import Model

/// What was found of one chart; what that means for its readiness follows from it alone.
struct ChartFacts {
    /// How its file is.
    enum File: Hashable, Sendable {
        case whole
        case gone
        case changed
        case unreadable(String)
    }

    /// How an image of it is.
    enum Condition: Hashable, Sendable {
        case whole
        /// Not there, but one that shows the same is: of another renderer, size or paper.
        case former
        case missing
        case damaged
        case unreadable(String)
    }

    /// An image that it should have.
    struct Image: Hashable, Sendable {
        var page: PageIndex
        var variant = Variant.plain
        var condition: Condition
        /// Why it will not be made, where it failed for good.
        var failure: String?
        /// Whether there is no room for it.
        var isWithheld = false

        var canBeShown: Bool { condition == .whole || condition == .former }
    }

    /// A file of the user's marks for it.
    struct Marks: Hashable, Sendable {
        var path: String
        var fault: String?
        /// Whether what it said before is still known.
        var keepsFormer = false
        /// What happened to it since it was read.
        var unread: ReadinessLack.Unread?
        /// What in it is not drawn as it was made, a sentence each.
        var leftOut: [String] = []
    }

    var attachment: Attachment
    var item: String
    var stored: StoredChart?
    var path = ""
    var file = File.gone
    /// Why the service's present version does not come.
    var refusal: String?
    /// Why the present renderer cannot open it.
    var reasonNotToOpen: String?
    /// What has stood in the way of counting its pages, and may have passed at the next try.
    var reasonNotToCount: String?
    /// What its pages should look like; `nil` where they are not counted.
    var images: [Image]?
    var pages: Int?
    /// Whose marks are on the pages that cannot be drawn with them, a file's path or a layer's name.
    var markers: [PageIndex: [String]] = [:]
    /// Why images are withheld.
    var reasonToWithhold = ""
    var marks: [Marks] = []
    var olderMarks: [PageIndex] = []
    /// Layers of the service's that are not shown as they were told last, and such as it does not name any more.
    var layerDoubts: [LayerDoubt] = []
    var goneLayers: [String] = []
    /// Files of the user's marks that are left out, being copies of others.
    var copies: [MarkCopies.Copy] = []
    /// The user's files that are not drawn on it, for somebody hid them.
    var hiddenFiles: [String] = []
    /// Links to it in the folder that people open that could not be brought up to date.
    var linksLeftBehind: [LinkLeftBehind] = []
    /// Folders that cannot be read and had marks for it when they could.
    var unreadableFolders: [String] = []
    /// The pages of which something is missing though they can be drawn.
    var lostContent: [LostContent] = []
    /// Marks on pages that it does not have.
    var marksBeyond: [MarksBeyond] = []

    /// The chart as it is reported.
    var report: ReadinessReport.Chart {
        ReadinessReport.Chart(
            attachment: attachment.id, filename: attachment.filename, item: item, hash: stored?.hash, pages: pages,
            wanted: images?.count ?? 0, present: images?.count(where: \.canBeShown) ?? 0, lacks: lacks, notes: notes)
    }

    /// Everything that stands between it and the stand.
    var lacks: [ReadinessLack] {
        guard let stored else { return [.notDownloaded(because: refusal)] + markLacks }
        var lacks: [ReadinessLack] = []
        switch file {
        case .whole: break
        case .gone: lacks.append(.fileGone(path: path))
        case .changed: lacks.append(.fileChanged(path: path))
        case .unreadable(let reason): lacks.append(.fileUnreadable(path: path, reason: reason))
        }
        if stored.version != attachment.version { lacks.append(.outOfDate(because: refusal)) }
        return lacks + imageLacks + markLacks
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

    private var markLacks: [ReadinessLack] {
        let unread = marks.compactMap { marks in marks.unread.map { ReadinessLack.marksUnread(path: marks.path, $0) } }
        let faulty = marks.filter { $0.unread == nil }.compactMap { marks in
            marks.fault.map { ReadinessLack.marksUnreadable(path: marks.path, fault: $0, keepsFormer: marks.keepsFormer) }
        }
        let more = unread.count - Self.mostUnreadNamed
        return layerDoubts.map(ReadinessLack.layerDoubted) + unreadableFolders.map(ReadinessLack.marksUnseen) + faulty
            + unread.prefix(Self.mostUnreadNamed)
            + (more > 0 ? [.moreMarksUnread(files: more)] : []) + undecidedCopies
    }

    /// Copies that have marks of their own, which nobody sees until somebody says whether they are wanted.
    private var undecidedCopies: [ReadinessLack] {
        let unread = Set(marks.filter { $0.unread != nil }.map(\.path))
        return copies.filter { $0.ownMarks > 0 && !unread.contains($0.path) }.map {
            .marksInCopy(path: $0.path, of: $0.other, marks: $0.ownMarks, chart: attachment.id)
        }
    }

    /// So many files that wait to be read are worth naming.
    private static let mostUnreadNamed = 5

    private var notes: [ReadinessNote] {
        var notes: [ReadinessNote] = []
        let former = images?.count { $0.condition == .former } ?? 0
        if former > 0 { notes.append(.formerImages(former)) }
        if !olderMarks.isEmpty { notes.append(.olderMarks(olderMarks, chart: attachment.id)) }
        let accepted = lostContent.filter(\.isAccepted).map(\.page)
        if !accepted.isEmpty { notes.append(.damageAccepted(accepted)) }
        if !goneLayers.isEmpty { notes.append(.layersGone(goneLayers)) }
        notes += linksLeftBehind.map(ReadinessNote.linkLeftBehind)
        let all = notesOfMarks
        let more = all.count - Self.mostNotesOfMarks
        return notes + all.prefix(Self.mostNotesOfMarks) + (more > 0 ? [.moreMarksLeftOut(more)] : [])
    }

    /// So many files or layers with marks that are not drawn are worth naming.
    private static let mostNotesOfMarks = 5

    /// What is left out of marks that are as they were read.
    private var notesOfMarks: [ReadinessNote] {
        let unread = Set(marks.filter { $0.unread != nil }.map(\.path))
        let beyond = marksBeyond.filter { !($0.path.map(unread.contains) ?? false) }.map {
            ReadinessNote.marksBeyond($0.pages, of: $0.displayName, path: $0.path, chartPages: $0.chartPages)
        }
        let leftOut = marks.filter { $0.unread == nil && !$0.leftOut.isEmpty }.map { ReadinessNote.marksLeftOut($0.leftOut, path: $0.path) }
        let copies = copies.filter { $0.ownMarks == 0 && !unread.contains($0.path) }.map {
            ReadinessNote.copyLeftOut(path: $0.path, of: $0.other, chart: attachment.id)
        }
        let hidden = hiddenFiles.map { ReadinessNote.marksHidden(path: $0, chart: attachment.id) }
        return beyond + leftOut + copies + hidden
    }
}
