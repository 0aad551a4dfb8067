import Model

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
    /// The downloads of this poll.
    public struct Downloads: Hashable, Sendable, Codable {
        public var charts = 0
        public var done = 0
        /// Bytes that have come, and those announced for all; of files that are made on demand nothing is announced.
        public var bytes = 0
        public var announcedBytes = 0

        /// Tells how far they are; by default there are none.
        public init(charts: Int = 0, done: Int = 0, bytes: Int = 0, announcedBytes: Int = 0) {
            self.charts = charts
            self.done = done
            self.bytes = bytes
            self.announcedBytes = announcedBytes
        }

        /// Begins with what the service says of these files, which may be any number of any size.
        init(of files: [Attachment]) {
            let bytes = files.map { max($0.fileSize, 0) }.reduce(0) { min($0, .max - $1) + $1 }
            self.init(charts: files.count, announcedBytes: bytes)
        }
    }

    public let downloads: Downloads
    /// Images that the coming plans need.
    public let wanted: Int
    /// Those among them that are still to be made.
    public let missing: Int
    /// Pages of the charts that are here, and those among them of which an image is to be made.
    public let pages: Int
    public let missingPages: Int

    /// Tells how far it is.
    public init(downloads: Downloads, wanted: Int, missing: Int, pages: Int, missingPages: Int) {
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
