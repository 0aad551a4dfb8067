import Catalogue
import ImageKeeping
import Library
package import Model
import PlanningCenter
package import Platform
import Rendering

/// Downloads new charts, several at a time, nearest plan first. A chart that is here stays until its successor has arrived intact.
@LoopActor
package final class ChartDownloads {
    let parts: SyncParts
    private let succession: Succession

    struct Outcome {
        var changes: [LibraryChange] = []
        var setbacks: [Setback] = []
        /// The pause that the service demanded before the next poll.
        var retryAfter: Duration?
    }

    /// The files that could not be downloaded, with reasons.
    package private(set) var refused = RefusedDownloads()
    /// The progress of the running downloads; empty outside a poll.
    package private(set) var progress = DownloadProgress()
    /// Charts and bytes downloaded since the start.
    package private(set) var total = (charts: 0, bytes: 0)

    init(_ parts: SyncParts) {
        self.parts = parts
        succession = Succession(parts)
    }

    /// Downloads new files of these plans and charts, within this agent's scope.
    func run(_ contents: [PlanContents], _ poll: PollScope) async -> Outcome {
        do {
            let contents = parts.scope.narrowed(contents, gone: Set(try parts.library.plans.gone().keys), at: parts.now)
            return await run(contents.map { $0.narrowed(to: poll) }, isRequested: poll.isRequested)
        } catch {
            return Outcome(setbacks: [Setback("library", "\(error)")])
        }
    }

    /// Downloads new files of these plans. If a person asked for that (`isRequested`), failed downloads are tried again immediately.
    private func run(_ plans: [PlanContents], isRequested: Bool) async -> Outcome {
        let setbacks = Collected()
        var due: [Attachment]
        do {
            due = try parts.library.charts.attachmentsToDownload(for: plans)
        } catch {
            return Outcome(setbacks: [Setback("library", "\(error)")])
        }
        if !isRequested {
            due.removeAll { attachment in
                guard let setback = refused.setback(of: attachment, at: parts.time.now) else { return false }
                setbacks.all.append(setback)
                return true
            }
        }
        progress = DownloadProgress(of: due)
        parts.events?.downloadsProgressed()
        await concurrently(due, atMost: parts.width) { [self] attachment in
            await parts.gate.pass()
            guard !Task.isCancelled else { return }
            // The same failure would stop the remaining downloads, too, each after a wait of its own.
            if let (error, message) = setbacks.hopeless, (try? isDrawn(attachment)) != true {
                return note(error, "not tried, since another one failed: \(message)", of: attachment)
            }
            do {
                let changes = try await download(attachment)
                setbacks.changes += changes
                refused.forget(attachment)
                setbacks.failuresInARow = 0
                parts.events?.chartArrived(changes)
            } catch {
                // This program cancelled the download: it is still due, and the file is not at fault.
                if error as? ServiceFailure == .cancelled || error as? RenderFailure == .cancelled { return }
                let (message, brief) = Self.message(error)
                note(error, message, of: attachment)
                setbacks.all.append(Setback(attachment.filename, message, brief: brief))
                setbacks.note(error as? ServiceFailure, message)
            }
            progress.done += 1
            parts.events?.downloadsProgressed()
        }
        // Reset the progress: files that this poll has given up do not count as pending.
        progress = DownloadProgress()
        parts.events?.downloadsProgressed()
        return Outcome(changes: setbacks.changes, setbacks: Setback.folded(setbacks.all), retryAfter: setbacks.retryAfter)
    }

    /// Forgets which downloads failed, so that the next poll tries all of them again without a pause.
    package func forgive() { refused = RefusedDownloads() }

    /// Records why a chart did not arrive, so that commands can report it when no agent runs.
    private func note(_ error: any Error, _ message: String, of attachment: Attachment) {
        refused.note(error, Setback(attachment.filename, message, brief: Self.message(error).brief), of: attachment, at: parts.time.now)
        let sizes: DownloadFault.Sizes? =
            if case LibraryError.wrongSize(_, let expected, let found) = error { .init(expected: expected, found: found) } else { nil }
        do throws(LibraryError) {
            try parts.library.charts.note(downloadFault: message, sizes: sizes, of: attachment, at: parts.now)
        } catch {
            // The note may fail for the same reason that the chart did not arrive, such as a full disk.
            parts.log.debug("\(error)")
        }
    }

    private func download(_ attachment: Attachment) async throws -> [LibraryChange] {
        guard try !isDrawn(attachment) else {
            try await draw(attachment, in: .background)
            return []
        }
        guard let service = parts.service else { throw Trouble("there is no account to fetch it with") }
        let file = try parts.library.charts.beginChart()
        let received = ReceivedChart(file: file)
        do {
            _ = try await service.download(attachment) { start in
                self.progress.bytes += start.offset - received.size
                return received.begin(start)
            } into: { piece in
                guard received.receive(piece) else { return false }
                self.progress.bytes += piece.count
                self.parts.events?.downloadsProgressed()
                return true
            }
        } catch {
            progress.bytes -= received.size
            // If the sink refused the data, the disk's error is the reason; the network's error is only a consequence.
            throw received.error.map { LibraryError.system($0) } ?? error
        }
        if attachment.isSong {
            try await draw(received, of: attachment)
            total = (total.charts + 1, total.bytes + received.size)
            return []
        }
        let successor = try await succession.examine(received, of: attachment, at: parts.now)
        let setAside = try parts.library.charts.keep(
            file, hash: successor.hash, size: successor.size, for: attachment.id, madeFrom: attachment.generatedFrom,
            version: attachment.version)
        // If the description cannot be saved, the chart is opened once more later.
        if let (description, tag) = successor.description {
            try? parts.events?.described(successor.hash, as: description, by: tag)
        }
        total = (total.charts + 1, total.bytes + successor.size)
        guard let setAside else { return [] }
        return [try parts.library.charts.noteSetAside(as: setAside, LibraryChange.ChartReference(attachment), at: parts.now)]
    }

    private static func message(_ error: any Error) -> (whole: String, brief: String?) {
        guard case .forbidden(let message) = error as? ServiceFailure else { return ("\(error)", (error as? ServiceFailure)?.brief) }
        let brief = "no permission for this file (\(message))"
        return ("\(brief); ask the administrator of your account at the service", brief)
    }
}

