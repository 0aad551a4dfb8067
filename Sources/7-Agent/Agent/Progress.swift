public import Model
import PlanningCenter
public import Sync

/// What an agent has done since its start.
public struct Tally: Hashable, Sendable {
    /// Charts downloaded.
    public var downloaded = 0
    /// Images rendered and published.
    public var rendered = 0
    /// Images that could not be rendered, and still have not been.
    public var failed = 0
    /// Bytes of charts downloaded.
    public var bytes = 0

    /// Makes a tally; by default everything is zero.
    public init(downloaded: Int = 0, rendered: Int = 0, failed: Int = 0, bytes: Int = 0) {
        self.downloaded = downloaded
        self.rendered = rendered
        self.failed = failed
        self.bytes = bytes
    }
}

/// How far the work has got.
public struct Progress: Hashable, Sendable, Codable {
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
    /// What requests wait for; `nil` if none does.
    public let wait: ServiceWait?

    /// Says how far the work has got.
    public init(
        downloads: DownloadProgress, wanted: Int, missing: Int, pages: Int, missingPages: Int, uncounted: Int = 0,
        wait: ServiceWait? = nil
    ) {
        self.downloads = downloads
        self.wanted = wanted
        self.missing = missing
        self.pages = pages
        self.missingPages = missingPages
        self.uncounted = uncounted
        self.wait = wait
    }
}

extension Agent {
    /// What has been done since the start.
    public var tally: Tally {
        let total = polling.downloads.total
        return Tally(downloaded: total.charts, rendered: maker.count, failed: maker.failures.count, bytes: total.bytes)
    }

    /// How far the work has got.
    var progress: Progress {
        Progress(
            downloads: polling.downloads.progress, wanted: wanted.images, missing: maker.queue.imageCount, pages: wanted.pages,
            missingPages: maker.queue.pageCount, uncounted: counter.running, wait: parts.service.wait)
    }
}
