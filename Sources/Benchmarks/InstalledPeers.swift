import Glibc
import Platform

/// The peers that this machine has, and how to run them.
struct InstalledPeers: Sendable {
    private let paths: [Peer: String]
    private let folder: String

    /// Looks for the peers' programs along PATH; what they make goes to `folder`.
    init(folder: String) {
        let places = (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin").split(separator: ":")
        var paths: [Peer: String] = [:]
        for peer in Peer.allCases {
            paths[peer] = places.map { "\($0)/\(peer.program)" }.first { access($0, X_OK) == 0 }
        }
        self.paths = paths
        self.folder = folder
    }

    var present: [Peer] { Peer.allCases.filter { paths[$0] != nil } }
    var missing: [Peer] { Peer.allCases.filter { paths[$0] == nil } }

    /// What one process that draws some pages of a chart costs, from its start to its end.
    @LoopActor
    func run(_ peer: Peer, _ pages: ClosedRange<Int>, like page: CorpusPage) async throws -> Cost {
        guard let path = paths[peer] else { throw BenchmarkFailure("\(peer.program) is not installed") }
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let arguments = peer.arguments(chart: page.chart.path, pages: pages, width: page.width, height: page.height, folder: folder)
        let environment = ["PATH", "HOME", "LANG"].compactMap { (name: String) in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        let start = ProcessFigures.wallMilliseconds
        let child = try Child.start(
            path, arguments: arguments, environment: environment, descriptors: [null.number, null.number, null.number])
        let exit = await child.exit()
        let elapsed = ProcessFigures.wallMilliseconds - start
        let made = try Folder.names(in: folder)
        for name in made { unlink(folder + "/" + name) }
        guard exit == .code(0), made.count == pages.count else {
            throw BenchmarkFailure(
                "\(peer.program) \(arguments.joined(separator: " ")): it \(exit) and made \(made.count) of \(pages.count) pages")
        }
        return Cost(cpu: child.cpuTime.inSeconds * 1000, wall: elapsed)
    }
}
