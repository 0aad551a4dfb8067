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

/// Keeps each coming plan as one PDF in the folder that the musician configured, for a program that copies the PDF to a tablet.
///
/// This work comes last. It waits until no poll is running, no chart is still to be counted, and no image is still to be made. Each
/// PDF is made on a disk with space, and only then moved to the configured folder, which may be on a network or full.
@LoopActor
final class PlanPDFs {
    private let core: AgentCore
    private let polling: Polling
    private let counter: ChartCounter
    private let queue: RenderQueue
    private let maker: any PDFMaker
    private let folder: String
    private var shelf: PDFShelf
    private let side: ShelfSide
    private let hints = Hints()
    private let waiters = Waiters()
    private let alarm: Alarm
    /// Why no PDF can be kept in the folder.
    private var trouble: String?
    /// PDFs that are missing or incomplete, by the key of their content.
    private var failures = Retries<Digest, String>()
    /// Files that Woodshed did not write, but that have the name of a wanted PDF. Each name leads to the file's checksum.
    private var obstacles: [String: String] = [:]
    /// Until when PDFs that were just replaced stay as they are: while somebody draws, a tablet need not follow each stroke.
    private var rests: [PlanID: Moment] = [:]

    private static let rest = Duration.seconds(300)
    /// How long to wait before another try if only a person can remove the obstacle.
    private static let patience = Duration.seconds(600)

    /// Fails if no PDFs are to be kept, or if the agent's scope is limited.
    init?(_ core: AgentCore, polling: Polling, counter: ChartCounter, queue: RenderQueue) {
        guard let folder = core.settings.pdfFolder, let maker = core.parts.pdfs, core.settings.scope == .all else { return nil }
        (self.core, self.polling, self.counter, self.queue, self.maker) = (core, polling, counter, queue, maker)
        (self.folder, shelf) = (folder, PDFShelf(folder, recordedAt: PDFShelf.record(in: core.library.folder)))
        alarm = Alarm(core.time)
        side = ShelfSide(time: core.time, isInline: core.cache.side.isInline)
        side.hangs = { [weak self] in self?.noteHanging() }
    }

    /// Whether waiting is pointless: all work is done, or the folder does not answer, and may never answer.
    var isQuiet: Bool { hints.isQuiet || side.isHanging }

    func quiet() async {
        guard !isQuiet else { return }
        spawn { [hints, waiters] in
            await hints.quiet()
            waiters.wake()
        }
        await waiters.wait { isQuiet }
    }

    /// Starts no more work, and shortens long waits.
    func end() {
        alarm.cancel()
        side.hurry()
    }

    private func noteHanging() {
        core.log.warning(Self.hanging)
        waiters.wake()
    }

    private static let hanging = "export.folder does not answer; connect its disk or network"

    /// The present problems, one sentence each.
    var complaints: [String] {
        (side.isHanging ? [Self.hanging] : [])
            + (trouble.map { ["no plan is kept as a PDF in export.folder: \($0)"] } ?? [])
            + obstacles.keys.sorted().map {
                "\(folder)/\($0) is not, or no longer, what Woodshed wrote, and stays; move it away, and the plan is written there again"
            } + Set(failures.entries.values.map(\.reason)).sorted()
    }

    /// Schedules an update of the folder.
    func requestUpdate() { hints.hint { [weak self] in await self?.lookOnce() } }

    private func requestUpdate(at moment: Moment?) {
        alarm.cancel()
        if let moment, core.remembersFiles { alarm.set(at: moment) { [weak self] in self?.requestUpdate() } }
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
        await lookForTrouble()
        guard trouble == nil else { return requestUpdate(at: now + Self.patience) }
        do {
            let plans = try await wantedPlans()
            failures.keep { key in plans.contains { $0.wanted.key == key } }
            obstacles = obstacles.filter { name, _ in plans.contains { $0.wanted.name == name } }
            rests = rests.filter { $0.value > now }
            for (wanted, contents) in plans {
                await waitForTheRest()
                guard core.remembersFiles else { return }
                await keep(contents, as: wanted)
            }
            try await tidy(wanted: plans.map(\.wanted))
            requestUpdate(at: ([failures.next(after: now)] + rests.values.map(Optional.init)).compactMap(\.self).min())
        } catch {
            core.log.warning("the PDFs in \(folder) could not all be brought up to date, and will be later: \(error)")
            requestUpdate(at: core.time.now + Self.patience)
        }
    }

    private func lookForTrouble() async {
        let found = await ask { shelf in
            shelf.readRecords()
            return shelf.trouble.map { "\($0.found); \($0.remedy)" }
        }
        if let found, found != trouble { core.log.warning("no plan is kept as a PDF in export.folder: \(found)") }
        trouble = found
    }

    /// Runs `question` with the shelf on a side thread.
    private func ask<Answer: Sendable, Failure: Error>(
        _ question: @escaping @Sendable (inout PDFShelf) throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let (now, answer) = await side.run { [shelf] in
            var shelf = shelf
            let answer = Result { () throws(Failure) in try question(&shelf) }
            return (shelf, answer)
        }
        // Keep the changed shelf even if the question failed, since the shelf contains the notes made before the failure.
        shelf = now
        return try answer.get()
    }

    // MARK: - What is wanted

