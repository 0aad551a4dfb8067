import Exporting
import Freshness
import ImageKeeping
import Library
import Marks
import Model
import PageCache
import PlanningCenter
import Platform
import Rendering
import Sync

/// Keeps each coming plan as one PDF in the folder that the musician named, for a program that carries it to a tablet.
///
/// It looks after everything else: when no poll is under way and no image waits. A PDF is made where there is room, and only then brought
/// to that folder, which may be on a network or full.
@LoopActor
final class PlanPDFs {
    private let core: AgentCore
    private let polling: Polling
    private let counter: ChartCounter
    private let queue: RenderQueue
    private let maker: any PDFMaker
    private let folder: String
    private let side: ShelfSide
    private let hints = Hints()
    private let waiters = Waiters()
    private let alarm: Alarm
    /// Why nothing can be kept there.
    private var trouble: String?
    /// What is not there, or not in full, by what it is to show.
    private var failures = Retries<Digest, String>()
    /// Other files in the places of PDFs.
    private var obstacles: [String: FileStamp] = [:]
    /// Until when PDFs are left as they are that were just replaced: while somebody draws, a tablet need not follow each stroke.
    private var rests: [PlanID: Moment] = [:]

    private static let rest = Duration.seconds(300)
    /// How long something rests that only a person can change.
    private static let patience = Duration.seconds(600)

    /// `nil` if no PDFs are to be kept.
    init?(_ core: AgentCore, polling: Polling, counter: ChartCounter, queue: RenderQueue) {
        guard let folder = core.settings.pdfFolder, let maker = core.parts.pdfs, core.settings.scope == .all else { return nil }
        (self.core, self.polling, self.counter, self.queue, self.maker) = (core, polling, counter, queue, maker)
        self.folder = folder
        alarm = Alarm(core.time)
        side = ShelfSide(time: core.time, isInline: core.cache.side.isInline)
        side.hangs = { [weak self] in self?.noteHanging() }
    }

    /// Whether nobody needs to wait: there is nothing left to do, or the folder does not answer, and may never.
    var isQuiet: Bool { hints.isQuiet || side.isHanging }

    func quiet() async {
        guard !isQuiet else { return }
        spawn { [hints, waiters] in
            await hints.quiet()
            waiters.wake()
        }
        await waiters.wait { isQuiet }
    }

    /// Begins nothing more, and does not let anybody wait for long.
    func end() {
        alarm.cancel()
        side.hurry()
    }

    private func noteHanging() {
        core.log.warning(Self.hanging)
        waiters.wake()
    }

    private static let hanging = "export.folder does not answer; connect its disk or network"

    /// One sentence each.
    var complaints: [String] {
        (side.isHanging ? [Self.hanging] : [])
            + (trouble.map { ["no plan is kept as a PDF in export.folder: \($0)"] } ?? [])
            + obstacles.keys.sorted().map {
                "\(folder)/\($0) is not, or no longer, what Woodshed wrote, and stays; move it away, and the plan is written there again"
            } + Set(failures.entries.values.map(\.reason)).sorted()
    }

    /// Brings the folder up to date, soon.
    func look() { hints.hint { [weak self] in await self?.lookOnce() } }

    private func look(at moment: Moment?) {
        alarm.cancel()
        if let moment, core.remembersFiles { alarm.set(at: moment) { [weak self] in self?.look() } }
    }

    private func waitForTheRest() async {
        while !(polling.polls.isEmpty && counter.isIdle && queue.isIdle) {
            await polling.polls.idle()
            await counter.idle()
            await queue.idle()
        }
    }

