package import Catalogue
import ChartFiles
import Freshness
import Library
package import Model

/// Everything that decides whether one chart is ready.
package struct ChartFacts {
    package enum File: Hashable, Sendable {
        case intact
        case gone
        case changed
        case unreadable(String)
    }

    package enum Condition: Hashable, Sendable {
        case intact
        /// The image is missing, but an equivalent one is here: from another renderer, or with another size or paper.
        case former
        case missing
        case damaged
        case unreadable(String)
    }

    package struct Image: Hashable, Sendable {
        var page: PageIndex
        var variant = Variant.plain
        package var condition: Condition
        /// Why the image cannot be made, if that failed for good.
        package var failure: String?
        package var isWithheld = false

        package init(page: PageIndex, variant: Variant = .plain, condition: Condition, failure: String? = nil, isWithheld: Bool = false) {
            (self.page, self.variant, self.condition, self.failure, self.isWithheld) = (page, variant, condition, failure, isWithheld)
        }

        var canBeShown: Bool { condition == .intact || condition == .former }
    }

    let attachment: Attachment
    package var stored: StoredChart?
    var path = ""
    package var file = File.gone
    var refusal: String?
    /// Why the present renderer cannot open the chart.
    package var reasonNotToOpen: String?
    /// Why the pages could not be counted so far; the next attempt may succeed.
    package var reasonNotToCount: String?
    /// The images that the chart's pages should have; `nil` until the pages are counted.
    package var images: [Image]?
    package var pages: Int?
    package var reasonToWithhold: RoomShortage?
    var marks = MarkFacts()
    /// Links to the chart in the music folder that could not be updated.
    var linksLeftBehind: [LinkLeftBehind] = []
    /// The pages that can be drawn, but not completely.
    var lostContent: [LostContent] = []

    /// The chart's entry in a report that does not name an item.
    package var report: ReadinessReport.Chart { report(for: "") }

    /// The chart's entry in the report, for an item with this title.
    func report(for item: String) -> ReadinessReport.Chart {
        ReadinessReport.Chart(
            attachment: attachment.id, filename: attachment.filename, item: item, hash: stored?.hash, pages: pages,
            wanted: images?.count ?? 0, present: images?.count(where: \.canBeShown) ?? 0, lacks: lacks, notes: notes)
    }

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
        // If the file is missing, do not report uncounted pages as well: one lack is enough.
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
        group(marked, by: \.failure) { [markers = marks.markers] pages, reason in
            .marksCannotBeDrawn(pages, of: Set(pages.flatMap { markers[$0] ?? [] }).sorted(), reason: reason, chart: attachment.id)
        }
        // A page that cannot be drawn is not attempted with marks, either.
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
        if withheld > 0, let reasonToWithhold { lacks.append(.noRoom(images: withheld, reasonToWithhold)) }
        let due = missing.filter { !$0.isWithheld }
        if !due.isEmpty { lacks.append(.notRendered(pages(due), images: due.count)) }
        for (reason, lost) in Dictionary(grouping: lostContent.filter { !$0.isAccepted }, by: \.reason).sorted(by: { $0.key < $1.key }) {
            let lacksPages = lost.allSatisfy { $0.isOfMissingPages(of: self.pages) }
            lacks.append(.contentLost(lost.map(\.page), reason: reason, lacksPages: lacksPages, chart: attachment.id))
        }
        return lacks
    }

    /// The annotated images that cannot be drawn although the page itself can: the marks are at fault, not the chart.
    var failedForTheirMarks: [Image] {
        let pages = Set((images ?? []).filter { $0.variant == .plain && $0.canBeShown }.map(\.page))
        return (images ?? []).filter { $0.variant == .annotated && !$0.canBeShown && $0.failure != nil && pages.contains($0.page) }
    }

    /// Records which files and layers have the marks that cannot be drawn. `visibleLayers` reads the chart's layers; it is seldom called.
    package mutating func noteMarkers(
        _ visibleLayers: (AttachmentID, ChartHash?) throws(LibraryError) -> [Layer]
    ) throws(LibraryError) {
        let pages = Set(failedForTheirMarks.map(\.page))
        guard !pages.isEmpty else { return }
        for layer in try visibleLayers(attachment.id, stored?.hash) {
            let name = LocalFile.path(ofLayer: layer.id) ?? layer.displayName
            for page in pages.intersection(layer.marks.map(\.page)) { marks.markers[page, default: []].append(name) }
        }
    }

    private var notes: [ReadinessNote] {
        var notes: [ReadinessNote] = []
        let former = images?.count { $0.condition == .former } ?? 0
        if former > 0 { notes.append(.formerImages(former)) }
        if !marks.olderPages.isEmpty { notes.append(.olderMarks(marks.olderPages, chart: attachment.id)) }
        let leftOut = pages.map { PageSequence(attachment.pageOrder, pageCount: $0).leftOut(of: $0) } ?? []
        if !leftOut.isEmpty { notes.append(.shortened(leftOut)) }
        let accepted = lostContent.filter(\.isAccepted).map(\.page)
        if !accepted.isEmpty { notes.append(.damageAccepted(accepted)) }
        if !marks.goneLayers.isEmpty { notes.append(.layersGone(marks.goneLayers)) }
        notes += linksLeftBehind.map(ReadinessNote.linkLeftBehind)
        return notes + marks.notesOfOmissions(on: attachment.id)
    }
}

