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

/// Keeps the plans of the musician's own folders as the folders are. What it finds comes to the library through the same decisions as
/// what a service sends. The files are only read.
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
    /// The charts that were opened before they were copied into the library.
    var opened: [ChartHash: ChartDescription] = [:]
    /// The lists that people saved in browsers and that no look has found yet, by their plans.
    var saved: [PlanID: [SetList.Line]] = [:]
    /// What the last look found that does not work.
    package private(set) var setbacks: [Setback] = []
    /// What the looks since the last poll have changed.
    private var changes: [LibraryChange] = []
    /// Whether the agent is stopping.
    private(set) var hasEnded = false
    /// Called after each look.
    var onLooked: (() -> Void)?
    /// Whether the last look found everything, and everything that it found is here.
    package private(set) var hasAll = false
    /// The sets that the folders had when most of the known ones were missing, and since when.
    private var missing: (named: Set<PlanID>, since: Moment)?
    /// What the last look found that is not used, with the reasons.
    package private(set) var others: [FoundSets.Other] = []

    /// Fetches a chart that a device of the band shares, by its bytes and its length; `nil` if it has not arrived whole.
    package var fetchShared: (@LoopActor (BandDevice, Digest, Int) async -> [UInt8]?)?
    /// Whether a chart that somebody shares has not arrived.
    package internal(set) var lacksShared = false
    /// How many charts that others share have arrived.
    package internal(set) var arrivals = 0
    /// The devices that share the charts that have not arrived.
    var arriving: [Digest: BandDevice] = [:]
    /// The charts that others share, and that are none: they are not fetched again.
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
        let path =
            switch event {
            case .written(let path), .removed(let path), .folderRemoved(let path), .rescan(let path): path
            }
        if roots.contains(where: { path == $0 || path.utf8.starts(with: ($0 + "/").utf8) || $0.utf8.starts(with: (path + "/").utf8) }) {
            requestLook()
        }
    }

    /// Looks soon, since something in the folders may have changed.
    package func requestLook() { hints.hintPatiently { [weak self] in await self?.look() } }

    /// Looks at the folders, and waits until everything found is in the library.
    package func lookNow() async {
        hints.hint { [weak self] in await self?.look() }
        await hints.quiet()
    }

    package var isQuiet: Bool { hints.isQuiet && !alarm.isSet }

    /// Lets no further look begin, and ends one that is running before it stores what it has read only in part.
    package func end() {
        hasEnded = true
        alarm.cancel()
    }

    /// What has changed since this was last called.
    func takeChanges() -> [LibraryChange] {
        defer { changes = [] }
        return changes
    }

    /// Looks again when a file that somebody is writing may be whole.
    func lookAgain() {
        guard !hasEnded else { return }
        alarm.set(in: Self.pause) { [weak self] in self?.requestLook() }
    }

    private func look() async {
        guard !hasEnded else { return }
        defer { if !hasEnded { onLooked?() } }
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
    /// When a file that is still being written is read again.
    private static var pause: Duration { .milliseconds(400) }

    private func lookOnce() async throws {
        let (now, shared) = (parts.now, try self.shared())
        let ids = try parts.library.plans.allAsPlanned().map(\.plan.id).filter { $0.source == .sets }
        let formerlyShared = Set(ids.filter { $0.bandDevice != nil })
        guard !roots.isEmpty || !shared.isEmpty || !formerlyShared.isEmpty else { return }
        guard let found = await side.run(within: Self.patience, parts.time, { [folders] in folders.read() }) else {
            hasAll = false
            setbacks = [Setback("sets", "\(roots.joined(separator: ", ")) did not answer; what is here stays as it is")]
            return
        }
        guard !hasEnded else { return }
        others = found.others
        let isWhole = found.away.isEmpty && !roots.isEmpty
        var setbacks = found.away.map { Setback($0.path, "it is away (\($0.reason)); its plans stay as they were") }
        let (knownSets, knownFiles) = (try parts.library.sets.known(), try parts.library.sets.files())
        var plans = try identify(found, knownSets)
        let due = try plans.indices.filter { try isDue(plans[$0].plan, at: now) }

        var assembly = SetPlan(settings)
        for file in found.book + found.sets.flatMap(\.files) { assembly.titles.add(file) }
        for plan in try parts.library.plans.allAsPlanned() where plan.plan.id.source == .service {
            for item in plan.items { for chart in item.attachments { assembly.titles.add(chart, title: item.title, key: item.keyName) } }
        }
        var files: [SetFile] = []
        for index in due { files += assembly.files(of: plans[index].set) }
        let sharedDue = try shared.filter { try isDue($0.plan, at: now) }
        let charts = try charts(of: sharedDue, found, knownFiles, into: &assembly)
        for each in sharedDue { files += assembly.files(of: each.set.set, charts: charts) }
        try await read(files, knownFiles, into: &assembly)
        guard !hasEnded else { return }
        if !assembly.unfinished.isEmpty { lookAgain() }

        try takeOver(&plans, due, assembly, knownSets, isWhole: isWhole)
        var contents: [PlanContents] = []
        for index in due {
            let new = assembly.contents(of: plans[index].set, as: plans[index].plan)
            // What a list names may be in the folder that is away.
            if !found.away.isEmpty, case .list = plans[index].set.contents, try hasLost(new) { continue }
            contents.append(new)
        }
        for each in sharedDue {
            let new = assembly.contents(of: each.set.set, by: each.set.person, as: each.plan, charts: charts)
            if try found.away.isEmpty || !hasLost(new) { contents.append(new) }
        }
        // A folder that cannot be read says nothing about its plans.
        let unread = unreadable(knownSets, found)
        var named: Set<PlanID>? = isWhole ? Set(plans.map(\.plan.id) + unread.values.map(\.plan)) : nil
        // What others share, or share no longer, they have signed: there is no doubt about that.
        if let all = named, let doubt = try parts.library.plans.doubt(aboutList: all.union(formerlyShared), of: .sets, at: now) {
            if try !isConfirmed(missing: all, at: now) {
                named = nil
                let words = "\(doubt.missing) of \(doubt.of) sets are gone from their folders at once; they stay until an hour has passed"
                setbacks.append(Setback("sets", words))
            }
        } else {
            // If they vanish once more, that is another hour.
            missing = nil
        }
        let isSure = named != nil
        if !shared.isEmpty || !formerlyShared.isEmpty {
            let gone = try parts.library.plans.gone()
            let own = named ?? Set(ids).subtracting(formerlyShared).filter { gone[$0] == nil }
            named = own.union(shared.map(\.plan.id))
        }
        let changes = parts.report(
            try parts.library.plans.update(
                contents, named: named, ahead: parts.ahead, of: .sets, accepted: try meant(contents), at: now))
        self.changes += changes
        let isAccepted = try acceptSaved(plans)
        if !changes.isEmpty || isAccepted {
            parts.events?.plansChanged()
            parts.look.soon()
        }
        // What is away or doubted may come back as it was.
        try note(plans, in: found, isSure ? unread : knownSets, knownFiles, isWhole: isSure, assembly)
        lacksShared = false
        let kept = try await keep(contents, assembly)
        setbacks += kept.setbacks
        hasAll = found.away.isEmpty && unread.isEmpty && assembly.unfinished.isEmpty && kept.setbacks.isEmpty
        // Of a folder that is away, one line says enough.
        if found.away.isEmpty { setbacks += unread.keys.sorted().map { Setback($0, "it cannot be read; its plan stays as it was") } }
        setbacks += assembly.faults.sorted { $0.key.path < $1.key.path }.map { Setback($0.key.name, $0.value) }
        setbacks += assembly.unfinished.map(\.name).sorted().map { Setback($0, "it is still being written; it is read again soon") }
        self.setbacks = Setback.folded(setbacks)
    }
}

