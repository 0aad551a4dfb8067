import Catalogue
import Keeping
package import Library
package import Model
package import PlanningCenter
package import Platform

/// Downloads what is new, several files at a time, nearest plan first. Charts that are here stay until their successor is intact.
@LoopActor
package final class ChartDownloads {
    /// What downloads work with.
    package struct Parts {
        let library: Library
        let service: PlanningCenterClient
        let succession: Succession
        let time: any TimeKeeper
        let log: Log
        /// Closed while nothing new may begin.
        let gate: Gate
        /// This many files are downloaded at a time.
        let width: Int

        package init(
            library: Library, service: PlanningCenterClient, succession: Succession, time: any TimeKeeper, log: Log, gate: Gate, width: Int
        ) {
            self.library = library
            self.service = service
            self.succession = succession
            self.time = time
            self.log = log
            self.gate = gate
            self.width = width
        }
    }

    /// Who is told what.
    package struct Listener {
        /// More bytes or charts have arrived.
        let progressed: @LoopActor () -> Void
        /// What was found out about a chart that was checked before it was accepted.
        let described: @LoopActor (Succession.Description, ChartHash) throws -> Void
        /// A chart is here, and this has changed with it.
        let arrived: @LoopActor ([LibraryChange]) -> Void

        package init(
            progressed: @escaping @LoopActor () -> Void, described: @escaping @LoopActor (Succession.Description, ChartHash) throws -> Void,
            arrived: @escaping @LoopActor ([LibraryChange]) -> Void
        ) {
            self.progressed = progressed
            self.described = described
            self.arrived = arrived
        }
    }

    private let parts: Parts
    private let listener: Listener
    /// What could not be downloaded, and why.
    package private(set) var refused = RefusedDownloads()
    /// How far the downloads under way are; none outside a poll.
    package private(set) var progress = DownloadProgress()
    /// Charts and bytes downloaded since the start.
    package private(set) var total = (charts: 0, bytes: 0)

    package init(_ parts: Parts, telling listener: Listener) {
        self.parts = parts
        self.listener = listener
    }

    /// Downloads what is new in these plans and charts, as far as this agent works for them.
    func run(_ contents: [PlanContents], _ poll: PollScope, in scope: SyncScope) async -> (changes: [LibraryChange], setbacks: [Setback]) {
        do {
            let contents = scope.narrowed(contents, gone: Set(try parts.library.plans.gone().keys), at: now)
            return await run(contents.map { $0.narrowed(to: poll) }, isRequested: poll.isRequested)
        } catch {
            return ([], [Setback("library", "\(error)")])
        }
    }

    /// Downloads what is new in these plans. If a person asked (`isRequested`), what could not be downloaded before is tried again at
    /// once.
    private func run(_ plans: [PlanContents], isRequested: Bool) async -> (changes: [LibraryChange], setbacks: [Setback]) {
        let setbacks = Collected()
        var due: [Attachment]
        do {
            due = try parts.library.charts.attachmentsToDownload(for: plans)
        } catch {
            return ([], [Setback("library", "\(error)")])
        }
        if !isRequested {
            due.removeAll { attachment in
                guard let setback = refused.setback(of: attachment, at: parts.time.now) else { return false }
                setbacks.all.append(setback)
                return true
            }
        }
        progress = DownloadProgress(of: due)
        listener.progressed()
        await concurrently(due, atMost: parts.width) { [self] attachment in
            await parts.gate.pass()
            guard !Task.isCancelled else { return }
            // Whatever stopped these would stop the rest, too, each after a wait of its own.
            if let (error, message) = setbacks.hopeless { return note(error, message, of: attachment) }
            do {
                let changes = try await download(attachment)
                setbacks.changes += changes
                refused.forget(attachment)
                setbacks.failuresInARow = 0
                listener.arrived(changes)
            } catch {
                // We broke it off ourselves: it is still due, and nothing is wrong with it.
                if error as? ServiceFailure == .cancelled { return }
                let message = Self.message(error)
                note(error, message, of: attachment)
                setbacks.all.append(Setback(attachment.filename, message))
                setbacks.note(error as? ServiceFailure, message)
            }
            progress.done += 1
            listener.progressed()
        }
        // What was given up was never done; nobody is to wait for it.
        progress = DownloadProgress()
        listener.progressed()
        return (setbacks.changes, Setback.folded(setbacks.all))
    }

    /// Has everything that failed tried again at the next poll: somebody may have asked for that.
    package func forgive() { refused = RefusedDownloads() }

    /// Notes why a chart did not arrive, also for whoever asks when no agent is running.
    private func note(_ error: any Error, _ message: String, of attachment: Attachment) {
        refused.note(error, setback: Setback(attachment.filename, message), of: attachment, at: parts.time.now)
        do throws(LibraryError) {
            try parts.library.charts.note(downloadFault: message, of: attachment, at: now)
        } catch {
            // For instance on a full disk, which is also why the chart did not arrive.
            parts.log.debug("\(error)")
        }
    }

    private var now: Timestamp { parts.time.timestamp }

    private func download(_ attachment: Attachment) async throws -> [LibraryChange] {
        let file = try parts.library.charts.beginChart()
        let received = ReceivedChart(file: file)
        do {
            _ = try await parts.service.download(attachment) { start in
                self.progress.bytes += start.offset - received.size
                return received.begin(start)
            } into: { piece in
                guard received.take(piece) else { return false }
                self.progress.bytes += piece.count
                self.listener.progressed()
                return true
            }
        } catch {
            progress.bytes -= received.size
            // If the sink refused, the disk's own error says why; the network's only says that we wanted no more.
            throw received.error.map { LibraryError.system($0) } ?? error
        }
        let successor = try await parts.succession.examine(received, of: attachment, at: now)
        let setAside = try parts.library.charts.keep(
            file, hash: successor.hash, size: successor.size, for: attachment.id, madeFrom: attachment.generatedFrom,
            version: attachment.version)
        // If it cannot be saved, it is found out once more.
        if let description = successor.description { try? listener.described(description, successor.hash) }
        total = (total.charts + 1, total.bytes + successor.size)
        guard let setAside else { return [] }
        return [try parts.library.charts.noteSetAside(as: setAside, LibraryChange.ChartReference(attachment), at: now)]
    }

    private static func message(_ error: any Error) -> String {
        guard case .forbidden(let message) = error as? ServiceFailure else { return "\(error)" }
        return "no permission for this file (\(message)); ask the administrator of your account at the service"
    }
}

@LoopActor
private final class Collected {
    var all: [Setback] = []
    var changes: [LibraryChange] = []
    var failuresInARow = 0
    /// Why no further download is worth trying in this poll; `nil` while one is.
    private(set) var hopeless: (error: ServiceFailure, message: String)?

    /// If several in a row fail alike, it is the line or the service, not the file.
    private static let mostFailuresInARow = 4

    func note(_ failure: ServiceFailure?, _ message: String) {
        switch failure {
        case .notAuthorised?, .rateLimited?: hopeless = failure.map { ($0, message) }
        case .offline?, .serverError?:
            failuresInARow += 1
            if failuresInARow >= Self.mostFailuresInARow { hopeless = failure.map { ($0, message) } }
        default: break
        }
    }
}

extension PlanContents {
    /// The same plan with only those charts that the poll is about.
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