struct MarkFacts {
    struct File: Hashable, Sendable {
        var path: String
        var fault: String?
        /// Whether the file's former marks are still known.
        var keepsFormer = false
        /// The change since the file was last read, if there is one.
        var unread: ReadinessLack.Unread?
        /// The marks in the file that are not drawn as they were made, one sentence each.
        var leftOut: [String] = []
    }

    var files: [File] = []
    /// For each page that cannot be drawn with its marks, the paths of the files, or the names of the layers, that have marks on it.
    var markers: [PageIndex: [String]] = [:]
    /// The pages with marks that were made on another version of the page.
    var olderPages: [PageIndex] = []
    /// Layers that are not shown as the service last sent them, and layers that the service no longer lists.
    var layerDoubts: [LayerDoubt] = []
    var goneLayers: [String] = []
    /// The user's mark files that are not drawn because they are copies of others.
    var copies: [MarkCopies.Copy] = []
    /// The user's mark files that are not drawn because the user hid them.
    var hiddenFiles: [String] = []
    /// Former states of the user's mark files that lost at least half of their marks, or marks that vanished together with many
    /// others, until the user accepts the loss.
    var vanished: [FormerMarks] = []
    /// The last states of the user's mark files that were removed recently.
    var gone: [FormerMarks] = []
    /// Folders that cannot be read now, and that contained marks for this chart when they could be read.
    var unreadableFolders: [String] = []
    var beyondPages: [MarksBeyond] = []

    /// How many unread files are listed by name.
    private static let mostUnreadNamed = 5
    /// How many files or layers with omitted marks are listed by name.
    private static let mostOmissionsNamed = 5

    private var unreadPaths: Set<String> { Set(files.filter { $0.unread != nil }.map(\.path)) }

    /// Every lack that the chart's marks cause.
    func lacks(of chart: AttachmentID) -> [ReadinessLack] {
        let unread = files.compactMap { file in file.unread.map { ReadinessLack.marksUnread(path: file.path, $0) } }
        let faulty = files.filter { $0.unread == nil }.compactMap { file in
            file.fault.map { ReadinessLack.marksUnreadable(path: file.path, fault: $0, keepsFormer: file.keepsFormer) }
        }
        let more = unread.count - Self.mostUnreadNamed
        // The band's layers are left out: their former marks are shown, and other people's marks make nobody unready.
        return layerDoubts.filter { !BandStore.isOfBand($0.layer) }.map(ReadinessLack.layerDoubted)
            + unreadableFolders.map(ReadinessLack.marksUnseen) + faulty
            + unread.prefix(Self.mostUnreadNamed)
            + (more > 0 ? [.moreMarksUnread(files: more)] : []) + undecidedCopies(of: chart)
            + vanished.filter(\.isOfMany).map { .marksVanished($0, chart: chart) }
    }

    /// Copies with marks of their own, which are not shown until the user decides whether to keep them.
    private func undecidedCopies(of chart: AttachmentID) -> [ReadinessLack] {
        let unread = unreadPaths
        return copies.filter { $0.marksOnlyHere > 0 && !unread.contains($0.path) }.map {
            .marksInCopy(path: $0.path, of: $0.other, marks: $0.marksOnlyHere, chart: chart)
        }
    }

    /// Notes about omitted marks in files that have not changed since they were read; if there are many, only some are named.
    func notesOfOmissions(on chart: AttachmentID) -> [ReadinessNote] {
        let all = omissions(on: chart)
        let more = all.count - Self.mostOmissionsNamed
        return all.prefix(Self.mostOmissionsNamed) + (more > 0 ? [.moreMarksLeftOut(more)] : [])
    }

    private func omissions(on chart: AttachmentID) -> [ReadinessNote] {
        let unread = unreadPaths
        let beyond = beyondPages.filter { !($0.path.map(unread.contains) ?? false) }.map {
            ReadinessNote.marksBeyond($0.pages, of: $0.displayName, path: $0.path, chartPages: $0.chartPages)
        }
        let leftOut = files.filter { $0.unread == nil && !$0.leftOut.isEmpty }.map { ReadinessNote.marksLeftOut($0.leftOut, path: $0.path) }
        let copies = copies.filter { $0.marksOnlyHere == 0 && !unread.contains($0.path) }.map {
            ReadinessNote.copyLeftOut(path: $0.path, of: $0.other, chart: chart)
        }
        let hidden = hiddenFiles.map { ReadinessNote.marksHidden(path: $0, chart: chart) }
        let noted = Set(vanished.map(\.number))
        let gone = gone.filter { !noted.contains($0.number) }.map { ReadinessNote.markFileGone($0, chart: chart) }
        return vanished.filter { !$0.isOfMany }.map { .marksVanished($0, chart: chart) } + gone + beyond + leftOut + copies + hidden
    }
}
