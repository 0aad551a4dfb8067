import Model
import Platform
import Synchronization
import TestSupport
import Testing
import Viewer

/// The port of the pages if no port was set by hand.
@Suite(.onLoop)
struct PortTests {
    /// A user of this machine, with their agent's stored data and log.
    private final class User: Sendable {
        let folder = TemporaryFolder()
        private let logged = Mutex<[String]>([])
        var log: Log { Log { level, message in self.logged.withLock { $0.append("\(level): \(message)") } } }
        var lines: [String] { logged.withLock { $0 } }
    }

    /// The ports to choose from, below those that the system assigns by itself.
    private let usual: ClosedRange<UInt16>

    init() {
        let first = UInt16.random(in: 12_000...30_000)
        usual = first...first + 5
    }

    @LoopActor private func start(_ user: User) throws -> (viewer: Viewer, host: String) {
        var settings = ViewerSettings(nameFolder: user.folder.path)
        settings.usualPorts = usual
        let viewer = Viewer(settings: settings, clock: SimulatedClock(), log: user.log)
        try viewer.start()
        return (viewer, String(try #require(viewer.invite()).split(separator: "/")[1]))
    }

    @LoopActor @Test func twoUsersOfAMachineHaveAPortEachAndKeepIt() throws {
        let (ann, ben) = (User(), User())
        let (first, second) = (try start(ann), try start(ben))
        let ports = [try #require(first.viewer.port), try #require(second.viewer.port)]
        #expect(ports[0] < ports[1] && ports.allSatisfy(usual.contains))
        #expect(first.host.hasSuffix(":\(ports[0])") && second.host.hasSuffix(":\(ports[1])"), "what 'woodshed open' opens")
        #expect(ben.lines == ["info: another program or user has port \(usual.lowerBound), so the pages are on port \(ports[1])"])
        first.viewer.stop()
        second.viewer.stop()
        // Each user gets the former port back, whoever starts first.
        let (secondAgain, firstAgain) = (try start(ben), try start(ann))
        defer { for each in [firstAgain, secondAgain] { each.viewer.stop() } }
        #expect([firstAgain.viewer.port, secondAgain.viewer.port] == ports)
        #expect([firstAgain.host, secondAgain.host] == [first.host, second.host])
        #expect(ann.lines.last == "info: the pages are on port \(ports[0])")
    }

    /// Open tabs and bookmarks still use the former port; their requests must be worthless at the other user's viewer.
    @LoopActor @Test func whoHasToMoveTakesAnotherNameAndStays() throws {
        let (ann, ben) = (User(), User())
        let before = try start(ann)
        let former = try #require(before.viewer.port)
        before.viewer.stop()
        let other = try start(ben)
        #expect(other.viewer.port == former)
        let moved = try start(ann)
        let port = try #require(moved.viewer.port)
        #expect(port != former && usual.contains(port))
        #expect(moved.host.prefix { $0 != ":" } != before.host.prefix { $0 != ":" })
        #expect(ann.lines.last?.hasPrefix("warning: another program or user has port \(former), where the pages were, so") == true)
        for each in [other, moved] { each.viewer.stop() }
        let again = try start(ann)
        defer { again.viewer.stop() }
        #expect(again.host == moved.host)
    }

    @LoopActor @Test func noFreePortIsSaid() throws {
        let others = try usual.map { port in
            let viewer = Viewer(settings: ViewerSettings(port: port, nameFolder: nil), clock: SimulatedClock(), log: .silent)
            try viewer.start()
            return viewer
        }
        defer { for other in others { other.stop() } }
        let failure = #expect(throws: Trouble.self) { try start(User()) }
        let words = "other programs or users have all ports from \(usual.lowerBound) to \(usual.upperBound)"
        #expect(failure?.description == "the pages cannot be shown: \(words)")
    }
}
