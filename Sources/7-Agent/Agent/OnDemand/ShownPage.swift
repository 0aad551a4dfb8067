public import Model
import Rendering

/// A page's image, ready to be sent to a screen.
public struct ShownPage: Hashable, Sendable {
    public enum Source: String, Hashable, Sendable {
        case memory, disk
        /// Drawn while a screen waited.
        case rendered
    }

    /// The name of the image; a larger image is not in the cache under this name.
    public let name: ImageName
    public let bytes: [UInt8]
    public let source: Source
}

struct PageRequest: Hashable, Sendable {
    let chart: AttachmentID
    let page: PageIndex
    let isMarked: Bool
    /// Which of the attachment's charts to show, if the caller names one: a plan may have a song in two keys.
    var use: ChartUse?
}

/// Reasons why something is not shown.
extension Trouble {
    package static let notDownloaded = Trouble("this chart's file is not here")
    static let notCounted = Trouble("this chart has just arrived and its pages are being counted; try again in a moment")
    /// The requested image is not wanted, for example because the marks, the renderer or the chart have changed.
    package static let notWanted = Trouble(.gone, "this image is out of date; ask for the page again")
    /// A newer selection came first.
    package static let superseded = Trouble(.overtaken, "another page was requested in the meantime")
    package static let stopped = Trouble("woodshed is shutting down")

    package static func cannotBeDrawn(_ reason: String) -> Trouble { Trouble("this page cannot be drawn: \(reason)") }

    /// An error while determining what to show.
    init(ofReading error: any Error) {
        self =
            switch error {
            case let trouble as Trouble: trouble
            case RenderFailure.stopped: .stopped
            case let failure as RenderFailure: .cannotBeDrawn("\(failure)")
            default: Trouble("\(error)")
            }
    }

    /// An error while showing a page.
    init(ofShowing error: any Error) {
        self =
            switch error {
            case let trouble as Trouble: trouble
            case RenderFailure.cancelled: .superseded
            case RenderFailure.stopped: .stopped
            default: .cannotBeDrawn("\(error)")
            }
    }
}