    /// The coming plans with charts that are here, nearest first.
    private func wantedPlans() async throws -> [(wanted: PDFShelf.Wanted, contents: ExportContents)] {
        let coming = try core.wants.plans(now: core.now).sorted { $0.plan.comesBefore($1.plan) }
        let names = PDFName.names(coming.map(\.plan), among: shelf.files)
        var plans: [(PDFShelf.Wanted, ExportContents)] = []
        for plan in coming {
            let contents = try ExportContents(plan, title: PDFName.title(of: plan.plan), in: core.library)
            guard let name = names[plan.plan.id], contents.charts.contains(where: { $0.hash != nil }) else { continue }
            let key = try await contents.key(longSide: core.settings.render.fullSize, in: core.library) {
                [marks = core.keeper.drawnMarks] in
                try await marks.digests(of: $0, on: $1)
            }
            plans.append((PDFShelf.Wanted(plan: plan.plan.id, name: name, key: key, end: plan.plan.end), contents))
        }
        return plans
    }

    // MARK: - Making

    private func keep(_ contents: ExportContents, as wanted: PDFShelf.Wanted) async {
        do {
            let state = try await ask { shelf throws(SystemError) in try shelf.state(wanted) }
            switch state {
            case .right:
                obstacles[wanted.name] = nil
                return failures.forget(wanted.key)
            // A file that Woodshed did not write has the PDF's name, so the PDF cannot be put there, whatever the plan contains now.
            case .foreign(let sum) where obstacles[wanted.name] == sum: return
            case .old where rests[wanted.plan] != nil: return
            case .nothing, .old, .foreign: break
            }
            guard failures.mayTry(wanted.key, at: core.time.now) else { return }
            let (file, outcome) = try await core.sideWork.run { [core, maker] in try await PDFExport(core, maker).make(contents) }
            // A temporary failure must not remove a chart from a complete PDF, so the old PDF stays until the next try.
            if state == .old, !outcome.isLasting, shelf.isWhole(wanted) {
                return note("stays as it was for now, since it would be without \(missing(outcome))", of: wanted, isLasting: false)
            }
            let placed = try await ask { shelf throws(SystemError) in
                try shelf.place(file, as: wanted, isWhole: outcome.unread.isEmpty)
            }
            if case .foreign(let sum) = placed {
                obstacles[wanted.name] = sum
                return core.log.warning(
                    "\(folder)/\(wanted.name) is not what Woodshed wrote; it stays, and the plan is not written there")
            }
            obstacles[wanted.name] = nil
            if state != .nothing { rests[wanted.plan] = core.time.now + Self.rest }
            core.log.info("\(folder)/\(wanted.name) is up to date: \(outcome.pages) pages")
            guard !outcome.unread.isEmpty else { return failures.forget(wanted.key) }
            note("is without \(missing(outcome))", of: wanted, isLasting: outcome.isLasting)
        } catch RenderFailure.stopped, RenderFailure.cancelled {
            return
        } catch {
            note(
                "could not be written, and will be later; what was there stays: \(error)", of: wanted,
                isLasting: (error as? ExportFailure)?.isLasting ?? false)
        }
    }

    /// Notes a failure. A lasting failure is retried only after a day: while charts are unreadable, only a newer program could succeed.
    private func note(_ what: String, of wanted: PDFShelf.Wanted, isLasting: Bool) {
        let reason = "\(folder)/\(wanted.name) \(what)"
        let isNews = failures.note(reason, of: wanted.key, at: core.time.now, asked: isLasting ? .seconds(86_400) : nil)
        if isNews { core.log.warning(reason) }
    }

    private func missing(_ outcome: PDFExport.Outcome) -> String {
        outcome.unread.map { "\($0.chart) (\($0.why))" }.joined(separator: ", ")
    }

    // MARK: - Removing

    /// Removes Woodshed's PDFs of past plans, and PDFs under a plan's former name once its PDF under the present name is there.
    private func tidy(wanted: [PDFShelf.Wanted]) async throws {
        let known = Dictionary(try core.library.plans.allListed().map { ($0.plan.id, $0.plan) }) { first, _ in first }
        for file in shelf.files where shelf.files.contains(file) {
            guard let reason = try await reasonToRemove(file, wanted: wanted, known: known[file.plan]) else { continue }
            let isGone = try await ask { shelf throws(SystemError) in try shelf.remove(file) }
            core.log.info(
                isGone
                    ? "\(folder)/\(file.name) is removed: \(reason)"
                    : "\(folder)/\(file.name) stays, since it is no longer what Woodshed wrote: \(reason)")
        }
    }

    private func reasonToRemove(_ file: PDFShelf.File, wanted: [PDFShelf.Wanted], known: Plan?) async throws -> String? {
        if let successor = wanted.first(where: { $0.plan == file.plan }) {
            guard successor.name != file.name else { return nil }
            // The PDF under the former name is removed only after the new PDF is in place.
            return try await ask { shelf throws(SystemError) in try shelf.state(successor) } == .right
                ? "the plan is in \(successor.name) now" : nil
        }
        // If the library does not list the plan, the end noted for the file decides.
        let isOver = known.map { $0.isPast(at: core.now) } ?? file.end.map { core.now > $0 + Plan.graceAfterLastTime } ?? false
        // Do not trust a clock that may be ahead: it would take the next service's music off the tablet.
        return isOver && polling.isTimeTrusted ? "its plan is over" : nil
    }
}
