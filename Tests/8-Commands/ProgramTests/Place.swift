import DemoService
import Platform
import StandInSupport
import TestSupport

/// A home whose configuration names a stand-in as the service.
@LoopActor
final class Place {
    let home = TemporaryFolder()
    let service: StandIn

    init(api: String? = nil) throws {
        service = try StandIn.start()
        try Folder.create(home.path("config"))
        try AtomicFile.write("\(DemoService.token.revealed)\n", to: home.path("token"))
        try AtomicFile.write(
            """
            account:
              api_url: \(api ?? service.apiURL)
              annotations_url: \(service.annotationsURL)
              allow_http_loopback: true
              token_file: \(home.path("token"))
            render:
              full_size: 200
              thumbnail_size: 64
            """, to: home.path("config/woodshed.yaml"))
    }

    func run(_ words: String...) async throws -> Program.Result {
        try await Program.run("woodshed", words + ["--home", home.path])
    }
}