extension SetKeeper {
    /// A set, and the plan that it is.
    struct Identified {
        let set: FoundSet
        var plan: Plan
    }

    /// Finds out which plan each set is. A set that was renamed is the plan that it was, known by the number of its folder on the disk.
    private func identify(_ found: FoundSets, _ known: [String: SetStore.Known]) throws(LibraryError) -> [Identified] {
        let (present, unread) = (Set(found.sets.map(\.path)), unreadable(known, found))
        // What cannot be read has not vanished, and a folder on another disk may have the same number.
        let gone = known.filter { !present.contains($0.key) && unread[$0.key] == nil }
        var vanished = Dictionary(gone.map { ($0.value.inode, $0.value.plan) }) { first, _ in first }
        var taken = Set(found.sets.compactMap { known[$0.path]?.plan }).union(unread.values.map(\.plan))
        return found.sets.map { set in
            let id = known[set.path]?.plan ?? vanished.removeValue(forKey: set.inode) ?? newID(of: set, besides: taken)
            taken.insert(id)
            return Identified(set: set, plan: plan(set, id))
        }
    }

    func plan(_ set: FoundSet, _ id: PlanID) -> Plan {
        SetPlan.plan(set, id: id) { Timestamp(nanoseconds: LocalTime.nanoseconds(ofWallTime: $0)) }
    }

    /// The id of a new set: its path from the configured folder, so that all who have the folder have the same id.
    private func newID(of set: FoundSet, besides taken: Set<PlanID>) -> PlanID {
        let root = roots.filter { set.path.utf8.starts(with: ($0 + "/").utf8) }.max { $0.utf8.count < $1.utf8.count } ?? ""
        let path = String(decoding: set.path.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self)
        let ids = [PlanID.ofSet(path)] + (2...(taken.count + 2)).map { PlanID.ofSet("\(path)#\($0)") }
        return ids.first { !taken.contains($0) } ?? ids[0]
    }

