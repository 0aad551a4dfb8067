import Catalogue
package import Model
import PlanningCenter
import Platform

/// Which versions of which files did not arrive, and why. Every poll tries them again, except those that the service itself refuses
/// and those that were unusable twice: they wait, ever longer, but never for more than two hours.
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
    private static let longest: Duration = .seconds(2 * 3600)

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

    /// Notes a failure.
    mutating func note(_ error: any Error, setback: Setback, of attachment: Attachment, at now: Moment) {
        let former = entries[attachment.use].flatMap { $0.version == attachment.version ? $0.times : nil } ?? 0
        guard let patience = Self.patience(with: error) else {
            entries[attachment.use] = Entry(version: attachment.version, setback: setback, times: former, until: now)
            return
        }
        let waits = former + 1 - patience
        // Doubles every time, as long as the version stays the same.
        let wait = waits > 0 ? min(Self.first * (1 << min(waits - 1, 10)), Self.longest) : .zero
        entries[attachment.use] = Entry(version: attachment.version, setback: setback, times: former + 1, until: now + wait)
    }

    mutating func forget(_ attachment: Attachment) {
        entries[attachment.use] = nil
    }

    /// How often this may happen before the file has to wait; `nil` if it may have passed by the next poll. A log-in page, an answer
    /// that was cut off or a broken line says nothing about the file.
    private static func patience(with error: any Error) -> Int? {
        switch error {
        case ServiceFailure.forbidden, ServiceFailure.missing: 0
        // It may have been damaged on its way; the second time, that is how the service has it.
        case is UnopenedSuccessor: 1
        case LibraryError.notAPDF(_, let found) where ![.empty, .webPage, .json].contains(found): 1
        default: nil
        }
    }
}
