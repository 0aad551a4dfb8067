import Agent
import DemoService
import Following
import Glibc
import HTTPClient
import JSON
import Library
import Marks
import Model
import PageCache
import PlanningCenter
import Platform
import Rendering
import Watching

/// The CPU time of all processes involved, and the elapsed wall time, in milliseconds.
struct Cost: Hashable, Sendable {
    let cpu: Double
    let wall: Double
}

/// Throws if a condition does not hold, without which the benchmark's figures would be meaningless.
func require(_ isSo: Bool, _ otherwise: @autoclosure () -> String) throws(Trouble) {
    if !isSo { throw Trouble(otherwise()) }
}

extension Optional {
    /// The value. Throws if it is nil, since the benchmark cannot continue without it.
    func required(_ otherwise: @autoclosure () -> String) throws(Trouble) -> Wrapped {
        guard let self else { throw Trouble(otherwise()) }
        return self
    }
}

func contents(of path: String) throws -> String { String(decoding: try AtomicFile.read(path, limit: 16 << 20), as: UTF8.self) }

/// A folder for temporary files, in `$TMPDIR` or else in /tmp.
struct ScratchFolder: Sendable {
    let path: String

    init() throws(SystemError) {
        let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        guard let name = strdup(place + "/woodshed-bench-XXXXXX") else { throw SystemError("create folder", path: place) }
        defer { free(name) }
        guard mkdtemp(name) != nil else { throw SystemError("create folder", path: "\(place)/woodshed-bench-…") }
        path = String(cString: name)
    }

    func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        // A symbolic link to a folder is removed, not followed.
        if unlink(path) == 0 { return }
        for name in (try? Folder.names(in: path)) ?? [] { remove(path + "/" + name) }
        rmdir(path)
    }
}

extension Agent {
    /// An agent in this process that uses the library and the cache in a folder. Without a `service`, its requests fail.
    @LoopActor
    static func measured(
        in folder: String, renderer: any PageRenderer, service: (api: String, annotations: String)? = nil,
        transport: any HTTPTransport = CurlTransport(userAgent: "woodshed-bench", allowsInsecureLoopback: true, time: SystemClock()),
        events: (any ListingEventSource)? = nil, marks: MarkSettings = MarkSettings()
    ) throws -> Agent {
        let (library, clock, nowhere) = (try Library(folder: folder + "/data"), SystemClock(), "http://127.0.0.1:9")
        let account = Account(
            apiURL: service?.api ?? nowhere, annotationsURL: service?.annotations ?? nowhere, credentials: DemoService.token,
            userAgent: "woodshed-bench")
        let client = PlanningCenterClient(
            account: account, transport: transport, time: clock, log: .silent, answers: LibraryAnswers(library, log: .silent))
        return Agent(
            Agent.Parts(
                library: library, cache: try PageCache(folder: folder + "/cache"), renderer: renderer, service: client, time: clock,
                log: .silent, fileEvents: events),
            settings: AgentSettings(marks: marks))
    }
}

/// Replaces the renderer where drawing is not measured.
@LoopActor
final class NoRenderer: PageRenderer {
    let width = 1
    private let passesFor: RendererIdentity

    init(passingFor identity: RendererIdentity = RendererIdentity(tag: RendererTag("none"), fonts: FontSet(SHA256.digest(of: "")))) {
        passesFor = identity
    }

    func identity() async throws(RenderFailure) -> RendererIdentity { passesFor }
    /// A chart without pages needs no images.
    func describe(chart path: String, in lane: RenderLane) async throws(RenderFailure) -> ChartDescription { ChartDescription(pages: []) }
    func render(_ job: PageJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome { throw .stopped }
    func compose(_ job: ComposeJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome { throw .stopped }
    func follow(_ job: FollowJob, in lane: RenderLane) async throws(RenderFailure) -> [Following.Moved?] { throw .stopped }
    func rest() {}
    func warm() {}
    func stop() async {}
}

/// A measurement in a separate process, so that nothing of the starting process is measured: no demo service, and no code that fills
/// a cache. The job's properties are passed to that process.
protocol MeasuredJob: Codable, Sendable {
    @LoopActor
    func record() async throws -> Measurements
}

extension MeasuredJob {
    /// Runs the job in a new process of this program, and reads the measurements from its output.
    @LoopActor
    func measured(by program: String = "/proc/self/exe") async throws -> Measurements {
        let output = try await Child.output(
            of: program, arguments: [MeasuredJobs.word, "\(Self.self)", try json(self)], environment: [],
            within: .seconds(7200), most: 1 << 20, clock: SystemClock())
        try require(output.exit == .code(0), "what is measured \(output.exit.map(\.description) ?? "does not come to an end")")
        return try JSONReader.decode(Measurements.self, from: output.bytes)
    }
}

/// All jobs, by the names of their types.
enum MeasuredJobs {
    /// The first argument of a job's command line, which is not meant for people.
    fileprivate static let word = "--measure"
    private static let all: [any MeasuredJob.Type] = [Poller.self, CacheOpener.self, HomeStarter.self, MarkSaver.self, BandReading.self]

    /// Whether a command line is for a job.
    static func isOne(_ words: [String]) -> Bool { words.count == 3 && words[0] == word }

    /// Runs the job that a command line names, and returns its measurements.
    @LoopActor
    static func answer(_ words: [String]) async throws -> String {
        let type = try all.first { "\($0)" == words[1] }.required("there is no job \(words[1])")
        let job: any MeasuredJob = try JSONReader.decode(type, from: Array(words[2].utf8))
        return try json(try await job.record())
    }
}

func json(_ value: some Encodable) throws -> String { String(decoding: try JSONWriter.encode(value), as: UTF8.self) }
