import BenchmarkCorpus
import Glibc
import Platform

/// The peers that are installed on this machine, and how to run them.
struct InstalledPeers: Sendable {
    private var paths: [Peer: String]
    private let folder: String

    /// Looks for the peers' programs along PATH; their output goes to `folder`.
    init(folder: String) {
        let places = (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin").split(separator: ":")
        var paths: [Peer: String] = [:]
        for peer in Peer.allCases {
            paths[peer] = places.map { "\($0)/\(peer.program)" }.first { access($0, X_OK) == 0 }
        }
        self.paths = paths
        self.folder = folder
    }

    /// Drops the peers whose program is installed but not what it needs.
    @LoopActor
    mutating func tryOut() async throws {
        for peer in present {
            guard let path = paths[peer], let trial = peer.trial else { continue }
            if try await start(path, trial).exit != .code(0) { paths[peer] = nil }
        }
    }

    var present: [Peer] { Peer.allCases.filter { paths[$0] != nil } }
    var missing: [Peer] { Peer.allCases.filter { paths[$0] == nil } }

    /// The cost of one process that draws some pages of a chart, from its start to its end.
    @LoopActor
    func run(_ peer: Peer, _ pages: ClosedRange<Int>, like page: CorpusPage) async throws -> Cost {
        guard let path = paths[peer] else { throw BenchmarkFailure("\(peer.program) is not installed") }
        let arguments = peer.arguments(chart: page.chart.path, pages: pages, width: page.width, height: page.height, folder: folder)
        var (exit, cost) = try await start(path, arguments)
        let made = try Folder.names(in: folder)
        for name in made { unlink(folder + "/" + name) }
        guard exit == .code(0), made.count == pages.count else {
            throw BenchmarkFailure(
                "\(peer.program) \(arguments.joined(separator: " ")): it \(exit) and made \(made.count) of \(pages.count) pages")
        }
        if let trial = peer.trial {
            let idle = try await start(path, trial).cost
            cost = Cost(cpu: max(0, cost.cpu - idle.cpu), wall: max(0, cost.wall - idle.wall))
        }
        return cost
    }

    @LoopActor
    private func start(_ path: String, _ arguments: [String]) async throws -> (exit: Child.Exit, cost: Cost) {
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let environment = ["PATH", "HOME", "LANG"].compactMap { (name: String) in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        let start = ProcessFigures.wallMilliseconds
        let child = try Child.start(
            path, arguments: arguments, environment: environment, descriptors: [null.number, null.number, null.number])
        let exit = await child.exit()
        return (exit, Cost(cpu: child.cpuTime.inSeconds * 1000, wall: ProcessFigures.wallMilliseconds - start))
    }
}
