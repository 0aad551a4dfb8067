public import Model
import Rendering

/// A page's image, ready to be sent to the screen.
public struct ShownPage: Hashable, Sendable {
    public enum Source: String, Hashable, Sendable {
        case memory, disk
        /// It was drawn while a screen waited.
        case rendered
    }

    /// The name of its image; a larger image is not in the cache under this name.
    public let name: ImageName
    public let bytes: [UInt8]
    public let source: Source
}

struct PageRequest: Hashable, Sendable {
    let chart: AttachmentID
    let page: PageIndex
    let isMarked: Bool
    /// Which of the attachment's charts, if the caller knows: a song may be in one plan in two keys.
    var use: ChartUse?
}

public enum ShowFailure: Error, Hashable, Sendable {
    case notDownloaded
    case notCounted
    /// It cannot be opened, for this reason.
    case unreadable(String)
    case noSuchPage(PageIndex)
    /// The page cannot be drawn, for this reason.
    case cannotBeDrawn(String)
    /// No image with this name is wanted: the marks, or the renderer, have changed since.
    case notWanted
    /// A newer selection came before the answer.
    case superseded
    case stopped
    /// The library does not answer, for this reason.
    case library(String)
}

extension ShowFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notDownloaded: "this chart's file is not here"
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

    /// The failure for an error that came while finding out what to show.
    init(ofReading error: any Error) {
        self =
            switch error {
            case let failure as ShowFailure: failure
            case RenderFailure.stopped: .stopped
            case let failure as RenderFailure: .cannotBeDrawn("\(failure)")
            default: .library("\(error)")
            }
    }

    /// The failure for an error while showing a page.
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
