import Agent
import DemoService
import FoundationEssentials
import Glibc
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Rendering
import Watching

/// What something took, in milliseconds.
struct Cost: Hashable, Sendable {
    /// The CPU time of all processes involved.
    var cpu: Double
    /// The wall time.
    var wall: Double
}

/// Why there are no figures, in a sentence.
struct BenchmarkFailure: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A folder in `$TMPDIR` for what is made while measuring; whoever makes it removes it.
struct ScratchFolder: Sendable {
    let path: String

    init() throws(SystemError) {
        let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(place)/woodshed-bench-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
            throw SystemError("create folder", path: "\(place)/woodshed-bench-…")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes the folder and everything in it.
    func remove() {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        // A link to a folder is removed, not followed.
        if unlink(path) == 0 { return }
        for name in (try? Folder.names(in: path)) ?? [] { remove(path + "/" + name) }
        rmdir(path)
    }
}

extension Agent {
    /// An agent in this process, on the library and the cache below a folder.
    @LoopActor
    static func measured(
        in folder: String, renderer: any PageRenderer, service: (api: String, annotations: String), transport: any HTTPTransport,
        events: (any ListingEventSource)? = nil, settings: AgentSettings
    ) throws -> Agent {
        let (library, clock) = (try Library(folder: folder + "/data"), SystemClock())
        let account = Account(
            apiURL: service.api, annotationsURL: service.annotations, credentials: DemoService.token, userAgent: "woodshed-bench")
        let client = PlanningCenterClient(
            account: account, transport: transport, time: clock, log: .silent, answers: LibraryAnswers(library, log: .silent))
        return Agent(
            Agent.Parts(
                library: library, cache: try PageCache(folder: folder + "/cache"), renderer: renderer, service: client, time: clock,
                log: .silent, fileEvents: events),
            settings: settings)
    }
}

/// Takes the renderer's place where drawing is not what is measured.
@LoopActor
final class NoRenderer: PageRenderer {
    let width = 1
    private let passesFor: RendererIdentity

    /// Takes the identity of the renderer whose images should pass for its own.
    init(passingFor identity: RendererIdentity = RendererIdentity(tag: RendererTag("none"), fonts: FontSet(SHA256.digest(of: "")))) {
        passesFor = identity
    }

    func identity() async throws(RenderFailure) -> RendererIdentity { passesFor }
    /// Without pages, no images are wanted.
    func describe(chart path: String) async throws(RenderFailure) -> ChartDescription { ChartDescription(pages: []) }
    func render(_ job: PageJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome { throw .stopped }
    func compose(_ job: ComposeJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome { throw .stopped }
    func rest() {}
    func warm() {}
    func stop() async {}
}

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
    private static let all: [any MeasuredJob.Type] = [Poller.self, CacheOpener.self, HomeStarter.self, MarkSaver.self]

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
