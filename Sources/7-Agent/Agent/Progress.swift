public import Model
import PlanningCenter
public import Sync

/// The work done since an agent's start.
public struct Tally: Hashable, Sendable {
    public var downloaded = 0
    /// Images that were rendered and published.
    public var rendered = 0
    /// Images whose rendering failed, and has not succeeded since.
    public var failed = 0
    public var bytes = 0

    public init() {}
}

public struct Progress: Hashable, Sendable, Codable {
    /// The number of plans that a poll reads, and how many of them it has read; 0 outside a poll.
    public let plans: Int
    public let plansRead: Int
    public let downloads: DownloadProgress
    /// Images for the coming plans.
    public let wanted: Int
    /// How many of these still have to be made.
    public let missing: Int
    /// Pages of the charts that are here, and how many of these still lack an image.
    public let pages: Int
    public let missingPages: Int
    /// Charts whose pages are being counted, so the number of pages will grow.
    public let uncounted: Int
    /// Why requests wait; `nil` if none do.
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
            missingPages: maker.queue.pageCount, uncounted: counter.running, wait: core.service?.wait)
    }
}
