import Library
import Model
import PlanningCenter
import Platform

extension Agent {
    /// Downloads what is new, several at a time, nearest plan first. Charts that are here stay until their successor is whole.
    func download(_ contents: [PlanContents], _ scope: PollScope) async -> (changes: [LibraryChange], setbacks: [Setback]) {
        let setbacks = Collected()
        var due: [Attachment]
        do {
            let contents = settings.scope.narrowed(contents, gone: Set(try parts.library.gonePlans().keys), at: now)
            due = try parts.library.attachmentsToDownload(for: contents.map { $0.narrowed(to: scope) })
        } catch {
            return ([], [Setback("library", "\(error)")])
        }
        if !scope.isRequested {
            due.removeAll { attachment in
                guard let setback = refused.setback(of: attachment, at: parts.time.now) else { return false }
                setbacks.all.append(setback)
                return true
            }
        }
        downloads = Progress.Downloads(of: due)
        tellProgress()
        await concurrently(due, atMost: settings.downloads) { [self] attachment in
            await gate.pass()
            guard !Task.isCancelled else { return }
            // What befell these would befall the rest, each after a wait of its own.
            if let (error, message) = setbacks.hopeless { return note(error, message, of: attachment) }
            do {
                setbacks.changes += tell(try await download(attachment))
                refused.forget(attachment)
                setbacks.failuresInARow = 0
                // Files of marks may name it by what it holds.
                markKeeper.matchAgain()
                reconcilePatiently()
            } catch {
                // Broken off by us: it is still due, and nothing is wrong with it.
                if error as? ServiceFailure == .cancelled { return }
                let message = Self.message(error)
                note(error, message, of: attachment)
                setbacks.all.append(Setback(attachment.filename, message))
                setbacks.note(error as? ServiceFailure, message)
            }
            downloads.done += 1
            tellProgress()
        }
        return (setbacks.changes, Setback.folded(setbacks.all))
    }

    /// Notes why a chart did not come, also for whoever asks when no agent runs.
    private func note(_ error: any Error, _ message: String, of attachment: Attachment) {
        refused.note(error, setback: Setback(attachment.filename, message), of: attachment, at: parts.time.now)
        do throws(LibraryError) {
            try parts.library.note(downloadFault: message, of: attachment)
        } catch {
            // As where the disk is full, which is why the chart did not come.
            parts.log.debug("\(error)")
        }
    }

    private func download(_ attachment: Attachment) async throws -> [LibraryChange] {
        let file = try parts.library.beginChart()
        let received = ReceivedChart(file: file)
        do {
            _ = try await parts.service.download(attachment) { start in
                self.downloads.bytes += start.offset - received.size
                return received.begin(start)
            } into: { piece in
                guard received.take(piece) else { return false }
                self.downloads.bytes += piece.count
                self.tellProgress()
                return true
            }
        } catch {
            downloads.bytes -= received.size
            // The sink refused: the disk's own words say why, not the network's, which only says that we wanted no more.
            throw received.error.map { LibraryError.system($0) } ?? error
        }
        // The service's word is the only hint there is that a file is whole; of files made on demand there is only their end.
        // What is something else altogether, as a log-in page is, is refused for that.
        if attachment.fileSize == 0, received.beginsLikeAPDF, !received.endsLikeAPDF { throw Incomplete() }
        let hash = received.finish()
        // Where the very bytes come that are here already, it is the size that is wrong.
        let isHere = try parts.library.chart(of: attachment.use)?.hash == hash
        let size = attachment.fileSize > 0 && !isHere ? attachment.fileSize : received.size
        let setAside = try parts.library.keep(
            file, hash: hash, size: size, for: attachment.id, madeFrom: attachment.generatedFrom, version: attachment.version)
        tally.downloaded += 1
        tally.bytes += size
        guard let setAside else { return [] }
        return [try parts.library.noteSetAside(as: setAside, LibraryChange.ChartReference(attachment), at: now)]
    }

    private static func message(_ error: any Error) -> String {
        guard case .forbidden(let message) = error as? ServiceFailure else { return "\(error)" }
        return "no permission to have this file (\(message)); ask whoever administers your account at the service"
    }
}

extension PlanContents {
    /// With those charts only that a poll is about.
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

@LoopActor
private final class Collected {
    var all: [Setback] = []
    var changes: [LibraryChange] = []
    var failuresInARow = 0
    /// Why no further download is worth a try in this poll; `nil` while one is.
    private(set) var hopeless: (error: ServiceFailure, message: String)?

    /// Several at once that fail alike are the line or the service, not the file.
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

/// A file made on demand that broke off before its end.
private struct Incomplete: Error, CustomStringConvertible {
    var description: String { "it came without its end; the chart that was here is kept, and the next sync fetches it again" }
}
