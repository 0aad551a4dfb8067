import DemoService
import Foundation
import Platform
import StandInSupport
import TestSupport
import Testing

/// A home with all pages of the stand-in drawn. Drawing takes longer than most tests, so each size of pages is drawn once and
/// copied for each desk.
@LoopActor
enum DrawnHome {
    private static var made: [Int: Task<TemporaryFolder, any Error>] = [:]

    /// An error that fails every test that needs this home. A failed expectation would be recorded for only one of these tests.
    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Copies the agent's work to a new home; the new home makes its own links and configuration.
    static func copy(fullSize: Int, to home: String) async throws {
        let making = made[fullSize] ?? Task { try await make(fullSize: fullSize) }
        made[fullSize] = making
        let drawn = try await making.value
        for folder in ["data", "cache"] {
            try FileManager.default.copyItem(atPath: drawn.path(folder), toPath: "\(home)/\(folder)")
        }
    }

    /// Removes the homes; they are made again on demand.
    static func forget() { made = [:] }

    private static func make(fullSize: Int) async throws -> TemporaryFolder {
        let home = TemporaryFolder()
        let service = try StandIn.start()
        defer { service.stop() }
        try configure(home.path, service, fullSize: fullSize)
        let run = try await Program.run("woodshed", ["sync", "--home", home.path])
        guard run.exit == .code(0) else { throw Failure(description: "nothing could be drawn: \(run.output)\(run.messages)") }
        return home
    }

    /// Writes a configuration for `service`, with more lines of the viewer's settings and a folder for marks.
    static func configure(_ home: String, _ service: StandIn, fullSize: Int, viewer: String = "", marks: String? = nil) throws {
        try Folder.create(home + "/config")
        try AtomicFile.write("\(DemoService.token.revealed)\n", to: home + "/token")
        try AtomicFile.write(
            """
            annotations:
              folders: [\(marks ?? "")]
            account:
              api_url: \(service.apiURL)
              annotations_url: \(service.annotationsURL)
              allow_http_loopback: true
              token_file: \(home)/token
            render:
              full_size: \(fullSize)
            viewer:
              port: 0
            \(viewer)
            """, to: home + "/config/woodshed.yaml")
    }
}
