import Catalogue
import CommandLine
import Configuration
import DemoService
import Glibc
import Library
import Model
import Platform

/// The address where the running demo's stand-in accepts edits, stored in the runtime folder for `woodshed demo edit`.
struct DemoAddress {
    private let path: String
    /// The file that marks the home as a demo's. It is never removed.
    private let mark: String

    init(_ paths: Paths) {
        path = paths.runtime + "/demo.url"
        mark = Self.mark(in: paths.data)
    }

    private static func mark(in data: String) -> String { data + "/demo" }

    private static let words = "'woodshed demo' made what is here; it needs no account.\n"

    /// Whether the library in this folder is a demo's: the mark is there, and if there is a catalogue, all its plans are a demo's.
    /// The mark alone is not enough, since a demo may have been tried in a real account's home.
    @LoopActor
    static func isHome(ofDemo data: String) -> Bool {
        guard let mark = try? AtomicFile.read(mark(in: data), limit: 1000), mark == Array(words.utf8) else { return false }
        guard access(CatalogueFile.path(in: data), F_OK) == 0 else { return true }
        guard let library = try? Library(readingFrom: data) else { return false }
        defer { library.close() }
        return (try? library.plans.all())?.allSatisfy { DemoService.planIDs.contains($0.plan.id.text) } ?? false
    }

    /// A demo that is given no home creates one in this folder, with a name that begins with `freshHome`.
    static func temporary(_ environment: Environment) -> String { environment.folder("TMPDIR") ?? "/tmp" }
    static let freshHome = "woodshed-demo-"

    /// The homes that this user's running demos have created.
    static func freshHomes(_ environment: Environment) -> [String] {
        let folder = temporary(environment)
        return ((try? Folder.names(in: folder)) ?? []).filter { $0.hasPrefix(freshHome) }.sorted().map { folder + "/" + $0 }.filter {
            home in
            var status = stat()
            // Skip what other users have created under such a name in /tmp.
            return lstat(home, &status) == 0 && status.st_uid == geteuid() && AgentLock.runner(in: home + "/data") != nil
        }
    }

    static let noDemo = CommandFailure(
        .failed, "no demo is running in this home; start 'woodshed demo' in another terminal, and pass the same --home if it has one")

    func write(_ url: String) throws {
        try Folder.create(Folder.parent(of: path))
        try AtomicFile.write(url + "\n", to: path)
        try AtomicFile.write(Self.words, to: mark)
    }

    func remove() {
        unlink(path)
    }

    /// The address that a demo has stored. That demo may no longer be running. Throws if no address is stored.
    func read() throws -> String {
        guard let bytes = try? AtomicFile.read(path, limit: 1000) else { throw Self.noDemo }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
    }
}
