import Library
import Model
import PlanningCenter
import Platform

extension Agent {
    /// Downloads what is new, several at a time, nearest plan first. Charts that are here stay until their successor is whole.
    func download(_ contents: [PlanContents]) async -> [Setback] {
        let due: [Attachment]
        do {
            due = try parts.library.attachmentsToDownload(for: contents)
        } catch {
            return [Setback("library", "\(error)")]
        }
        downloads = Progress.Downloads(charts: due.count)
        tellProgress()
        let setbacks = Collected()
        await concurrently(due, atMost: settings.downloads) { [self] attachment in
            do {
                try await download(attachment)
                reconcile()
            } catch {
                setbacks.all.append(Setback(attachment.filename, "\(error)"))
            }
            downloads.done += 1
            tellProgress()
        }
        return setbacks.all
    }

    private func download(_ attachment: Attachment) async throws {
        let file = try parts.library.beginChart()
        let received = ReceivedChart(file: file)
        do {
            _ = try await parts.service.download(attachment) { received.take($0) }
        } catch {
            // The disk's word comes before the network's, which only says that we wanted no more.
            throw received.error.map { LibraryError.system($0) } ?? error
        }
        // The service's word is the only hint there is that a file is whole; files made on demand have none.
        if attachment.fileSize > 0, received.size != attachment.fileSize {
            throw WrongSize(expected: attachment.fileSize, received: received.size)
        }
        let size = received.size
        try parts.library.keep(file, hash: received.finish(), size: size, for: attachment.id, version: attachment.version)
        tally.downloaded += 1
        tally.bytes += size
    }
}

/// A chart on its way to the disk, hashed as it comes.
@LoopActor
private final class ReceivedChart {
    private let file: TemporaryFile
    private var sum: SHA256? = SHA256()
    private(set) var size = 0
    private(set) var error: SystemError?

    init(file: TemporaryFile) {
        self.file = file
    }

    /// Answers whether more is wanted: not after the disk refused.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(SystemError) {
            try file.write(bytes)
        } catch {
            self.error = error
            return false
        }
        sum?.update(bytes)
        size += bytes.count
        return true
    }

    func finish() -> ChartHash {
        guard let sum = sum.take() else { preconditionFailure("a chart ends once") }
        return ChartHash(sum.finish())
    }
}

@LoopActor
private final class Collected {
    var all: [Setback] = []
}

/// A download whose size is not what the service had said.
private struct WrongSize: Error, CustomStringConvertible {
    let expected: Int
    let received: Int
    var description: String {
        "the service sent \(ByteCount(received)) of \(ByteCount(expected)) that it had announced; the next sync tries again"
    }
}
