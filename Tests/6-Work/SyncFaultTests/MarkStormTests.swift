import Annotations
import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built agent sleeps on the kernel's own events, while somebody changes the music folder at will.
@Suite(.onLoop, .needs(.realTime), .serialized)
struct MarkStormTests {
    private static let seeds = Asked.seeds(everyday: 3, most: 100)

    @Test(arguments: seeds) @LoopActor func afterQuietTheCatalogueIsAsTheFilesAre(seed: UInt64) async throws {
        let demo = try StandIn.start()
        defer { demo.stop() }
        let home = try AgentHome(demo)
        try Folder.create(home.folder.path("data/annotations"))
        let agent = try home.start()
        try await AgentHome.untilAsleep(agent)
        let library = try Library(readingFrom: home.folder.path("data"))
        let attachments = try library.plans.all().flatMap(\.attachments).map(\.id.text)
        library.close()

        let clock = SystemClock()
        var musician = Musician(music: home.folder.path("music"), attachments: attachments, seed: seed)
        let roundThatEmpties = Int.random(in: 0..<8, using: &musician.random)
        for round in 0..<8 {
            for _ in 0..<Int.random(in: 1...30, using: &musician.random) { try musician.act() }
            if round == roundThatEmpties { try await empty(home, agent, &musician, "seed \(seed)") }
            try await clock.sleep(for: .milliseconds([0, 1, 20, 160, 700].randomElement(using: &musician.random) ?? 0))
        }
        try musician.save("last.marks.json")

        // In the end the agent finds all changes by itself.
        try await waitUntil { try differences(home, musician).isEmpty }
        #expect(try differences(home, musician) == [], "seed \(seed)")
        #expect(try musician.strangers() == [], "seed \(seed)")
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0), "seed \(seed): \(result.messages)")
        #expect(!result.messages.contains("error:"), "seed \(seed): \(result.messages)")

        // The agent may have been stopped in its work. The next one's images equal those of an agent that starts from nothing.
        let cache = CacheFiles(folder: home.folder.path("cache"))
        #expect(try await home.sync().exit == .code(0))
        let before = try cache.images()
        TemporaryFolder.empty(cache.folder)
        #expect(try await home.sync().exit == .code(0))
        let after = try cache.images()
        #expect(after.allSatisfy { before[$0.key] == $0.value }, "seed \(seed)")
        #expect(try differences(home, musician) == [], "seed \(seed)")
    }

    /// Moves all files out of the folder, which stays, and back: meanwhile no file is forgotten, and the folder is reported.
    @LoopActor
    private func empty(_ home: AgentHome, _ agent: Program, _ musician: inout Musician, _ seed: Comment) async throws {
        for name in ["one", "two"] { try musician.save("\(name).marks.json") }
        try await waitUntil { try differences(home, musician).isEmpty }
        try musician.moveAllAway(to: home.folder.path("away"))
        // An agent that has read a later file has handled all earlier events.
        let count = Int.random(in: 1...1_000_000_000, using: &musician.random)
        try AtomicFile.write(#"{"marks":[],"name":"\#(count)"}"#, to: home.folder.path("data/annotations/later.marks.json"))
        try await waitUntil { try known(home).contains { $0.value.content?.name == "\(count)" } }
        try await waitUntil { try agent.messagesSoFar().contains("their marks are kept until they are back") }
        #expect(Set(try inMusic(home, musician).keys) == Set(musician.files.keys), seed)
        try musician.moveAllBack(from: home.folder.path("away"))
        // Wait for the agent: a file that is removed before the agent has found it again would go on counting as away.
        try await waitUntil {
            let library = try Library(readingFrom: home.folder.path("data"))
            defer { library.close() }
            return try library.markFiles.filesAway().isEmpty
        }
    }

    @LoopActor
    private func known(_ home: AgentHome) throws -> [String: LocalFile] {
        let library = try Library(readingFrom: home.folder.path("data"))
        defer { library.close() }
        return Dictionary(try library.markFiles.all().map { ($0.path, $0) }) { first, _ in first }
    }

    @LoopActor
    private func inMusic(_ home: AgentHome, _ musician: Musician) throws -> [String: LocalFile] {
        try known(home).filter { $0.key.hasPrefix(musician.music + "/") }
    }

    /// The differences between the catalogue and the files.
    @LoopActor
    private func differences(_ home: AgentHome, _ musician: Musician) throws -> [String] {
        let known = try inMusic(home, musician)
        var found = Set(known.keys).symmetricDifference(musician.files.keys).map { "\($0) is known or there only" }
        for (path, file) in known where musician.files[path] != nil {
            let said = try MarkFileReader.read(path: path).0
            if file.content != said || file.fault != nil { found.append("\(path) says something else") }
        }
        return found.sorted()
    }
}

