import Catalogue
import ChartFiles
import Freshness
package import Library
import Model
package import Platform
package import Watching

/// The objects and settings that all objects working on mark files share.
struct MarkParts {
    let library: Library
    let settings: MarkSettings
    let side: SideThread
    let time: any TimeKeeper
    let log: Log

    var roots: MarkRoots { settings.roots }
}

/// Keeps the library up to date with the user's own mark files, which it only reads.
///
/// It receives events, waits until programs have finished with the files, and has them read. `FolderCheck` finds changes that
/// caused no event, `BatchReader` reads, and `MarkMatching` finds charts for files that had none.
///
/// The states of a mark file, and which object keeps each:
///
///     changed ──► settling ──► waiting ──► known ◄──► faulty (its last marks stay)
///     an event    `Settler`    `waiting`   the library's `local_files`
///     or a scan                   │          │  ▲
///                 refused there ──┘          │  └─ back
///                 `unstored`: tried          ├──► away: its folder is missing, its marks stay
///                 with every scan            └──► gone: kept in its chart's history
///
/// Files written here are put in `handed`, so that they are known before their events arrive.
@LoopActor
package final class MarkKeeper {
    private let parts: MarkParts
    private let changed: @LoopActor () -> Void
    private let check: FolderCheck
    private lazy var reader = BatchReader(parts, finder, check, matching) { [weak self] in self?.receive($0) }
    private let finder: MarkedChartFinder
    private let matching: MarkMatching

    private lazy var settler = Settler(quiet: parts.settings.settle, ceiling: parts.settings.settleMost, clock: parts.time) {
        [weak self] in self?.read($0)
    }
    /// Files that nobody is writing any more, and that are still to be read.
    private var waiting: [String] = []
    /// The contents of files that were written here; each file once, with everything written into it joined.
    private var handed: [MarkReading] = []
    /// Files that could not be stored, by the bytes of their paths: they wait for the next attempt, and delay no others.
    private var unstored: Set<[UInt8]> = []
    private var lookDue = Look.nothing
    /// Charts that gained or lost files, so what each part draws there may change.
    private var moved: Set<AttachmentID> = []
    /// Runs `readWaiting`, one run at a time; any number of hints during a run start one more.
    private let work = Hints()
    private var hasLooked = false
    private var isBeginning = true
    /// Closed from `finishFirstLook` until the first run has read its files or has failed; if there are many files, only until the
    /// first of them, those for the nearest plans, have been read.
    private let beginning = Gate()
    private let retry: Alarm
    /// The pauses before further attempts, which grow with each failure in a row. A run that stores all its files ends the row.
    private var failures = GrowingPause.usual
    private var isStopped = false

    /// Few enough that a single change shows soon, and enough that a thousand changes do not take a thousand commits.
    private static let readAtATime = 32
    /// After this many files, `finishFirstLook` returns: enough to include a musician's everyday changes.
    private static let readBeforeAnythingIsDrawn = 256

    /// `listed` returns the listing that was made of a folder when watching it began, once per folder. `changed` is called when
    /// drawn marks may have changed.
    package init(
        library: Library, settings: MarkSettings, side: SideThread, time: any TimeKeeper, log: Log,
        listed: @escaping @LoopActor (String) async -> FileListing? = { _ in nil },
        changed: @escaping @LoopActor () -> Void
    ) {
        parts = MarkParts(library: library, settings: settings, side: side, time: time, log: log)
        (self.changed, retry) = (changed, Alarm(time))
        finder = MarkedChartFinder(library: library, roots: settings.roots, side: side) { time.timestamp }
        check = FolderCheck(parts, listed: listed)
        matching = MarkMatching(parts, finder, changed: changed)
    }

    /// The state of the folders as last reported.
    package var folders: MarkFolders { check.folders }
    /// The files that a warning in the log calls unreadable.
    package var warned: Set<String> { reader.warned }

    package var isQuiet: Bool { settler.isQuiet && work.isQuiet && matching.isQuiet }

    package func quiet() async {
        while !isQuiet {
            await settler.quiet()
            await work.quiet()
            await matching.quiet()
        }
    }

    package func stop() {
        isStopped = true
        retry.cancel()
        reader.stop()
        settler.stop()
        waiting = []
        beginning.open()
    }

    // MARK: - Receiving

    /// How much to compare with the library's records.
    private enum Look: Hashable {
        case nothing
        case folders(Set<String>)
        case all

        /// With more folders than this, a complete scan is no more work.
        private static let mostFolders = 64

        mutating func formUnion(_ other: Look) {
            switch (self, other) {
            case (.nothing, _): self = other
            case (_, .nothing): break
            case (.folders(let these), .folders(let those)) where these.union(those).count <= Self.mostFolders:
                self = .folders(these.union(those))
            default: self = .all
            }
        }
    }

    /// Reports marks on pages that their charts turned out to lack. The first call also compares all files with the library's
    /// records. If few files are new, they are all read before this returns, so that no outdated marks are drawn; if many are new,
    /// it returns earlier.
    package func finishFirstLook() async {
        matching.reportUncounted()
        guard !hasLooked else { return }
        beginning.close()
        requestLook()
        // Do not wait for files that somebody is still writing: that may take for ever.
        await beginning.pass()
    }

    package func requestLook() {
        hasLooked = true
        look(at: .all)
    }

    private func look(at look: Look) {
        lookDue.formUnion(look)
        work.hint { [weak self] in await self?.readWaiting() }
    }

    /// Reads files that nobody is writing any more.
    func read(_ paths: [String]) {
        work.hint { [weak self] in await self?.readWaiting() }
        waiting += paths
    }

    /// Stores the contents of a file that was written here. Its marks count from then on, even if somebody replaces the file soon after.
    package func receive(_ reading: MarkReading) {
        let former = handed.firstIndex { $0.path.utf8.elementsEqual(reading.path.utf8) }
        handed.append(former.map { reading.joined(with: handed.remove(at: $0)) } ?? reading)
        // Somebody may have replaced the file by the time these contents are stored, so check it again.
        note(file: reading.path)
        work.hint { [weak self] in await self?.readWaiting() }
    }

    package func matchAgain() {
        matching.matchAgain { [weak self] charts in
            guard let self else { return }
            moved.formUnion(charts)
            work.hint { [weak self] in await self?.readWaiting() }
        } tryAgain: { [weak self] in
            self?.tryAgain()
        }
    }

    /// Handles an event of the file system; events that do not concern marks are ignored.
    package func follow(_ event: FileEvent) {
        switch event {
        case .written(let path): note(file: path)
        // When a renamed backup is removed, the file that it stood in for may be gone, too.
        case .removed(let path): note(file: path.hasSuffix("~") ? String(path.dropLast()) : path)
        case .folderRemoved(let path), .rescan(let path): note(folder: path)
        }
    }

    private func note(file path: String) {
        let path = check.path(path)
        if parts.roots.admits(path: path) {
            settler.note(path)
        } else if parts.roots.mayMiss(path: path) {
            check.note(passedOver: path)
            work.hint { [weak self] in await self?.readWaiting() }
        }
    }

    private func note(folder path: String) {
        let (path, roots) = (check.path(path), parts.roots)
        if !hasLooked || roots.root(of: path) == nil {
            if roots.concerns(path) { requestLook() }
        } else if roots.reaches(folder: path) {
            look(at: .folders([path]))
        }
    }

    // MARK: - Reading

    /// Stores what was written here, then reads the waiting files and, if a scan is due, the files that it finds changed or missing.
    private func readWaiting() async {
        await check.checkPassedOver()
        let look = lookDue
        lookDue = .nothing
        var isNews = false
        // Even if a later step fails, draw what the library has by then: no later scan will see a difference there.
        defer {
            if isNews { changed() }
            beginning.open()
        }
        do {
            if try await keepHanded() { isNews = true }
            if !moved.isEmpty {
                let charts = moved
                if try await reader.keep([], on: charts).isNews { isNews = true }
                moved.subtract(charts)
            }
            let fromEvents = takeWaiting()
            var paths = fromEvents
            var gone: [String] = []
            if look != .nothing {
                let found = try await compare(look)
                isNews = found.isNews
                // Another program may be rewriting the missing files, so wait until they settle. At the beginning, do not wait: nothing is
                // drawn yet.
                if isBeginning { gone = found.gone } else { for path in found.gone { settler.note(path) } }
                paths = BatchReader.once(paths + found.changed)
                // Some parts have to be read again: a program that does not know parts has changed them, or other parts of their layer
                // were forgotten.
                if look == .all {
                    paths = BatchReader.once(paths + (try parts.library.parts.filesToRead()).filter(parts.roots.admits))
                }
                if look == .all { isBeginning = false }
            }
            // Missing files come last: by then, the renamed files are known.
            try await read(nearestFirst(paths) + gone, fromEvents: fromEvents, isNews: &isNews)
            // Files without a chart may have one now; nothing needs to wait for matching them.
            if look == .all { matchAgain() }
            if unstored.isEmpty { failures.succeed() } else { tryAgain() }
        } catch {
            // The next scan finds the unread files again.
            lookDue = .all
            parts.log.error("\(error)")
            tryAgain()
        }
    }

    private func compare(_ look: Look) async throws -> FolderCheck.Findings {
        switch look {
        case .nothing: return FolderCheck.Findings()
        case .all: return try await check.compareAll()
        case .folders(let folders):
            let found = try await check.compare(below: folders)
            if found.needsLook { self.requestLook() }
            return found
        }
    }

    /// Reads files, a batch at a time. Changes are announced ever more rarely, because each announcement causes a check of
    /// everything that is drawn on the charts. Files saved meanwhile are read first, and announced immediately.
    private func read(_ paths: [String], fromEvents: [String], isNews: inout Bool) async throws {
        var rest = paths[...]
        let look = try parts.library.markFiles.nextLook()
        // Files from events were saved after the scan's listings, so they count as found by the next scan.
        var fromEvents = Set(fromEvents.map { Array($0.utf8) })
        var (count, nextReport) = (0, 2 * Self.readAtATime)
        while true {
            if try await keepHanded() { isNews = true }
            let saved = takeWaiting()
            if !saved.isEmpty { rest = try BatchReader.once(nearestFirst(saved) + rest)[...] }
            fromEvents.formUnion(saved.map { Array($0.utf8) })
            let batch = Array(rest.prefix(Self.readAtATime))
            guard !batch.isEmpty else { return }
            rest = rest.dropFirst(batch.count)
            // Leave out files that could not be stored, until the next attempt: the contents of a file in `handed` must be stored before
            // its contents on disk, which are newer.
            let outcome = try await storing(batch.filter { !unstored.contains(Array($0.utf8)) }) { [reader, fromEvents, look] in
                try await reader.read($0) { fromEvents.contains(Array($0.utf8)) ? look + 1 : look }
            }
            if outcome.isNews { isNews = true }
            if outcome.needsLook { self.requestLook() }
            count += batch.count
            guard !rest.isEmpty else { return }
            if isNews, count >= nextReport || !saved.isEmpty {
                isNews = false
                changed()
                nextReport = 2 * count
            }
            if count >= Self.readBeforeAnythingIsDrawn { beginning.open() }
            // Let all other waiting tasks run first.
            await spawn {}.value
        }
    }

    /// Stores files that were written here, one after the other. Returns whether drawn marks may have changed.
    private func keepHanded() async throws -> Bool {
        var isNews = false
        func next() -> Int? { handed.firstIndex { !unstored.contains(Array($0.path.utf8)) } }
        while let place = next() {
            let reading = handed[place]
            let look = try parts.library.markFiles.nextLook()
            let outcome = try await storing([reading.path]) { [reader] _ in try await reader.keep([reading]) { _ in look } }
            if outcome.isNews { isNews = true }
            if outcome.needsLook { self.requestLook() }
            // Remove the entry only after it is stored: a locked or full library gets another attempt. The list may have changed meanwhile.
            guard !unstored.contains(Array(reading.path.utf8)) else { continue }
            if let stored = handed.firstIndex(where: { $0.isSame(as: reading) }) { handed.remove(at: stored) }
        }
        return isNews
    }

    /// Stores files together. If that fails because of a file, stores them one by one, so that this file delays no others.
    private func storing(
        _ paths: [String], _ store: @LoopActor ([String]) async throws -> (isNews: Bool, needsLook: Bool)
    ) async throws -> (isNews: Bool, needsLook: Bool) {
        do {
            return try await store(paths)
        } catch let error as LibraryError where !error.isOfLibrary {
            guard paths.count > 1 else {
                for path in paths where unstored.insert(Array(path.utf8)).inserted {
                    parts.log.error("\(path) was not taken over: \(error)")
                }
                return (false, false)
            }
        }
        var all = (isNews: false, needsLook: false)
        for path in paths {
            let outcome = try await storing([path], store)
            all = (all.isNews || outcome.isNews, all.needsLook || outcome.needsLook)
        }
        return all
    }

    /// If there are many files, sorts those for the nearest plans first. A file's chart is taken from its record, or guessed from its name.
    private func nearestFirst(_ paths: [String]) throws(LibraryError) -> [String] {
        guard paths.count > Self.readAtATime else { return paths }
        let now = parts.time.timestamp
        let plans = try parts.library.plans.all()
        let coming = plans.filter { !$0.plan.isPast(at: now) }.sorted { $0.plan.comesBefore($1.plan) }
        let past = plans.filter { $0.plan.isPast(at: now) }.sorted { $1.plan.comesBefore($0.plan) }
        var places: [AttachmentID: Int] = [:]
        for (place, contents) in (coming + past).enumerated() {
            for attachment in contents.attachments where places[attachment.id] == nil { places[attachment.id] = place }
        }
        let known = Dictionary(try parts.library.markFiles.states().map { ($0.path, $0.attachment) }) { first, _ in first }
        let index = try parts.library.matches.index()
        func place(_ path: String) -> Int {
            if let attachment = known[path] ?? nil { return places[attachment] ?? plans.count }
            return index.likelyCharts(of: path).lazy.compactMap { places[$0] }.min() ?? plans.count
        }
        let order = paths.enumerated().map { (place: place($1), number: $0, path: $1) }
        return order.sorted { ($0.place, $0.number) < ($1.place, $1.number) }.map(\.path)
    }

    private func takeWaiting() -> [String] {
        defer { waiting = [] }
        return waiting
    }

    /// Scans again after a pause, when the failure (a full disk, a locked library) may have passed.
    private func tryAgain() {
        guard !isStopped, !retry.isSet else { return }
        retry.set(in: failures.fail(at: parts.time.now)) { [weak self] in
            self?.unstored = []
            self?.requestLook()
        }
    }
}