    /// Whether a set is kept ready: it is coming, or it was.
    private func isDue(_ plan: Plan, at now: Timestamp) throws(LibraryError) -> Bool {
        if plan.isComing(at: now, ahead: parts.ahead) { return true }
        return try parts.library.plans.has(plan.id)
    }

    /// Gives a new set the plan of one that vanished with exactly the same charts: a program that syncs folders renames one by making another.
    private func takeOver(
        _ plans: inout [Identified], _ due: [Int], _ assembly: SetPlan, _ known: [String: SetStore.Known], isWhole: Bool
    ) throws(LibraryError) {
        let present = Set(plans.map(\.plan.id))
        let former = Set(known.values.map(\.plan))
        var vanished = isWhole ? former.subtracting(present) : []
        for index in due where known[plans[index].set.path] == nil {
            let set = plans[index].set
            let charts = Set(assembly.contents(of: set, as: plans[index].plan).attachments.map(\.id))
            guard !charts.isEmpty else { continue }
            if let kept = try parts.library.plans.asPlanned(plans[index].plan.id) {
                // A disk may give the number of a folder that was removed to the next one that is made.
                let others = Set(kept.attachments.map(\.id))
                guard former.contains(kept.plan.id), !others.isEmpty, charts.isDisjoint(with: others) else { continue }
                plans[index].plan = plan(set, newID(of: set, besides: former.union(plans.map(\.plan.id))))
            }
            for other in vanished.sorted() {
                guard let kept = try parts.library.plans.asPlanned(other), Set(kept.attachments.map(\.id)) == charts else { continue }
                plans[index].plan = plan(set, other)
                vanished.remove(other)
                break
            }
        }
    }

    /// The known sets that were not found because they, or folders around them, cannot be read.
    private func unreadable(_ known: [String: SetStore.Known], _ found: FoundSets) -> [String: SetStore.Known] {
        let present = Set(found.sets.map(\.path))
        let missing = known.filter { !present.contains($0.key) }
        guard !missing.isEmpty else { return [:] }
        return missing.filter { path, _ in
            (found.others + found.away).contains { path == $0.path || path.utf8.starts(with: ($0.path + "/").utf8) }
        }
    }

    /// Whether a plan lacks charts that it had, and names songs without charts.
    private func hasLost(_ contents: PlanContents) throws(LibraryError) -> Bool {
        guard !contents.leftOut.isEmpty, let kept = try parts.library.plans.asPlanned(contents.plan.id) else { return false }
        return !Set(kept.attachments.map(\.id)).isSubset(of: contents.attachments.map(\.id))
    }

    /// The sets that their musician has clearly changed: a list whose songs are all found, and a folder that has not lost most of its charts.
    /// A chart that was replaced is another one, so whatever is counted at a service would call most such changes a loss.
    private func meant(_ plans: [PlanContents]) throws(LibraryError) -> Set<PlanID> {
        var meant: Set<PlanID> = []
        for contents in plans where contents.leftOut.isEmpty && !contents.attachments.isEmpty {
            let former = try parts.library.plans.asPlanned(contents.plan.id)?.attachments.count ?? 0
            let isList = contents.plan.id.text.hasSuffix(".txt")
            if isList || contents.attachments.count * 2 >= former { meant.insert(contents.plan.id) }
        }
        return meant
    }

    /// Whether the same sets have been missing for an hour.
    private func isConfirmed(missing named: Set<PlanID>, at now: Timestamp) throws(LibraryError) -> Bool {
        if missing?.named != named { missing = (named, parts.time.now) }
        return missing.map { parts.time.now - $0.since >= .seconds(3600) } ?? false
    }

    private func note(
        _ plans: [Identified], in folders: FoundSets, _ staying: [String: SetStore.Known], _ knownFiles: [String: SetStore.File],
        isWhole: Bool, _ assembly: SetPlan
    ) throws(LibraryError) {
        let found = Set(plans.map(\.plan.id))
        var sets = staying.filter { !found.contains($0.value.plan) }
        for each in plans { sets[each.set.path] = .init(plan: each.plan.id, inode: each.set.inode) }
        let present = Set((folders.book + folders.sets.flatMap(\.files)).map(\.path))
        var files = knownFiles.filter { !isWhole || present.contains($0.key) }
        for (file, digest) in assembly.read where assembly.isAsRead(file) && !isShared(file) {
            files[file.path] = .init(stamp: file.stamp, digest: digest)
        }
        try parts.library.sets.note(sets, files: files)
    }
}
