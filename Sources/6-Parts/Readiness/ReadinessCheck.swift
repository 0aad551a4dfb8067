package import Catalogue
import ChartLinks
import Freshness
public import Keeping
public import Library
public import Marks
public import Model
public import PageCache
public import Platform

/// Finds out whether plans are ready, from the present library and cache. An agent may be running: the library is only read, and damaged
/// images are removed only by a cache that may be written, which is the agent's own.
@LoopActor
public struct ReadinessCheck {
    let library: Library
    let cache: PageCache
    let wants: LibraryWants
    let keeper: CacheKeeper
    let renderer: RendererIdentity
    let roots: MarkRoots

    /// Checks what is in `cache` against what `wants` says that `renderer` should have made; `keeper` knows the limits. `roots` contain
    /// the user's own mark files.
    public init(
        library: Library, cache: PageCache, wants: LibraryWants, keeper: CacheKeeper, renderer: RendererIdentity, marks roots: MarkRoots
    ) {
        self.roots = roots
        self.library = library
        self.cache = cache
        self.wants = wants
        self.keeper = keeper
        self.renderer = renderer
    }

    /// What else readiness depends on.
    public struct Circumstances {
        public var now: Timestamp
        /// Whether every byte of charts and images is checked.
        public var isThorough: Bool
        /// When a poll last answered in full, if the caller knows better than the library.
        public var lastPoll: Timestamp?
        /// Why charts do not arrive, if a running agent knows.
        public var refusals: [AttachmentID: String]
        /// Why pages could not be counted for now, if a running agent knows.
        public var uncounted: [ChartHash: String]
        /// The settings with which the service would be asked now, if they are known.
        public var asked: AskedSettings?

        /// Sets the circumstances.
        public init(
            now: Timestamp, isThorough: Bool, lastPoll: Timestamp? = nil, refusals: [AttachmentID: String] = [:],
            uncounted: [ChartHash: String] = [:], asked: AskedSettings? = nil
        ) {
            self.now = now
            self.isThorough = isThorough
            self.lastPoll = lastPoll
            self.refusals = refusals
            self.uncounted = uncounted
            self.asked = asked
        }
    }

    /// How ready these plans are, the next one first.
    public func report(of plans: [PlanContents], _ circumstances: Circumstances) async throws -> ReadinessReport {
        var known = try LibraryFacts(library, renderer)
        let unread = try await UnreadMarks(
            in: roots, library, knowing: known.markFiles, at: circumstances.now, side: cache.side,
            atMost: circumstances.isThorough ? Self.mostLookedInto : Self.mostGlancedAt, isThorough: circumstances.isThorough)
        known.note(unread, in: roots)
        try cache.rescan()
        var charts = try library.asOneState { () throws(LibraryError) in
            let rules = try wants.rules(renderer)
            var charts: [ChartUse: Chart] = [:]
            for contents in plans {
                for attachment in contents.attachments where charts[attachment.use] == nil {
                    charts[attachment.use] = try chart(attachment, of: contents.plan, known, rules, circumstances)
                }
            }
            return charts
        }
        try await lookAtFiles(of: &charts, isThorough: circumstances.isThorough)
        try await lookAtImages(of: &charts, known, circumstances)
        let planFacts = try PlanFacts(library, coming: wants.plans(now: circumstances.now), asking: circumstances.asked)
        let facts = charts.mapValues(\.facts)
        let reports = plans.sorted { NextPlans.isEarlier($0.plan, than: $1.plan, at: circumstances.now) }.map {
            planFacts.report(
                of: $0, facts, wants.ahead, circumstances.now, unsorted: unread.unsorted, unreadable: known.unreadable.whole)
        }
        return ReadinessReport(
            asOf: circumstances.now, lastPoll: try latest(circumstances.lastPoll, library.lastPoll),
            failingPolls: try library.service.failingPolls, isThorough: circumstances.isThorough,
            plans: reports, strayMarks: known.strayMarks, unmatchedMarks: known.unmatchedMarks,
            marksBeyond: known.marksBeyond, marksOnOthers: try library.matches.marksOnOthers(at: circumstances.now),
            markFolders: unread.folderTroubles, clockAhead: try library.service.clockAhead,
            doubt: planFacts.doubt)
    }

    /// At most this many unread mark files are read, each of which takes some milliseconds. There are more only where no agent has ever
    /// run.
    static let mostLookedInto = 2000
    /// The same if somebody waits, or checks again and again.
    private static let mostGlancedAt = 50

    /// One chart while it is being checked.
    struct Chart {
        var facts: ChartFacts
        var images: [WantedImage]
    }