/// Somebody who saves, moves and deletes native layers in a folder.
private struct Musician {
    let music: String
    let attachments: [String]
    var random: SeededGenerator
    /// The files that are there, by path.
    private(set) var files: [String: [UInt8]] = [:]
    private var folders: [String] = []
    private var count = 0

    init(music: String, attachments: [String], seed: UInt64) {
        self.music = music
        self.attachments = attachments
        random = SeededGenerator(seed: seed)
    }

    mutating func act() throws {
        count += 1
        let path = files.keys.sorted().randomElement(using: &random)
        switch (Int.random(in: 0..<10, using: &random), path) {
        case (0, let path?):
            unlink(path)
            files[path] = nil
        case (1, let path?):
            let other = newPath()
            #expect(rename(path, other) == 0)
            files[other] = files.removeValue(forKey: path)
        case (2, _):
            let folder = (folders.randomElement(using: &random) ?? music) + "/set \(count)"
            try Folder.create(folder)
            folders.append(folder)
        case (3, _): moveFolder()
        case (4...6, let path?): try write(path)
        default: try write(newPath())
        }
    }

    /// Moves all files away, one by one.
    func moveAllAway(to away: String) throws {
        try Folder.create(away)
        for (number, path) in files.keys.sorted().enumerated() { #expect(rename(path, "\(away)/\(number)") == 0) }
    }

    /// Moves all files back, one by one.
    func moveAllBack(from away: String) throws {
        for (number, path) in files.keys.sorted().enumerated() { #expect(rename("\(away)/\(number)", path) == 0) }
    }

    mutating func save(_ name: String) throws { try write(music + "/" + name) }

    private mutating func newPath() -> String {
        count += 1
        return (Bool.random(using: &random) ? folders.randomElement(using: &random) ?? music : music) + "/\(count).marks.json"
    }

    private mutating func moveFolder() {
        guard let folder = folders.randomElement(using: &random) else { return }
        let other = music + "/moved \(count)"
        #expect(rename(folder, other) == 0)
        func moved(_ path: String) -> String {
            path.hasPrefix(folder + "/") || path == folder ? other + path.dropFirst(folder.count) : path
        }
        folders = folders.map(moved)
        files = Dictionary(uniqueKeysWithValues: files.map { (moved($0.key), $0.value) })
    }

    private mutating func write(_ path: String) throws {
        count += 1
        let marks = (0..<Int.random(in: 0...2, using: &random)).map { number in
            ##"{"id":"\##(number)","page":\##(Int.random(in: 0...2, using: &random)),"kind":"pen","color":"#00ff00","width":0.1,"##
                + ##""points":[[0.\##(Int.random(in: 1...9, using: &random)),0.5]]}"##
        }
        // No two files have the same length, so their stamps differ as after saves a second apart.
        let text =
            #"{"attachment_id":"\#(attachments.randomElement(using: &random) ?? "")","marks":[\#(marks.joined(separator: ","))]}"#
            + String(repeating: "\n", count: count)
        let way = Int.random(in: 0..<3, using: &random)
        if way == 0 {
            try AtomicFile.write(text, to: path)
        } else {
            if way == 1, files[path] != nil { rename(path, path + "~") }
            let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
            try Array(text.utf8).withUnsafeBytes { bytes in
                try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]))
                try file.write(UnsafeRawBufferPointer(rebasing: bytes[(bytes.count / 2)...]))
            }
            unlink(path + "~")
        }
        files[path] = Array(text.utf8)
    }

    /// Files that differ from the musician's last save.
    func strangers() throws -> [String] {
        try files.filter { try AtomicFile.read($0.key, limit: 1 << 20) != $0.value }.keys.sorted()
    }
}
