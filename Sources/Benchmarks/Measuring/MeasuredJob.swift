import FoundationEssentials
import Platform

/// Something that this program measures in a process of its own, so that nothing of the one that asks for it is measured: no
/// stand-in of the service, and no code that fills a cache. Its properties tell that process what to do.
protocol MeasuredJob: Codable, Sendable {
    associatedtype Record: Codable, Sendable

    /// Does it, in that process.
    @LoopActor
    func record() async throws -> Record
}

extension MeasuredJob {
    /// Starts this program again, has it do the job, and reads what it measured from its output.
    @LoopActor
    func measured(by program: String = "/proc/self/exe") async throws -> Record {
        let output = try await Child.output(
            of: program, arguments: [MeasuredJobs.word, "\(Self.self)", try MeasuredJobs.json(self)], environment: [],
            within: .seconds(7200), most: 1 << 20, clock: SystemClock())
        guard output.exit == .code(0) else {
            throw BenchmarkFailure("what is measured \(output.exit.map(\.description) ?? "does not come to an end")")
        }
        return try JSONDecoder().decode(Record.self, from: Data(output.bytes))
    }

    @LoopActor
    fileprivate static func answer(_ job: String) async throws -> String {
        try MeasuredJobs.json(try await JSONDecoder().decode(Self.self, from: Data(job.utf8)).record())
    }
}

/// All of them, by the names of their types.
enum MeasuredJobs {
    /// The first word of their command lines, which are of no use to people.
    fileprivate static let word = "--measure"
    private static let all: [any MeasuredJob.Type] = [Poller.self, CacheOpener.self, HomeFiller.self, HomeStarter.self, MarkSaver.self]

    /// Whether a command line is that of a job, not of people.
    static func isOne(_ words: [String]) -> Bool { words.count == 3 && words[0] == word }

    /// Does the job that a command line names, and returns its record.
    @LoopActor
    static func answer(_ words: [String]) async throws -> String {
        guard let job = all.first(where: { "\($0)" == words[1] }) else { throw BenchmarkFailure("there is no job \(words[1])") }
        return try await job.answer(words[2])
    }

    fileprivate static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}
