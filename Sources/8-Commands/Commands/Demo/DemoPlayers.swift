import BandLayout
import Catalogue
import CommandLine
import Configuration
import DemoService
import Glibc
import Host
import JSON
import Library
import Marks
import Model
import Platform

/// The other players of a demo's band. Each has an agent with a process and a home of its own. All use the same stand-in and the
/// same band folder.
@LoopActor
final class DemoPlayers {
    nonisolated private static let names = ["Anna", "Ben", "Cara", "Dan"]
    nonisolated static let most = names.count

    private let home: String
    private let context: CommandContext
    private var children: [Child] = []

    /// The players' homes are created in `home`.
    init(home: String, context: CommandContext) { (self.home, self.context) = (home, context) }

    /// The folder of the band's marks.
    static func place(in home: String) -> String { home + "/band" }

    /// Creates the folder of the demo's band, unless it has a marker already, and writes the configuration `file` of the demo's own
    /// agent, unless that file exists already.
    static func begin(in home: String, _ file: String) throws {
        let marker = place(in: home) + "/" + BandPath.marker
        if access(marker, F_OK) != 0 {
            try Folder.create(place(in: home))
            let bytes = BandMarker(id: BandDevice(HomeID.random()), name: "The demo's band").bytes
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: marker) }
        }
        guard access(file, F_OK) != 0 else { return }
        var options = Options()
        (options.band.place, options.band.person, options.band.device) = (place(in: home), names[0], "\(names[0])'s laptop")
        try Folder.create(Folder.parent(of: file))
        try AtomicFile.write(options.explainedFile(), to: file)
    }

    /// Starts players until there are `count`, including the demo's own agent, which has the home `own`. Shares the marks of all of
    /// them, and prints the address of each new player's pages.
    func start(_ count: Int, on service: DemoService, beside own: Paths) async throws {
        try await share(own)
        for (number, name) in Self.names.enumerated().dropFirst().prefix(count - 1) {
            try await start(name, in: "\(home)/player-\(number + 1)", on: service)
        }
    }

    private func start(_ name: String, in home: String, on service: DemoService) async throws {
        try Folder.create(home + "/config")
        let tokenFile = home + "/config/account-token"
        try AtomicFile.write(DemoService.token.revealed + "\n", to: tokenFile)
        var options = Options()
        (options.account.apiURL, options.account.annotationsURL) = (service.apiURL, service.annotationsURL)
        (options.account.allowHTTPLoopback, options.account.tokenFile) = (true, tokenFile)
        (options.band.place, options.band.person, options.band.device) = (Self.place(in: self.home), name, "\(name)'s laptop")
        try AtomicFile.write(options.file(), to: home + "/config/woodshed.yaml")
        let log = try Descriptor.open(home + "/agent.log", O_WRONLY | O_CREAT | O_TRUNC)
        let nothing = try Descriptor.open("/dev/null", O_RDONLY)
        let program = Options.programs.program
        children.append(
            try Child.start(
                program, arguments: ["agent", "--home", home], environment: context.environment.entries,
                descriptors: [nothing.number, log.number, log.number]))
        guard
            case .run(let invocation) = Woodshed.prepare(
                ["open", "--home", home], environment: context.environment, output: context.output)
        else { return }
        let paths = try context.configuration(invocation).paths
        for _ in 0..<600 where ControlClient.find(paths, clock: context.clock) == nil {
            try await context.clock.sleep(for: .milliseconds(200))
        }
        guard let agent = ControlClient.find(paths, clock: context.clock) else {
            throw CommandFailure(.failed, "\(name)'s agent does not start; \(home)/agent.log says why")
        }
        try await share(paths)
        struct Answer: Decodable { var address: String }
        let answer = try JSONReader.decode(Answer.self, from: try await agent.ask(.post, "/v1/open"))
        context.output.message("")
        context.output.message("What \(name) sees:")
        context.output.result(answer.address)
    }

    private func share(_ paths: Paths) async throws {
        try Library.change(in: paths.data) { library throws(LibraryError) in try library.band.shareAll(true) }
        await ControlClient.reportChange(paths, context)
    }

    /// Ends the players' agents, and waits for them.
    func stop() async {
        for child in children { child.kill(SIGTERM) }
        for child in children { _ = await child.exit() }
    }
}