@LoopActor
private final class Collected {
    var all: [Setback] = []
    var changes: [LibraryChange] = []
    var failuresInARow = 0
    /// Why further downloads in this poll are pointless; `nil` if they are not.
    private(set) var hopeless: (error: ServiceFailure, message: String)?
    private(set) var retryAfter: Duration?

    /// After this many downloads in a row without an answer or with a server error, the network or the service is at fault, not the file.
    private static let mostFailuresInARow = 4

    func note(_ failure: ServiceFailure?, _ message: String) {
        switch failure {
        case .notAuthorised?: hopeless = failure.map { ($0, message) }
        case .rateLimited(let wait)?:
            hopeless = failure.map { ($0, message) }
            // Several downloads were under way, so wait as long as the longest of their answers demands.
            retryAfter = max(retryAfter ?? .zero, wait)
        case .offline?, .serverError?:
            failuresInARow += 1
            if failuresInARow >= Self.mostFailuresInARow { hopeless = failure.map { ($0, message) } }
        default: break
        }
    }
}

extension PlanContents {
    /// The plan with only the charts that the poll is about.
    fileprivate func narrowed(to scope: PollScope) -> PlanContents {
        guard let isWanted = scope.charts else { return self }
        var narrow = self
        for index in narrow.items.indices {
            let item = items[index]
            narrow.items[index].attachments.removeAll { !isWanted($0, item) }
        }
        return narrow
    }
}

/// The versions of files that did not arrive, with reasons. Every poll tries them again, with three exceptions: files that the
/// service itself refuses, unusable song texts, and files that were unusable twice wait ever longer, from 15 minutes to two hours.
///
/// Kept only while the program runs: a new version, a restart or a user's request downloads the file again immediately.
package struct RefusedDownloads {
    private struct File: Hashable {
        let use: ChartUse
        let version: String

        init(_ attachment: Attachment) { (use, version) = (attachment.use, attachment.version) }
    }

    private var files = Retries<File, Setback>(GrowingPause(first: .seconds(15 * 60), most: .seconds(2 * 3600)))

    /// All setbacks, in a stable order.
    package var all: [(attachment: AttachmentID, setback: Setback)] {
        files.entries.sorted { $0.key.use < $1.key.use }.map { ($0.key.use.attachment, $0.value.reason) }
    }

    /// The setback of this version while it must not be fetched again.
    func setback(of attachment: Attachment, at now: Moment) -> Setback? {
        files.mayTry(File(attachment), at: now) ? nil : files[File(attachment)]?.reason
    }

    /// Why this version did not arrive at the last attempt.
    package func reason(of attachment: Attachment) -> String? { files[File(attachment)]?.reason.message }

    mutating func note(_ error: any Error, _ setback: Setback, of attachment: Attachment, at now: Moment) {
        let (file, patience) = (File(attachment), Self.patience(with: error))
        files.keep { $0.use != file.use || $0 == file }
        files.note(setback, of: file, at: now, counts: patience != nil, free: patience ?? .max)
    }

    mutating func forget(_ attachment: Attachment) { files.keep { $0.use != attachment.use } }

    /// How often this failure may happen before the file has to wait; `nil` if the next poll may try again. A log-in page, a
    /// truncated answer or a broken connection proves nothing about the file.
    private static func patience(with error: any Error) -> Int? {
        switch error {
        case ServiceFailure.forbidden, ServiceFailure.missing: 0
        // Drawing the same text again fails in the same way.
        case RenderFailure.drawing: 0
        case let chart as UnusableChart: chart.patience
        case LibraryError.notAPDF(_, let found) where ![.empty, .webPage, .json].contains(found): 1
        default: nil
        }
    }
}

/// A file that arrived from the service completely but cannot be used as a chart.
struct UnusableChart: Error, CustomStringConvertible {
    let description: String
    /// How often it may be fetched again before it has to wait.
    let patience: Int

    /// A file that is called as one with words and chords, and holds none that can be read.
    init(text fault: String) {
        self.init(
            description: "it is called as a file with words and chords, but \(fault); then attach it again at the service", patience: 0)
    }

    private init(description: String, patience: Int) { (self.description, self.patience) = (description, patience) }

    /// A new version that cannot be opened or drawn, although the present version can. The file may have been damaged in transit;
    /// if it fails twice, the service's own file is damaged.
    init(successor fault: String, advice: String = "") {
        self.init(description: "\(fault); the chart already here is kept\(advice)", patience: 1)
    }

    init(unopened reason: String) { self.init(successor: "the new version cannot be opened: \(reason)") }
}
