import Agent
import Catalogue
import DemoService
import Glibc
import HTTPClient
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// A home for the built program, configured for a stand-in.
@LoopActor
final class AgentHome {
    let folder = TemporaryFolder()
    let demo: StandIn
    /// The pages are as small as possible, because these tests are not about drawing.
    nonisolated static let environment = ["WOODSHED_RENDER_FULL_SIZE=64", "WOODSHED_RENDER_THUMBNAIL_SIZE=64", "WOODSHED_RENDER_WORKERS=1"]

    init(_ demo: StandIn) throws {
        self.demo = demo
        try Folder.create(folder.path("config"))
        try Folder.create(folder.path("data"))
        try AtomicFile.write(
            """
            account:
              api_url: \(demo.apiURL)
              annotations_url: \(demo.annotationsURL)
              allow_http_loopback: true
              token_file: \(folder.path("token"))
            """, to: folder.path("config/woodshed.yaml"))
        try AtomicFile.write(DemoService.token.revealed + "\n", to: folder.path("token"))
    }

    var data: LibraryFiles { LibraryFiles(folder: folder.path("data")) }

    func start(_ environment: [String] = environment) throws -> Program {
        try Program("woodshed", ["agent", "--home", folder.path], environment: environment)
    }

    /// Sends a request to the agent's control socket; returns whether it succeeded.
    func isAnswered(_ path: String) async -> Bool {
        let socket = ControlDesk.socket(in: folder.path("runtime"), library: folder.path("data"))
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true, unixSocket: socket)
        defer { transport.close() }
        let answer = try? await transport.send(HTTPRequest(.post, "http://localhost" + path))
        return answer.map { (200..<300).contains($0.status) } ?? false
    }

    /// Waits until an agent has done all its work.
    static func untilAsleep(_ agent: Program) async throws {
        try await waitUntil { try agent.messagesSoFar().contains("asleep") }
    }

    /// Runs an agent until all its work is done.
    func sync() async throws -> Program.Result {
        let agent = try start()
        try await Self.untilAsleep(agent)
        agent.child.kill(SIGTERM)
        return try await agent.result()
    }

    /// The library's content, read from a copy, so that the next agent finds everything untouched.
    func contents() throws -> (contents: Contents?, faults: [String]) {
        let copy = try data.catalogueCopy()
        let faults = try data.faults()
        do {
            let library = try Library(readingFrom: copy.path)
            defer { library.close() }
            return (try Contents(of: library), faults)
        } catch LibraryError.missing, LibraryError.older {
            // The agent was killed before it had made a library.
            return (nil, faults)
        }
    }
}
