import Catalogue
import ChartFiles
import Freshness
public import ImageKeeping
public import Library
public import Marks
public import Model
public import PageCache
public import Platform

/// Finds out whether plans are ready, from the present library and cache. An agent may be running, so only new damage of charts'
/// files is recorded in the library, and damaged images are removed only if the cache was opened for writing, as in the agent
/// itself.
@LoopActor
public struct ReadinessCheck {
    let library: Library
    let cache: PageCache
    let wants: LibraryWants
    let keeper: CacheKeeper
    let renderer: RendererIdentity
    let roots: MarkRoots

    /// Checks `cache` for the images that `renderer` should have made according to `wants`; `keeper` has the limits. `roots`
    /// contain the user's own mark files.
    public init(
        library: Library, cache: PageCache, wants: LibraryWants, keeper: CacheKeeper, renderer: RendererIdentity, marks roots: MarkRoots
    ) {
        (self.roots, self.library, self.cache, self.wants, self.keeper, self.renderer) = (roots, library, cache, wants, keeper, renderer)
    }

    public struct Circumstances {
        public var now: Timestamp
        /// Whether to check every byte of charts and images.
        public var isThorough: Bool
        /// When a poll was last complete, if the caller has a later time than the library.
        public var lastPoll: Timestamp?
        /// Why charts do not arrive, if a running agent has reasons.
        public var refusals: [AttachmentID: String]
        /// Why pages could not be counted so far, if a running agent has reasons.
        public var uncounted: [ChartHash: String]
        /// The settings that a poll would use now, if they are known.
        public var asked: AskedSettings?
        /// Where all plans come from: `.sets` if no account is configured.
        public var source: PlanSource

        public init(
            now: Timestamp, isThorough: Bool, lastPoll: Timestamp? = nil, refusals: [AttachmentID: String] = [:],
            uncounted: [ChartHash: String] = [:], asked: AskedSettings? = nil, source: PlanSource = .service
        ) {
            (self.now, self.isThorough, self.lastPoll) = (now, isThorough, lastPoll)
            (self.refusals, self.uncounted, self.asked, self.source) = (refusals, uncounted, asked, source)
        }
    }

    /// Reports on these plans, the next one first.
    public func report(of plans: [PlanContents], _ circumstances: Circumstances) async throws -> ReadinessReport {
        var known = try LibraryFacts(library, renderer, at: circumstances.now)
        let unread = try await UnreadMarks(
            in: roots, library, knowing: known.markFiles, at: circumstances.now, side: SideThread(inline: cache.side.isInline),
            atMost: circumstances.isThorough ? Self.mostLookedInto : Self.mostGlancedAt, isThorough: circumstances.isThorough)
        known.note(unread)
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
        let gone = try library.plans.goneInOrder(at: circumstances.now)
        let reports = plans.sorted { NextPlans.isEarlier($0.plan, than: $1.plan, gone: gone, at: circumstances.now) }.map {
            planFacts.report(
                of: $0, facts, wants.ahead, circumstances.now, unsorted: unread.unsorted, unreadable: known.unreadable.whole)
        }
        let inFull = latest(circumstances.lastPoll, try library.lastPoll)
        let alone = try lastAskedAlone(for: plans, with: circumstances.asked)
        return ReadinessReport(
            asOf: circumstances.now, lastPoll: latest(inFull, alone),
            isOfPlansAlone: alone.map { $0 > inFull ?? $0 - .seconds(1) } ?? false,
            failingPolls: try library.service.failingPolls, isThorough: circumstances.isThorough,
            plans: reports, strayMarks: known.strayMarks,
            unmatchedMarks: known.unmatchedMarks.filter { [roots] in !roots.isBesideCharts($0.path) },
            marksBeyond: known.marksBeyond, marksOnOthers: try library.matches.marksOnOthers(at: circumstances.now),
            markFolders: unread.folders.entries.map(\.setback), source: circumstances.source,
            // What a service's clock said before the account was given up says nothing of this one.
            clockAhead: try circumstances.source == .sets ? nil : library.service.clockAhead,
            doubt: planFacts.doubt)
    }

    /// The earliest of the times when each of these plans was last requested individually, with these settings if they are known; `nil`
    /// unless all of them were.
    private func lastAskedAlone(for plans: [PlanContents], with settings: AskedSettings?) throws(LibraryError) -> Timestamp? {
        let alone = try library.service.askedPlans
        let times = plans.compactMap { alone[$0.plan.id] }.filter { settings == nil || $0.settings == settings }.map(\.at)
        return times.count == plans.count ? times.min() : nil
    }

    /// At most this many unread mark files are read; each takes some milliseconds. There are more only where no agent has ever run.
    static let mostLookedInto = 2000
    /// The limit for checks that are not thorough: a person waits for them, or they are frequent.
    private static let mostGlancedAt = 50

    struct Chart {
        var facts: ChartFacts
        var images: [WantedImage]
    }

    private func chart(
        _ attachment: Attachment, of plan: Plan, _ known: LibraryFacts, _ rules: WantedSet.Rules, _ circumstances: Circumstances
    ) throws(LibraryError) -> Chart {
        var facts = try known.facts(of: attachment, in: library, refusal: circumstances.refusals[attachment.id])
        guard let stored = facts.stored else { return Chart(facts: facts, images: []) }
        facts.reasonNotToCount = circumstances.uncounted[stored.hash]
        guard let snapshot = try wants.snapshot(of: attachment.use), snapshot.isHere else { return Chart(facts: facts, images: []) }
        facts.pages = snapshot.pageCount
        // Pin the plan for this report, so that its images count whatever its date.
        var rules = rules
        rules.pinned.insert(plan.id)
        let set = WantedSet(LibrarySnapshot(plans: [PlanSnapshot(plan: plan, charts: [snapshot])]), rules: rules, now: circumstances.now)
        return Chart(facts: facts, images: set.images)
    }

    private func latest(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? { [one, other].compactMap { $0 }.max() }
}
