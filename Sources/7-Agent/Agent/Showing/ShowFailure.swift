public import Model
import Rendering

/// Why a page is not shown.
public enum ShowFailure: Error, Hashable, Sendable {
    /// The chart is not here.
    case notDownloaded
    /// Its pages have not been counted yet.
    case notCounted
    /// It cannot be opened, for this reason.
    case unreadable(String)
    case noSuchPage(PageIndex)
    /// The page cannot be drawn, for this reason.
    case cannotBeDrawn(String)
    /// Nothing is made under this name: the marks, or what draws, have changed since.
    case notWanted
    /// A newer selection came before the answer.
    case superseded
    /// The agent is stopping.
    case stopped
    /// The library does not answer, for this reason.
    case library(String)
}

extension ShowFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notDownloaded: "this chart is not downloaded yet"
        case .notCounted: "this chart has just arrived and its pages are being counted; try again in a moment"
        case .unreadable(let reason): "this chart cannot be opened: \(reason)"
        case .noSuchPage(let page): "this chart has no \(page)"
        case .cannotBeDrawn(let reason): "this page cannot be drawn: \(reason)"
        case .notWanted: "this image is out of date; ask for the page again"
        case .superseded: "another page was requested in the meantime"
        case .stopped: "woodshed is shutting down"
        case .library(let reason): reason
        }
    }
}

extension ShowFailure {
    /// Says what went wrong with showing a page.
    init(_ error: any Error) {
        self =
            switch error {
            case let failure as ShowFailure: failure
            case RenderFailure.cancelled: .superseded
            case RenderFailure.stopped: .stopped
            default: .cannotBeDrawn("\(error)")
            }
    }
}
