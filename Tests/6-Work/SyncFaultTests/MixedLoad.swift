import Agent
import DemoService
import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport

/// The events around an agent: colleagues edit at the stand-in, the musician saves marks and looks at pages, and somebody deletes
/// from the cache and requests syncs. The seed decides the events, and the machine their times.
@LoopActor
final class MixedLoad {
    /// How many events of each kind there were; requests without a successful answer count apart.
    private(set) var done: [String: Int] = [:]
    private(set) var files = UserFiles()
    private let home: AgentHome
    private var random: SeededGenerator
    private let cache: CacheFiles
    private let charts: [String]
    private let layers: [String]
    private var torn: Set<String> = []
    private var asked: [Task<Void, Never>] = []
    private var number = 0
    /// Files of marks, their charts, and their last saved content.
    private var markFiles: [(path: String, chart: String, dots: [MarkText.Dot])] = []

    /// Puts a musician's files into a home that was synced once.
    init(_ home: AgentHome, truth: Contents, seed: UInt64) throws {
        self.home = home
        random = SeededGenerator(seed: seed)
        cache = CacheFiles(folder: home.folder.path("cache"))
        charts = truth.charts.keys.map(\.text).sorted()
        layers = truth.layers.keys.map(\.text).sorted()
        let music = home.folder.path("music")
        for (number, chart) in charts.prefix(3).enumerated() { markFiles.append(("\(music)/own \(number).marks.json", chart, [dot()])) }
        try Folder.create(music + "/scans")
        markFiles.append((music + "/scans/more.marks.json", charts[0], [dot()]))
        for file in markFiles { try files.write(MarkText.native(file.chart, file.dots), to: file.path) }
        // The agent must not change files that do not belong to it, either.
        for (name, mode) in [("notes.txt", mode_t(0o644)), ("scans/old.pdf", 0o400), (".hidden", 0o600)] {
            try AtomicFile.write("\(name), as I left it", to: "\(music)/\(name)", mode: mode)
            try files.note("\(music)/\(name)")
        }
        guard symlink("notes.txt", music + "/link") == 0 else { throw SystemError("link", path: music + "/link") }
        try files.note(music + "/link")
        // A musician's own file next to a chart's link.
        if let day = try Folder.names(in: music).sorted().first(where: { $0.hasPrefix("2") }) {
            try files.write("in B flat", to: "\(music)/\(day)/remember.txt")
        }
        for path in ["config/woodshed.yaml", "token"] { try files.note(home.folder.path(path)) }
    }

    /// Causes one event at random.
    func act() throws {
        number += 1
        switch Int.random(in: 0..<20, using: &random) {
        case 0...4: try saveMarks()
        case 5...8: try edit()
        case 9...12: delete()
        case 13...15: ask("select", "/v1/select?chart=\(some(charts))&page=\(Int.random(in: 0...1, using: &random))")
        case 16...18: ask("sync", "/v1/sync")
        default: ask("reconcile", "/v1/changed")
        }
    }

    /// Waits until all requests have ended.
    func quiet() async {
        for task in asked { await task.value }
        asked = []
    }

    /// Saves every file again that was left cut off.
    func mendMarks() throws {
        for file in markFiles where torn.remove(file.path) != nil {
            try files.replace(file.path, by: MarkText.native(file.chart, file.dots))
        }
    }

    // MARK: -

    private func some(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }

    private func dot() -> MarkText.Dot {
        MarkText.Dot(page: 0, x: Double(Int.random(in: 1...999, using: &random)) / 1000)
    }

    private func saveMarks() throws {
        let place = Int.random(in: 0..<markFiles.count, using: &random)
        // Marks that vanish from several files within seconds would be taken for an accident, and kept. So all files but the
        // first only gain marks.
        let former = place == 0 ? [] : markFiles[place].dots
        markFiles[place].dots = former + (0..<Int.random(in: 1...3, using: &random)).map { _ in dot() }
        let file = markFiles[place]
        let text = MarkText.native(file.chart, file.dots)
        torn.remove(file.path)
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            try files.write(String(text.dropLast(text.count / 3)), to: file.path)
            torn.insert(file.path)
        case 1, 2: try files.write(text, to: file.path)
        default: try files.replace(file.path, by: text)
        }
        done["save", default: 0] += 1
    }

    private func edit() throws {
        let demo = home.demo
        switch Int.random(in: 0..<6, using: &random) {
        case 0...2: try demo.edit(.addMark(layer: some(layers), page: 0, mark: nil))
        case 3: try demo.edit(.replaceChartWith(attachment: some(charts), other: some(charts)))
        case 4:
            let chart = some(charts)
            guard var bytes = demo.bytes(of: chart) else { return }
            bytes += Array("\n% version \(number)\n%%EOF\n".utf8)
            try demo.edit(.replaceChart(attachment: chart, bytes: bytes))
        default: try demo.edit(.renamePlan(plan: "67810002", title: "Number \(number)"))
        }
        done["edit", default: 0] += 1
    }

    private func delete() {
        guard let path = try? cache.paths().sorted().randomElement(using: &random) else { return }
        let file = cache.folder + "/pages/" + path
        let isAll = Int.random(in: 0..<12, using: &random)
        if isAll == 0 {
            TemporaryFolder.empty(cache.folder + "/pages")
        } else if isAll < 5 {
            TemporaryFolder.empty(Folder.parent(of: file))
            rmdir(Folder.parent(of: file))
        } else {
            unlink(file)
        }
        done["delete", default: 0] += 1
    }

    /// Sends a request to the agent's control socket, without waiting.
    private func ask(_ what: String, _ path: String) {
        asked.append(
            spawn { [weak self, home] in
                // The agent may not be running yet, or be killed in the middle of the request.
                let isDone = await home.isAnswered(path)
                self?.done[what + (isDone ? "" : " unanswered"), default: 0] += 1
            })
    }
}
