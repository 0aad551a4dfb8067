import FoundationEssentials
import Glibc
import PageCache
import Platform

/// The process that opens a cache and measures what that takes, with no memory but its own.
struct CacheOpener: MeasuredChild {
    /// What it measured.
    struct Record: Codable, Sendable {
        var entries = 0
        var openSeconds = 0.0
        /// The most memory of the whole process until the cache was open.
        var openMebibytes = 0.0
        var surveySeconds = 0.0
        /// And until it was surveyed.
        var surveyMebibytes = 0.0
    }

    /// What the first word must be; people have no use for it.
    static let word = "--opener"

    private let folder: String

    init?(_ words: [String]) {
        guard words.count == 2, words[0] == Self.word else { return nil }
        folder = words[1]
    }

    @LoopActor
    func record() async throws -> Record {
        var record = Record()
        let start = ProcessFigures.wallMilliseconds
        let cache = try PageCache(folder: folder)
        let opened = ProcessFigures.wallMilliseconds
        record.openSeconds = (opened - start) / 1000
        record.openMebibytes = try ProcessFigures.peakMebibytes()
        let surveyStart = ProcessFigures.wallMilliseconds
        record.entries = await cache.survey().count
        record.surveySeconds = (ProcessFigures.wallMilliseconds - surveyStart) / 1000
        record.surveyMebibytes = try ProcessFigures.peakMebibytes()
        return record
    }
}
