import Glibc
import Platform
import TestSupport
import Testing

@testable import Watching

extension FolderWatcherTests {
    /// Uses the events as a cache does. After any changes, exactly the existing files are known once no more events come.
    @Test(arguments: 0..<12) @LoopActor func theEventsShowWhatIsThere(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try Fixture(charts: ["a"])
        let mirror = Mirror(fixture)
        try await fixture.start()
        defer { fixture.watcher.stop() }
        for _ in 0..<40 {
            for _ in 0..<Int.random(in: 1...30, using: &random) { mirror.change(using: &random) }
            // Other tasks run now and then, so events arrive in the middle of the changes.
            await Task.yield()
            guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
            try await waitUntil { mirror.known == mirror.onDisk() }
        }
        try await waitUntil { mirror.known == mirror.onDisk() }
    }
}

/// The paths of the files in a cache, collected from the events and from the files that the mirror made itself.
@LoopActor
private final class Mirror {
    private(set) var known: Set<String> = []
    private let fixture: Fixture

    init(_ fixture: Fixture) {
        self.fixture = fixture
        fixture.onEvent = { [weak self] in self?.take($0) }
    }

    private func take(_ event: FileEvent) {
        switch event {
        case .written: break
        // The event is only a hint, since another file may have the name by now.
        case .removed(let path): if access(path, F_OK) != 0 { known.remove(path) }
        case .folderRemoved(let path), .rescan(let path):
            known = known.filter { $0 != path && !$0.hasPrefix(path + "/") }.union(onDisk().filter { $0.hasPrefix(path + "/") })
        }
    }

    func onDisk() -> Set<String> {
        var found: Set<String> = []
        for chart in folders(in: fixture.pages) {
            let folder = fixture.pages + "/" + chart
            for name in (try? Folder.names(in: folder)) ?? [] { found.insert(folder + "/" + name) }
        }
        return found
    }

    func change(using random: inout SeededGenerator) {
        let chart = fixture.pages + "/c\(Int.random(in: 0..<6, using: &random))"
        let file = chart + "/\(Int.random(in: 0..<4, using: &random)).png"
        switch Int.random(in: 0..<40, using: &random) {
        case 0: removeTree(fixture.cache)
        case 1: removeTree(fixture.pages)
        case 2...5: removeTree(chart)
        case 6...8: rename(chart, fixture.pages + "/c\(Int.random(in: 0..<6, using: &random))")
        case 9: rename(chart, fixture.home.path("away\(random.next())"))
        case 10: rename(fixture.cache, fixture.home.path("away\(random.next())"))
        case 11...18: unlink(file)
        case 19: rename(file, fixture.home.path("away\(random.next())"))
        default:
            guard (try? Folder.create(chart)) != nil, (try? AtomicFile.write("image", to: file)) != nil else { return }
            known.insert(file)
        }
    }

    private func folders(in path: String) -> [String] {
        var names: [String] = []
        try? Folder.visit(path, followingLinks: false) { entry in
            if case .folder = entry.kind { names.append(String(decoding: entry.bytes, as: UTF8.self)) }
        }
        return names
    }

    private func removeTree(_ path: String) {
        for name in folders(in: path) { removeTree(path + "/" + name) }
        for name in (try? Folder.names(in: path)) ?? [] { unlink(path + "/" + name) }
        rmdir(path)
    }
}
