import FoundationEssentials
import Glibc
import PageCache
import Platform

/// The process that opens a cache and measures that, with only its own memory.
struct CacheOpener: MeasuredChild {
    /// What it measured.
    struct Record: Codable, Sendable {
        var entries = 0
        var openSeconds = 0.0
        /// The most memory that the whole process had until the cache was open.
        var openMebibytes = 0.0
        var surveySeconds = 0.0
        /// The same until it was surveyed.
        var surveyMebibytes = 0.0
    }

    /// The first word of its command line, which is of no use to people.
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
