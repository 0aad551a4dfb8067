public import Model
import PlanningCenter
public import Sync

/// The work done since an agent's start.
public struct Tally: Hashable, Sendable {
    public var downloaded = 0
    /// Images rendered and published.
    public var rendered = 0
    /// Images that could not be rendered, and still have not been.
    public var failed = 0
    public var bytes = 0

    public init() {}
}

public struct Progress: Hashable, Sendable, Codable {
    /// Plans that a poll reads, and how many of them it has read; 0 outside of a poll.
    public let plans: Int
    public let plansRead: Int
    public let downloads: DownloadProgress
    /// Images that the coming plans need.
    public let wanted: Int
    /// How many of those are still to be made.
    public let missing: Int
    /// Pages of the charts that are here, and how many of them still need an image.
    public let pages: Int
    public let missingPages: Int
    /// Charts that are here and whose pages have not been counted, so that the number of pages will still grow.
    public let uncounted: Int
    /// The reason that requests wait; `nil` if none do.
    public let wait: ServiceWait?
}

extension Agent {
    public var tally: Tally {
        let total = polling.downloads.total
        var tally = Tally()
        (tally.downloaded, tally.rendered, tally.failed, tally.bytes) = (total.charts, maker.count, maker.failures.count, total.bytes)
        return tally
    }

    var progress: Progress {
        Progress(
            plans: polling.plansToRead.all, plansRead: polling.plansToRead.done,
            downloads: polling.downloads.progress, wanted: core.wanted.images, missing: maker.queue.imageCount, pages: core.wanted.pages,
            missingPages: maker.queue.pageCount, uncounted: counter.running, wait: core.service.wait)
    }
}
