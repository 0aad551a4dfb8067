import Model
public import Sync

/// What an agent has done since its start.
public struct Tally: Hashable, Sendable {
    /// Charts downloaded.
    public var downloaded = 0
    /// Images rendered and published.
    public var rendered = 0
    /// Images that could not be rendered, and have not been since.
    public var failed = 0
    /// Bytes of charts downloaded.
    public var bytes = 0

    /// Counts what was done; by default nothing is yet.
    public init(downloaded: Int = 0, rendered: Int = 0, failed: Int = 0, bytes: Int = 0) {
        self.downloaded = downloaded
        self.rendered = rendered
        self.failed = failed
        self.bytes = bytes
    }
}

/// How far the work is.
public struct Progress: Hashable, Sendable, Codable {
    public let downloads: DownloadProgress
    /// Images that the coming plans need.
    public let wanted: Int
    /// Those among them that are still to be made.
    public let missing: Int
    /// Pages of the charts that are here, and those among them of which an image is to be made.
    public let pages: Int
    public let missingPages: Int

    /// Tells how far it is.
    public init(downloads: DownloadProgress, wanted: Int, missing: Int, pages: Int, missingPages: Int) {
        self.downloads = downloads
        self.wanted = wanted
        self.missing = missing
        self.pages = pages
        self.missingPages = missingPages
    }
}

extension Agent {
    /// Counts since the start.
    public var tally: Tally {
        let total = polling.downloads.total
        return Tally(downloaded: total.charts, rendered: maker.count, failed: maker.failures.count, bytes: total.bytes)
    }

    /// How far the work is.
    var progress: Progress {
        Progress(
            downloads: polling.downloads.progress, wanted: wanted.images, missing: maker.queue.imageCount, pages: wanted.pages,
            missingPages: maker.queue.pageCount)
    }
}
