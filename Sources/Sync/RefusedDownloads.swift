import Catalogue
import Library
package import Model
import PlanningCenter
import Platform

/// Which versions of which files could not be used, and why, so that they are not downloaded again at every poll.
///
/// Kept for this run only: a new version, a restart or a user's request downloads the file again at once.
package struct RefusedDownloads {
    private struct Entry {
        let version: String
        let setback: Setback
        var times: Int
        var until: Moment
    }

    private static let first: Duration = .seconds(15 * 60)
    private static let longest: Duration = .seconds(12 * 3600)

    private var entries: [ChartUse: Entry] = [:]

    /// Everything that did not arrive, in a stable order.
    package var all: [(attachment: AttachmentID, setback: Setback)] {
        entries.sorted { $0.key < $1.key }.map { ($0.key.attachment, $0.value.setback) }
    }

    /// What is still wrong with this version, as long as it must not be fetched again.
    func setback(of attachment: Attachment, at now: Moment) -> Setback? {
        guard let entry = entries[attachment.use], entry.version == attachment.version, now < entry.until else { return nil }
        return entry.setback
    }

    /// Why this version did not arrive when it was last asked for.
    package func reason(of attachment: Attachment) -> String? {
        entries[attachment.use].flatMap { $0.version == attachment.version ? $0.setback.message : nil }
    }

    /// Notes a failure. If it is about the file or about permission, the file is left alone for a time; if it is about the line or the
    /// disk, it is not.
    mutating func note(_ error: any Error, setback: Setback, of attachment: Attachment, at now: Moment) {
        let former = entries[attachment.use].flatMap { $0.version == attachment.version ? $0.times : nil } ?? 0
        guard Self.isRefusal(error) else {
            entries[attachment.use] = Entry(version: attachment.version, setback: setback, times: former, until: now)
            return
        }
        // Doubles every time, as long as the version stays the same.
        let wait = min(Self.first * (1 << min(former, 10)), Self.longest)
        entries[attachment.use] = Entry(version: attachment.version, setback: setback, times: former + 1, until: now + wait)
    }

    mutating func forget(_ attachment: Attachment) {
        entries[attachment.use] = nil
    }

    private static func isRefusal(_ error: any Error) -> Bool {
        if let failure = error as? ServiceFailure {
            switch failure {
            case .forbidden, .missing, .notUnderstood, .refused: return true
            case .notAuthorised, .rateLimited, .offline, .serverError, .ledAway, .cancelled: return false
            }
        }
        if let error = error as? LibraryError {
            switch error {
            case .notAPDF, .wrongSize: return true
            default: return false
            }
        }
        return error is UnopenedSuccessor
    }
}