    private func lookOnce() async {
        await waitForTheRest()
        guard core.remembersFiles else { return }
        let now = core.time.now
        var shelf = await shelfAsNoted()
        await noteTrouble(of: shelf)
        guard trouble == nil else { return look(at: now + Self.patience) }
        do {
            let plans = try await wanted(among: shelf.files)
            failures.keep { key in plans.contains { $0.wanted.key == key } }
            obstacles = obstacles.filter { name, _ in plans.contains { $0.wanted.name == name } }
            rests = rests.filter { $0.value > now }
            for plan in plans {
                await waitForTheRest()
                guard core.remembersFiles else { return }
                shelf = await keep(plan, on: shelf)
            }
            try await tidy(shelf, wanted: plans.map(\.wanted))
            look(at: ([failures.next(after: now)] + rests.values.map(Optional.init)).compactMap(\.self).min())
        } catch {
            core.log.warning("the PDFs in \(folder) could not all be brought up to date, and will be later: \(error)")
            look(at: core.time.now + Self.patience)
        }
    }

    private func shelfAsNoted() async -> PDFShelf {
        await side.run { [folder, record = PDFShelf.record(in: core.library.folder)] in PDFShelf(folder, recordedAt: record) }
    }

    private func noteTrouble(of shelf: PDFShelf) async {
        let found = await side.run { shelf.trouble }
        if let found, found != trouble { core.log.warning("no plan is kept as a PDF in export.folder: \(found)") }
        trouble = found
    }

    // MARK: - What is wanted

    private struct PlanToKeep {
        let wanted: PDFShelf.Wanted
        let contents: ExportContents
    }

    /// The coming plans with charts that are here, the nearest first.
    private func wanted(among files: [PDFShelf.File]) async throws -> [PlanToKeep] {
        let coming = try core.wants.plans(now: core.now).sorted { $0.plan.comesBefore($1.plan) }
        let names = PDFName.names(coming.map(\.plan), among: files)
        var plans: [PlanToKeep] = []
        for plan in coming {
            let contents = try ExportContents(plan, title: PDFName.title(of: plan.plan), in: core.library)
            guard let name = names[plan.plan.id], contents.charts.contains(where: { $0.hash != nil }) else { continue }
            let key = try await contents.key(longSide: core.settings.render.fullSize, in: core.library) {
                [marks = core.keeper.drawnMarks] in
                try await marks.digests(of: $0)
            }
            plans.append(
                PlanToKeep(wanted: PDFShelf.Wanted(plan: plan.plan.id, name: name, key: key, end: plan.plan.end), contents: contents))
        }
        return plans
    }

    // MARK: - Making

    private func keep(_ plan: PlanToKeep, on shelf: PDFShelf) async -> PDFShelf {
        let wanted = plan.wanted
        var shelf = shelf
        do {
            let state: PDFShelf.State
            (shelf, state) = try await ask(shelf) { shelf throws(SystemError) in try shelf.state(wanted) }
            switch state {
            case .right:
                obstacles[wanted.name] = nil
                failures.forget(wanted.key)
                return shelf
            // Whatever the plan shows by now, it would have no place.
            case .foreign(let stamp) where obstacles[wanted.name] == stamp: return shelf
            case .old where rests[wanted.plan] != nil: return shelf
            case .nothing, .old, .foreign: break
            }
            guard failures.mayTry(wanted.key, at: core.time.now) else { return shelf }
            let (file, outcome) = try await make(plan.contents)
            if state == .old, !outcome.isLasting, shelf.isWhole(wanted) {
                return noteFormer(outcome, of: wanted, on: shelf)
            }
            let isThere: Bool
            (shelf, isThere) = try await ask(shelf) { shelf throws(SystemError) in
                try shelf.place(file, as: wanted, isWhole: outcome.unread.isEmpty)
            }
            guard isThere else {
                if case .foreign(let stamp) = try await ask(shelf, { shelf throws(SystemError) in try shelf.state(wanted) }).1 {
                    obstacles[wanted.name] = stamp
                    core.log.warning("\(folder)/\(wanted.name) is not what Woodshed wrote; it stays, and the plan is not written there")
                }
                return shelf
            }
            note(outcome, of: wanted, isNew: state == .nothing)
            return shelf
        } catch RenderFailure.stopped, RenderFailure.cancelled {
            return shelf
        } catch {
            let reason = "\(folder)/\(wanted.name) could not be written, and will be later; what was there stays: \(error)"
            // Another try at charts that cannot be read ends alike, but for a new program.
            let isNews = failures.note(reason, of: wanted.key, at: core.time.now) {
                (error as? ExportFailure)?.isLasting ?? false ? .seconds(86_400) : GrowingPause.after($0)
            }
            if isNews { core.log.warning(reason) }
            // It may have been noted already what was about to be there, and perhaps is.
            return await shelfAsNoted()
        }
    }