    /// What the library knows of all charts at once.
    package struct LibraryFacts {
        package let tag: RendererTag
        let downloadFaults: [ChartUse: DownloadFault]
        let lostContent: [ChartHash: [LostContent]]
        package var imageFaults: [ImageName: String] = [:]
        var chartFaults: [ChartHash: String] = [:]
        var outdated: [AttachmentID: [OutdatedMarks]]
        package let markFiles: [MarkFileState]
        var marks: [AttachmentID: [MarkFacts.File]] = [:]
        var strayMarks: [ReadinessReport.StrayMarks] = []
        var unmatchedMarks: [ReadinessReport.UnmatchedMarks] = []
        var marksBeyond: [MarksBeyond]
        let layerDoubts: [AttachmentID: [LayerDoubt]]
        let goneLayers: [AttachmentID: [String]]
        package var unreadable = UnreadableFolders()

        /// All that is known of a chart without checking its file and images. `refusal` is why it did not arrive, if the caller knows
        /// better.
        @LoopActor
        package func facts(of attachment: Attachment, in library: Library, refusal: String?) throws(LibraryError) -> ChartFacts {
            var facts = ChartFacts(attachment: attachment, item: "")
            facts.refusal = refusal ?? downloadFaults.reason(of: attachment)
            facts.marks.files = marks[attachment.id] ?? []
            facts.note(self, hidden: try library.drawings.hiddenLayers(of: attachment.id))
            facts.marks.copies = copies[attachment.id] ?? []
            facts.marks.vanished = vanished[attachment.id] ?? []
            facts.linksLeftBehind = linksLeftBehind[attachment.id] ?? []
            facts.marks.beyondPages = marksBeyond.filter { $0.attachment == attachment.id }
            guard let stored = try library.charts.chart(of: attachment.use) else { return facts }
            facts.stored = stored
            facts.marks.olderPages = outdatedPages(of: attachment.id, on: stored.hash)
            facts.path = library.charts.path(of: stored.hash)
            facts.lostContent = lostContent[stored.hash] ?? []
            facts.reasonNotToOpen = chartFaults[stored.hash]
            if let unreadable = try library.charts.unreadable(stored.hash), unreadable.tag == tag {
                facts.reasonNotToOpen = unreadable.reason
            }
            return facts
        }

        /// The pages of a chart with marks made when the pages looked different.
        private func outdatedPages(of attachment: AttachmentID, on chart: ChartHash) -> [PageIndex] {
            Set((outdated[attachment] ?? []).filter { $0.chart == chart }.flatMap(\.pages)).sorted()
        }
        let copies: [AttachmentID: [MarkCopies.Copy]]
        let vanished: [AttachmentID: [FormerMarks]]
        let hiddenFiles: [AttachmentID: [String]]
        let linksLeftBehind: [AttachmentID: [LinkLeftBehind]]

        @LoopActor
        package init(_ library: Library, _ renderer: RendererIdentity) throws(LibraryError) {
            tag = renderer.tag
            for fault in try library.images.faults() where fault.isFinal && fault.tag == renderer.tag {
                if let image = fault.image { imageFaults[image] = fault.reason } else { chartFaults[fault.chart] = fault.reason }
            }
            downloadFaults = try library.charts.downloadFaults()
            lostContent = try library.images.lostContent()
            outdated = Dictionary(grouping: try library.olderMarks.outdatedMarks(), by: \.attachment)
            marksBeyond = try library.drawings.marksBeyond()
            layerDoubts = Dictionary(grouping: try library.layers.doubts(), by: \.attachment)
            goneLayers = try library.layers.goneNames()
            copies = try library.drawings.copiesLeftOut()
            vanished = try library.markFiles.vanishedMarks()
            hiddenFiles = try library.drawings.filesHiddenByChoice()
            linksLeftBehind = try library.links.linksLeftBehind()
            let references = Dictionary(try library.markFiles.unmatchedReferences().map { ($0.path, $0.reference) }) { first, _ in first }
            markFiles = try library.markFiles.states()
            for state in markFiles {
                if let attachment = state.attachment {
                    marks[attachment, default: []].append(
                        MarkFacts.File(
                            path: state.path, fault: state.fault, keepsFormer: state.hasContent, unread: state.wentBack ? .older : nil,
                            leftOut: state.notes))
                } else if let fault = state.fault {
                    strayMarks.append(ReadinessReport.StrayMarks(path: state.path, fault: fault))
                } else if let reference = references[state.path] {
                    unmatchedMarks.append(ReadinessReport.UnmatchedMarks(path: state.path, reference))
                }
            }
        }
    }

    private func chart(
        _ attachment: Attachment, of plan: Plan, _ known: LibraryFacts, _ rules: WantedSet.Rules, _ circumstances: Circumstances
    ) throws(LibraryError) -> Chart {
        var facts = try known.facts(of: attachment, in: library, refusal: circumstances.refusals[attachment.id])
        guard let stored = facts.stored else { return Chart(facts: facts, images: []) }
        facts.reasonNotToCount = circumstances.uncounted[stored.hash]
        guard let snapshot = try wants.snapshot(of: attachment) else { return Chart(facts: facts, images: []) }
        facts.pages = snapshot.pageCount
        // Whatever the plan's date: somebody asked about it.
        var rules = rules
        rules.pinned.insert(plan.id)
        let set = WantedSet(LibrarySnapshot(plans: [PlanSnapshot(plan: plan, charts: [snapshot])]), rules: rules, now: circumstances.now)
        return Chart(facts: facts, images: set.images)
    }

    private func latest(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? { [one, other].compactMap { $0 }.max() }
}
