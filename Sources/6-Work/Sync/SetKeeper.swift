package import BandLayout
import Catalogue
import ImageKeeping
import Freshness
import Library
package import Model
package import Platform
import Rendering
import SetFolders
package import Sets

/// Keeps the plans of the musician's own folders up to date with the folders. Changes reach the library through the same decisions as those
/// that a service sends. The charts' files are only read; lists are also written, at the request of browsers.
@LoopActor
package final class SetKeeper {
    let parts: SyncParts
    let settings: SetSettings
    let folders: SetFolders
    let downloads: ChartDownloads
    /// A thread of its own: a folder on a network may not answer, and nothing else must wait for it.
    let side: SideThread
    private let hints: PacedHints
    private let alarm: Alarm
    /// What the folders held at the last look, and the titles of the files.
    private var last = (listings: SetFolders.Listings(), titles: ChartTitles())
    /// The folders in which something may have changed since the last look; `nil` if that may be anywhere.
    private var touched: Set<String>?
    /// The charts that were opened before they were copied into the library.
    var opened: [ChartHash: ChartDescription] = [:]
    /// The copies of files that were read, until the library keeps them.
    var copies: [Digest: TemporaryFile] = [:]
    /// The lists that people saved in browsers and that no look has found yet, by their plans.
    var saved: [PlanID: [SetList.Line]] = [:]
    /// The setbacks of the last look.
    package private(set) var setbacks: [Setback] = []
    /// What the looks since the last poll have changed.
    private var changes: [LibraryChange] = []
    /// Whether the agent is stopping.
    private(set) var hasEnded = false
    /// Called after each look.
    var onLooked: (() -> Void)?
    /// Whether the last look found everything, and everything that it found is here.
    package private(set) var hasAll = false
    /// The sets that are still in the folders while most known sets are missing, and since when exactly these are left.
    private var missing: (named: Set<PlanID>, since: Moment)?
    /// The things that the last look found but that are not used, with the reasons.
    package private(set) var others: [FoundSets.Other] = []

    /// Fetches a chart that a device of the band shares, by its bytes and its length; `nil` if it has not arrived whole.
    package var fetchShared: (@LoopActor (BandDevice, Digest, Int) async -> [UInt8]?)?
    /// Whether a chart that somebody shares has not arrived.
    package internal(set) var lacksShared = false
    /// How many charts that others share have arrived.
    package internal(set) var arrivals = 0
    /// The devices that share the charts that have not arrived.
    var arriving: [Digest: BandDevice] = [:]
    /// Files that others share as charts, but that are not charts. They are not fetched again.
    var refused: Set<Digest> = []

    init(_ parts: SyncParts, _ settings: SetSettings, downloads: ChartDownloads) {
        (self.parts, self.settings, self.downloads) = (parts, settings, downloads)
        folders = SetFolders(settings.folders, silent: settings.silent)
        side = SideThread(inline: parts.side.isInline)
        (hints, alarm) = (PacedHints(time: parts.time), Alarm(parts.time))
    }

    private var roots: [String] { folders.roots }
    var music: String? { settings.music }

    /// Looks soon if an event is about one of the folders.
    package func follow(_ event: FileEvent) {
        switch event {
        case .written(let path) where isInside(path), .removed(let path) where isInside(path): requestLook(at: [path])
        case .written(let path), .removed(let path), .folderRemoved(let path), .rescan(let path):
            if isInside(path) || roots.contains(where: { path == $0 || $0.utf8.starts(with: (path + "/").utf8) }) { requestLook() }
        }
    }

    private func isInside(_ path: String) -> Bool { roots.contains { path.utf8.starts(with: ($0 + "/").utf8) } }

    /// Looks soon, since something in the folders may have changed: only these files or, if `files` is `nil`, any. A change without an
    /// event, such as writing to a file through another link, is found by the next look at all folders. Every poll and every start of an
    /// agent begins with such a look; lost events and waking up lead to one, too.
    package func requestLook(at files: [String]? = nil) {
        touch(files)
        hints.hintPatiently { [weak self] in await self?.look() }
    }

    private func touch(_ files: [String]?) {
        if let files { touched?.formUnion(files.map(Folder.parent)) } else { touched = nil }
    }

    /// Looks at all the folders, and waits until everything found is in the library.
    package func lookNow() async {
        touch(nil)
        hints.hint { [weak self] in await self?.look() }
        await hints.quiet()
    }

    package var isQuiet: Bool { !isLooking && !alarm.isSet }
    package var isLooking: Bool { !hints.isQuiet }

    /// Waits until no look is running or waiting for its turn.
    package func quiet() async { await hints.quiet() }

    /// Lets no further look begin, and ends a running look before it stores anything that it has read only in part.
    package func end() {
        hasEnded = true
        alarm.cancel()
    }

    /// Returns the changes since the last call.
    func takeChanges() -> [LibraryChange] {
        defer { changes = [] }
        return changes
    }

    /// Looks again when files that somebody is writing may be whole.
    func lookAgain(at files: [SetFile]) {
        guard !hasEnded else { return }
        touch(files.map(\.path))
        alarm.set(in: Self.pause) { [weak self] in self?.requestLook(at: []) }
    }

    private func look() async {
        guard !hasEnded else { return }
        defer {
            copies = [:]
            // A look at a large songbook frees a lot of memory, and the next look may be hours away.
            if last.titles.count >= Self.manyFiles { ProcessMemory.giveBack() }
            if !hasEnded { onLooked?() }
        }
        do {
            try await lookOnce()
        } catch {
            guard !hasEnded else { return }
            hasAll = false
            setbacks = [Setback("sets", "\(error)")]
            parts.log.warning("the folders of sets: \(error)")
        }
    }

    /// How long the folders may take to answer: longer than a sleeping disk needs, and less than a network that is gone.
    static var patience: Duration { .seconds(20) }
    private static var manyFiles: Int { 1000 }
    /// The time before a file that is still being written is read again.
    private static var pause: Duration { .milliseconds(400) }

    /// The state before a look: what others share, and the plans in the library.
    private struct Before {
        /// The sets that others share.
        let shared: [Shared]
        /// The plans that came from sets, one's own and those that others shared.
        let plans: Set<PlanID>
        var sharedPlans: Set<PlanID> { plans.filter { $0.bandDevice != nil } }
    }

    private func lookOnce() async throws {
        let (now, before) = (parts.now, Before(shared: try shared(), plans: Set(try kept().keys)))
        guard !roots.isEmpty || !before.shared.isEmpty || !before.sharedPlans.isEmpty else { return }
        guard let found = await read() else {
            hasAll = false
            setbacks = [Setback("sets", "\(roots.joined(separator: ", ")) did not answer; what is here stays as it is")]
            return
        }
        guard !hasEnded else { return }
        others = found.others
        var decision = SetDecision(found, known: try parts.library.sets.known(), roots: roots, moment: Self.moment)
        let knownFiles = try parts.library.sets.files()
        let due = try decision.sets.indices.filter { try isDue(decision.sets[$0].plan, at: now) }
            .sorted { NextPlans.isEarlier(decision.sets[$0].plan, than: decision.sets[$1].plan, at: now) }
        let sharedDue = try before.shared.filter { try isDue($0.plan, at: now) }

        var assembly = try assembly()
        let charts = try await charts(of: sharedDue, found, knownFiles, into: &assembly)
        try await keepAtOnce(due, decision, knownFiles, &assembly)
        let files = due.flatMap { assembly.files(of: decision.sets[$0].set) }
        let sharedFiles = sharedDue.flatMap { assembly.files(of: $0.set.set, charts: charts) }
        try await read(files + sharedFiles, knownFiles, into: &assembly)
        guard !hasEnded else { return }
        if !assembly.unfinished.isEmpty { lookAgain(at: Array(assembly.unfinished)) }

        let kept = try kept()
        decision.takeOver(due, assembly, kept: kept)
        // Lists keep their charts from a songbook that is away.
        let shown = Set(kept.values.flatMap(\.attachments).map(\.id))
        let awayFiles = knownFiles.filter { found.isAway($0.key) && shown.contains(AttachmentID(ofBytes: $0.value.digest)) }
        let away = Set(awayFiles.values.map { AttachmentID(ofBytes: $0.digest) })
        var contents = decision.contents(due, assembly, kept: kept, away: away)
        for each in sharedDue {
            let new = assembly.contents(of: each.set.set, by: each.set.person, as: each.plan, charts: charts)
            if !SetDecision.hasLost(new, kept, away: away) { contents.append(new) }
        }
        let doubt = try store(contents, decision, before, kept, at: now)
        try noteRead(decision, in: found, isSure: decision.isWhole && doubt == nil, knownFiles, awayFiles, assembly)
        lacksShared = false
        let missed = try await keep(contents, assembly).setbacks
        // If the loss of sets is doubted, that one message is enough: do not list the empty folders, too.
        report(found, decision, assembly, doubt, missed, empty: doubt == nil ? emptied(found, decision, awayFiles, contents) : [])
    }

    /// The folders that are there but empty, and from which a list keeps charts.
    private func emptied(
        _ found: FoundSets, _ decision: SetDecision, _ awayFiles: [String: SetStore.File], _ contents: [PlanContents]
    ) -> [String] {
        let lists = Set(decision.sets.filter { if case .list = $0.set.contents { true } else { false } }.map(\.plan.id))
        let listed = Set(contents.filter { lists.contains($0.plan.id) }.flatMap(\.attachments).map(\.id))
        return found.empty.filter { folder in
            awayFiles.contains { path, file in
                path.utf8.starts(with: (folder + "/").utf8) && listed.contains(AttachmentID(ofBytes: file.digest))
            }
        }
    }

    /// The plans in the library that come from sets, with their contents.
    private func kept() throws(LibraryError) -> [PlanID: PlanContents] {
        Dictionary(try parts.library.plans.allAsPlanned().filter { $0.plan.id.source == .sets }.map { ($0.plan.id, $0) }) { first, _ in
            first
        }
    }

    /// Reads the folders in which something may have changed, and the titles of new files; `nil` if they do not answer.
    private func read() async -> FoundSets? {
        let (last, touched, now) = (last, touched, parts.now)
        self.touched = []
        let read = await side.run(within: Self.patience, parts.time) { [folders] in
            var next = last
            let found = folders.read(&next.listings, touched: touched, now: now)
            next.titles.set(found.files)
            return (found: found, next: next)
        }
        guard let read else {
            touch(nil)
            return nil
        }
        self.last = read.next
        return read.found
    }

    /// Plans to be made from sets, with the titles of all charts among which the lists find theirs.
    private func assembly() throws(LibraryError) -> SetPlan {
        var assembly = SetPlan(settings)
        assembly.unusable = others.filter(\.isCalledChart)
        assembly.titles = last.titles
        for plan in try parts.library.plans.allAsPlanned() where plan.plan.id.source == .service {
            for item in plan.items { for chart in item.attachments { assembly.titles.add(chart, title: item.title, key: item.keyName) } }
        }
        return assembly
    }

    /// Keeps the changes of each set before the files of later sets are read, of which some may be large. A musician who adds a chart to
    /// the next set thus sees it soon. Doubtful changes wait until everything is read.
    private func keepAtOnce(
        _ due: [Int], _ decision: SetDecision, _ knownFiles: [String: SetStore.File], _ assembly: inout SetPlan
    ) async throws {
        for place in due.dropLast() {
            let (kept, files) = (try kept(), assembly.files(of: decision.sets[place].set))
            guard decision.isSettled(place, kept: kept), files.contains(where: { knownFiles[$0.path]?.stamp != $0.stamp }) else { continue }
            try await read(files, knownFiles, into: &assembly)
            guard !hasEnded else { return }
            let contents = decision.contents([place], assembly, kept: kept)
            let meant = SetDecision.meant(contents, kept)
            guard !meant.isEmpty else { continue }
            try update(contents, named: nil, accepted: meant)
            _ = try await keep(contents, assembly)
        }
    }

    private func update(_ contents: [PlanContents], named: Set<PlanID>?, accepted: Set<PlanID>) throws(LibraryError) {
        let changes = parts.report(
            try parts.library.plans.update(contents, named: named, ahead: parts.ahead, of: .sets, accepted: accepted, at: parts.now))
        self.changes += changes
        guard !changes.isEmpty else { return }
        parts.events?.plansChanged()
        parts.look.soon()
    }

    /// Stores the new contents of plans, and which plans are gone. Returns the reason to doubt that plans are gone; `nil` without doubt.
    private func store(
        _ contents: [PlanContents], _ decision: SetDecision, _ before: Before, _ kept: [PlanID: PlanContents], at now: Timestamp
    ) throws(LibraryError) -> Setback? {
        var (named, setback) = (decision.named, Setback?.none)
        // Changes of shared sets are signed by those who share them, so these changes are not doubted.
        if let all = named, let doubt = try parts.library.plans.doubt(aboutList: all.union(before.sharedPlans), of: .sets, at: now) {
            if !isConfirmed(missing: all) {
                named = nil
                let words = "\(doubt.missing) of \(doubt.of) sets are gone from their folders at once; they stay until an hour has passed"
                setback = Setback("sets", words)
            }
        } else {
            // If sets are missing again later, the hour starts anew.
            missing = nil
        }
        if !before.shared.isEmpty || !before.sharedPlans.isEmpty {
            let gone = try parts.library.plans.gone()
            let own = named ?? before.plans.subtracting(before.sharedPlans).filter { gone[$0] == nil }
            named = own.union(before.shared.map(\.plan.id))
        }
        let saved = savedNow(decision.sets).intersection(contents.map(\.plan.id))
        try update(contents, named: named, accepted: SetDecision.meant(contents, kept).union(saved))
        for plan in saved { self.saved[plan] = nil }
        return setback
    }

    /// Notes the plan of each set, and the files that were read. Unless `isSure`, also keeps the notes of missing files, which may come
    /// back unchanged.
    private func noteRead(
        _ decision: SetDecision, in found: FoundSets, isSure: Bool, _ knownFiles: [String: SetStore.File],
        _ awayFiles: [String: SetStore.File], _ assembly: SetPlan
    ) throws(LibraryError) {
        let present = Set(found.files.map(\.path))
        var files = knownFiles.filter { !isSure || present.contains($0.key) || awayFiles[$0.key] != nil }
        for (file, digest) in assembly.read where assembly.isAsRead(file) && !isShared(file) {
            files[file.path] = .init(stamp: file.stamp, digest: digest)
        }
        try parts.library.sets.note(decision.knownNext(isSure: isSure), files: files)
    }

    /// Reports the setbacks of a look; `missed` are those of charts that could not be stored.
    private func report(
        _ found: FoundSets, _ decision: SetDecision, _ assembly: SetPlan, _ doubt: Setback?, _ missed: [Setback], empty: [String]
    ) {
        hasAll = found.away.isEmpty && empty.isEmpty && decision.unread.isEmpty && assembly.unfinished.isEmpty && missed.isEmpty
        var setbacks = found.away.map { Setback($0.path, "it is away (\($0.reason)); its plans stay as they were") }
        let words = "nothing is in it, so lists keep the charts that they had from there; if that is meant, remove the folder"
        setbacks += empty.map { Setback($0, words) } + [doubt].compactMap(\.self) + missed
        // If a folder is away, the message about the folder is enough.
        if found.away.isEmpty {
            setbacks += decision.unread.keys.sorted().map { Setback($0, "it cannot be read; its plan stays as it was") }
        }
        let faults = assembly.faults.sorted { $0.key.path < $1.key.path }
        // A text that is not a song does no harm in a folder: list it once, among the other unused files.
        others += faults.filter { assembly.others.contains($0.key) }.map { .init(path: $0.key.path, reason: $0.value) }
        setbacks += faults.filter { !assembly.others.contains($0.key) }.map { Setback($0.key.name, $0.value) }
        setbacks += assembly.unfinished.map(\.name).sorted().map { Setback($0, "it is still being written; it is read again soon") }
        self.setbacks = Setback.folded(setbacks)
    }

    nonisolated static func moment(ofWallTime time: Int64) -> Timestamp { Timestamp(nanoseconds: LocalTime.nanoseconds(ofWallTime: time)) }

    /// Whether a set is kept ready: it comes soon, or its plan is in the library already.
    private func isDue(_ plan: Plan, at now: Timestamp) throws(LibraryError) -> Bool {
        if plan.isComing(at: now, ahead: parts.ahead) { return true }
        return try parts.library.plans.has(plan.id)
    }

    /// Whether the same sets have been missing for an hour.
    private func isConfirmed(missing named: Set<PlanID>) -> Bool {
        if missing?.named != named { missing = (named, parts.time.now) }
        return missing.map { parts.time.now - $0.since >= .seconds(3600) } ?? false
    }
}