    /// Asks beside the loop; answers with the shelf as it is then.
    private func ask<Answer: Sendable>(
        _ shelf: PDFShelf, _ body: @escaping @Sendable (inout PDFShelf) throws(SystemError) -> Answer
    ) async throws(SystemError) -> (PDFShelf, Answer) {
        try await side.run { () throws(SystemError) in
            var shelf = shelf
            let answer = try body(&shelf)
            return (shelf, answer)
        }
    }

    private func make(_ contents: ExportContents) async throws -> (TemporaryFile, PDFExport.Outcome) {
        try await core.sideWork.run { [core, maker] in try await PDFExport(core, maker).make(contents) }
    }

    private func note(_ outcome: PDFExport.Outcome, of wanted: PDFShelf.Wanted, isNew: Bool) {
        obstacles[wanted.name] = nil
        if !isNew { rests[wanted.plan] = core.time.now + Self.rest }
        core.log.info("\(folder)/\(wanted.name) is up to date: \(outcome.pages) pages")
        guard !outcome.unread.isEmpty else { return failures.forget(wanted.key) }
        failures.note("\(folder)/\(wanted.name) is without \(missing(outcome))", of: wanted.key, at: core.time.now) {
            outcome.isLasting ? .seconds(86_400) : GrowingPause.after($0)
        }
    }

    /// What failed for once takes no chart out of a PDF that is whole: that stays until the next try.
    private func noteFormer(_ outcome: PDFExport.Outcome, of wanted: PDFShelf.Wanted, on shelf: PDFShelf) -> PDFShelf {
        let reason = "\(folder)/\(wanted.name) stays as it was for now, since it would be without \(missing(outcome))"
        if failures.note(reason, of: wanted.key, at: core.time.now) { core.log.warning(reason) }
        return shelf
    }

    private func missing(_ outcome: PDFExport.Outcome) -> String {
        outcome.unread.map { "\($0.chart) (\($0.why))" }.joined(separator: ", ")
    }

    // MARK: - Removing

    /// Removes what we wrote for plans that are over, and under former names of those that are there under another.
    private func tidy(_ shelf: PDFShelf, wanted: [PDFShelf.Wanted]) async throws {
        var shelf = shelf
        let known = Dictionary(try core.library.plans.allListed().map { ($0.plan.id, $0.plan) }) { first, _ in first }
        for file in shelf.files where shelf.files.contains(file) {
            guard let reason = try await reasonToRemove(file, from: shelf, wanted: wanted, known: known[file.plan]) else { continue }
            let isGone: Bool
            (shelf, isGone) = try await ask(shelf) { shelf throws(SystemError) in try shelf.remove(file) }
            core.log.info(
                isGone
                    ? "\(folder)/\(file.name) is removed: \(reason)"
                    : "\(folder)/\(file.name) stays, since it is no longer what Woodshed wrote: \(reason)")
        }
    }

    private func reasonToRemove(
        _ file: PDFShelf.File, from shelf: PDFShelf, wanted: [PDFShelf.Wanted], known: Plan?
    ) async throws -> String? {
        if let successor = wanted.first(where: { $0.plan == file.plan }) {
            guard successor.name != file.name else { return nil }
            // Only once there is another.
            return try await ask(shelf, { shelf throws(SystemError) in try shelf.state(successor) }).1 == .right
                ? "the plan is in \(successor.name) now" : nil
        }
        // The service may have forgotten the plan: then it was over when it was last known to be.
        let isOver = known.map { $0.isPast(at: core.now) } ?? file.end.map { core.now > $0 + Plan.graceAfterLastTime } ?? false
        // A clock that is ahead would take the next service's music off the tablet.
        return isOver && polling.isTimeTrusted ? "its plan is over" : nil
    }
}
