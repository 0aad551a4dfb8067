import Catalogue
import Library
import Model
import Platform
import Synchronization
import TestSupport

@testable import Marks

/// A library with a plan of charts, and a keeper of mark files; no agent, no images, no service.
@LoopActor
final class MarkHome {
    let library: Library
    let keeper: MarkKeeper
    let clock: SimulatedClock
    let events = SimulatedFileEvents()
    private let lines = Lines()

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// Starts in a folder where a keeper may have run before, and reads its files.
    init(
        _ roots: MarkRoots, charts: [String] = ["1a", "1b"], plan: PlanContents? = nil, in folder: TemporaryFolder,
        clock: SimulatedClock = SimulatedClock()
    ) async throws {
        self.clock = clock
        library = try Library(folder: folder.path("data"))
        let contents = plan ?? Samples.contents("1", day: 7, attachments: charts.map { Samples.attachment($0) })
        try library.plans.update([contents], at: Samples.monday)
        let log = Log { [lines] _, text in lines.all.withLock { $0.append("\(text)") } }
        keeper = MarkKeeper(
            library: library, settings: MarkSettings(roots: roots, home: HomeID(in: folder.path("data")), ownFolder: roots.folders.first),
            side: SideThread(inline: true),
            time: clock, log: log, changed: {})
        try events.start { [keeper] in keeper.follow($0) }
        await clock.run { [keeper] in
            await keeper.finishFirstLook()
            await keeper.quiet()
        }
    }

    /// All log lines of the keeper.
    var logged: [String] { lines.all.withLock { $0 } }

    /// Lets the keeper handle all its events.
    func settle() async { await clock.run { [keeper] in await keeper.quiet() } }

    /// Makes the keeper check everything again, as when another process changed the library.
    func lookAgain() async {
        keeper.requestLook()
        keeper.matchAgain()
        await settle()
    }

    func wait(for duration: Duration) async {
        await clock.run { [clock] in try? await clock.sleep(for: duration) }
    }

    /// The drawn marks of a chart, by pages.
    func drawn(on chart: String) throws -> [PageIndex: MarkDigest] {
        PageMarks.join(try library.drawings.visibleLayers(of: AttachmentID(chart))).mapValues(\.digest)
    }

    func end() {
        events.stop()
        keeper.stop()
        library.close()
    }
}

extension MarkFolders {
    /// The paths for whose trouble `value` returns something, each with that value.
    private func all<Value>(_ value: (Trouble) -> Value?) -> [String: Value] {
        Dictionary(entries.compactMap { entry in value(entry.trouble).map { (entry.path, $0) } }) { first, _ in first }
    }

    var away: [String: Int] { all { if case .emptied(let files) = $0 { files } else { nil } } }
    var emptied: Set<String> { Set(away.keys) }
    var passedOver: [String: String] { all { if case .passedOver(let message) = $0 { message } else { nil } } }
    var former: [String: Int] { all { if case .unconfigured(let files) = $0 { files } else { nil } } }
    var ignored: [String: Int] { all { if case .ignored(let files) = $0 { files } else { nil } } }
    var missing: Set<String> { Set(entries.filter { $0.trouble == .missing }.map(\.path)) }
}
