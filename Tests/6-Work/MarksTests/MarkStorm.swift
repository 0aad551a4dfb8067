import Annotations
import Glibc
import Library
import Model
import Platform
import TestSupport

@testable import Marks

/// A musician, programs and a disk that change a folder of marks, in an order that a seed decides.
@LoopActor
final class MarkStorm {
    var random: SeededGenerator
    /// The steps so far, to explain a failure.
    private(set) var story: [String] = []
    private(set) var complaints: [String] = []
    private let desk: MarkDesk
    private let links: [String]
    /// The states of each file that the library may hold: the state at the last quiet moment, and all later ones; `nil` for no file.
    private var mayBeRemembered: [String: Set<MarkFile?>] = [:]
    private var count = 0

    private var music: MusicFolder { desk.music }
    private var files: [String] { music.files.keys.filter { $0 != "always.marks.json" && !$0.hasSuffix("~") }.sorted() }

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        desk = try await MarkDesk(["a", "b"])
        links = [try desk.link("a"), try desk.link("b")]
        // One file always stays, because an empty folder counts as taken away.
        try music.save(MarkText.native("a", [MarkText.Dot(page: 0, x: 0.5)]), as: "always.marks.json")
        await desk.quiet()
    }

    private func note(_ line: String) { story.append(line) }
    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private func pick<Element>(_ all: some Collection<Element>) -> Element? { all.randomElement(using: &random) }

    // MARK: - Steps

    func step() async throws {
        switch number(0..<16) {
        case 0...5: try await change()
        case 6:
            count += 1
            try music.makeFolder((pick(music.folders.sorted()).map { number(0..<2) == 0 ? $0 + "/" : "" } ?? "") + "set \(count)")
        case 7:
            for _ in 0..<number(5..<40) {
                try save(bytes(for: ".json"), as: number(0..<2) == 0 ? "\(count).marks.json" : "again.marks.json")
            }
        case 8, 9:
            // Events are lost, and only the loss is reported.
            let events = music.events
            music.events = nil
            for _ in 0..<number(1..<5) { try await change() }
            music.events = events
            music.rescan()
            note("unheard so far")
        case 10:
            await desk.end()
            for _ in 0..<number(0..<5) { try await change() }
            try await desk.beginAgain()
            note("a new beginning")
        case 11: if let aside = music.files.keys.filter({ $0.hasSuffix("~") }).min() { try delete(aside) }
        case 12: try await takeDiskOut()
        case 13: try await emptyInPlace()
        default: await wait()
        }
    }

    private func wait() async {
        guard music.events != nil else { return }
        await desk.wait(for: .milliseconds([0, 10, 149, 150, 200, 3000][number(0..<6)]))
    }

    private func change() async throws {
        guard let name = pick(files) else { return try await write(newName()) }
        switch number(0..<12) {
        case 0: try delete(name)
        case 1:
            let other = newName()
            note("rename \(name) to \(other)")
            try music.rename(name, to: other)
            mayRemember(other)
            mayBeRemembered[name, default: [nil]].insert(nil)
        case 2:
            note("cut off \(name)")
            let bytes = music.files[name] ?? []
            try music.overwrite(Array(bytes.prefix(number(0..<bytes.count + 1))), as: name)
            mayRemember(name)
        case 3: try moveFolder(andBack: number(0..<3) == 0)
        case 4...7: try await write(name)
        default: try await write(newName())
        }
    }

    private func newName() -> String {
        count += 1
        let folder = number(0..<2) == 0 ? pick(music.folders.sorted()).map { $0 + "/" } ?? "" : ""
        return folder
            + ["\(count).marks.json", "\(count).xopp", "\(count).xoj", "ä\(count)\n.marks.json", "e\u{301} \(count).xopp"][number(0..<5)]
    }

    /// New bytes for a file of that name. No two results have the same length, so the files' stamps differ as after saves a second apart.
    private func bytes(for name: String) -> [UInt8] {
        count += 1
        let dots = (0..<number(0..<4)).map { _ in MarkText.Dot(page: number(0..<3), x: Double(number(1..<5)) / 8) }
        let tail = String(repeating: "\n", count: count)
        guard !name.hasSuffix(".json") else {
            return Array(MarkText.native(["a", "b", "c"][number(0..<3)], dots, isReordered: number(0..<2) == 0, tail: tail).utf8)
        }
        let link = links[number(0..<2)]
        let text = MarkText.journal([music.path(link), link, "../" + link, "none.pdf"][number(0..<4)], dots, tail: tail)
        return number(0..<2) == 0 ? MarkText.gzip(text, at: UInt8(number(0..<10))) : Array(text.utf8)
    }

    private func save(_ bytes: [UInt8], as name: String) throws {
        note("save \(name)")
        try music.save(bytes, as: name)
        mayRemember(name)
    }

    private func write(_ name: String) async throws {
        let bytes = bytes(for: name)
        switch number(0..<4) {
        case 0: try save(bytes, as: name)
        case 1:
            note("write \(name) in steps")
            let middle = number(0..<bytes.count + 1)
            try music.overwrite(Array(bytes[..<middle]), as: name, isClosed: number(0..<2) == 0)
            mayRemember(name)
            await wait()
            try music.append(bytes[middle...], to: name)
        default:
            note("save \(name) as Xournal++ does")
            var steps = number(0..<6) == 0 ? number(1..<5) : .max
            do {
                try await music.saveAsXournalDoes(bytes, as: name) { () async throws in
                    steps -= 1
                    if steps == 0 { throw Crash() }
                    if music.events != nil, number(0..<4) == 0 { music.rescan() }
                    await wait()
                }
            } catch is Crash {
                note("which crashes meanwhile")
                // Only journals are recognised after Xournal++ has put them aside; a native file may be forgotten.
                if name.hasSuffix(".json") { mayBeRemembered[name, default: [nil]].insert(nil) }
                if music.files[name] != nil { music.close(name) }
            }
        }
        mayRemember(name)
    }

    private struct Crash: Error {}

    private func delete(_ name: String) throws {
        note("delete \(name)")
        try music.delete(name)
        mayBeRemembered[name, default: [nil]].insert(nil)
    }

    private func moveFolder(andBack: Bool) throws {
        guard let name = pick(music.folders.sorted()) else { return }
        count += 1
        let other = "moved \(count)"
        note("move folder \(name) to \(other)\(andBack ? " and back" : "")")
        for file in music.files.keys where file.hasPrefix(name + "/") { mayBeRemembered[file, default: [nil]].insert(nil) }
        try music.moveFolder(name, to: other)
        for file in music.files.keys where file.hasPrefix(other + "/") { mayRemember(file) }
        if andBack { try music.moveFolder(other, to: name) }
    }

    /// Takes the disk out and puts it back; no file may be forgotten meanwhile.
    private func takeDiskOut() async throws {
        note("take the disk out and put it back")
        await desk.quiet()
        let (before, away) = (try desk.library.markFiles.all(), desk.folder.path("away"))
        guard Glibc.rename(music.path, away) == 0 else { throw SystemError("rename", path: music.path) }
        try Folder.create(music.path)
        if number(0..<2) == 0 { music.rescan() }
        for file in before.prefix(3) { desk.home.events.send(.written(file.path)) }
        await desk.quiet()
        if try desk.library.markFiles.all() != before { complaints.append("an empty folder had files forgotten") }
        rmdir(music.path)
        guard Glibc.rename(away, music.path) == 0 else { throw SystemError("rename", path: away) }
        music.rescan()
        // Wait for the keeper: a file that is removed before the keeper has found it again would go on counting as away.
        await desk.quiet()
        if !desk.home.keeper.folders.emptied.isEmpty { complaints.append("a folder that is back passes for empty") }
    }

    /// Moves all files out of a folder that stays, and back. If there is only one file, its loss counts as a deletion.
    private func emptyInPlace() async throws {
        note("empty in place, and back")
        await desk.quiet()
        let before = try desk.library.markFiles.all()
        let (names, away) = (music.files.keys.sorted(), desk.folder.path("moved away"))
        try Folder.create(away)
        for (number, name) in names.enumerated() {
            guard Glibc.rename(music.path(name), away + "/\(number)") == 0 else { throw SystemError("rename", path: music.path(name)) }
            desk.home.events.send(.removed(music.path(name)))
        }
        if number(0..<2) == 0 { await wait() }
        await desk.quiet()
        let after = try desk.library.markFiles.all()
        if after != (before.count > 1 ? before : []) { complaints.append("a folder that was emptied in place has \(after.count) files") }
        let isReported = desk.home.keeper.folders.emptied == [music.path]
        if isReported != (before.count > 1) { complaints.append("an emptied folder is \(isReported ? "" : "not ")reported") }
        for (number, name) in names.enumerated() {
            guard Glibc.rename(away + "/\(number)", music.path(name)) == 0 else { throw SystemError("rename", path: away) }
            music.close(name)
        }
        await desk.quiet()
        if !desk.home.keeper.folders.emptied.isEmpty { complaints.append("a folder whose files are back passes for empty") }
    }

    /// Notes that the present content of `name` may have been read.
    private func mayRemember(_ name: String) {
        if let content = try? MarkFileReader.read(path: music.path(name)).0 { mayBeRemembered[name, default: [nil]].insert(content) }
    }

    // MARK: - Checks when all is quiet

    /// Compares the library with the files.
    func checkFiles() async throws {
        await desk.quiet()
        complaints += try music.differences().map { "\($0) is not as it was put there" }
        let known = try byPath()
        for name in music.files.keys.filter({ !$0.hasSuffix("~") }).sorted() {
            guard let file = known[Array(music.path(name).utf8)] else {
                complaints.append("\(name) is not known")
                continue
            }
            do throws(MarkFileFault) {
                let content = try MarkFileReader.read(path: file.path).0
                if file.content != content || file.fault != nil { complaints.append("\(name) has other content than the library knows") }
                mayBeRemembered[name] = [content]
            } catch {
                if file.fault != error.description { complaints.append("\(name): \(error), but known is \(file.fault ?? "no fault")") }
                // If a file could never be read, the library holds nothing of it.
                if !(mayBeRemembered[name] ?? [nil]).contains(file.content) {
                    complaints.append("\(name) cannot be read, and the library does not hold its last content")
                }
                mayBeRemembered[name] = [file.content]
            }
        }
        for file in known.values {
            let name = String(file.path.dropFirst(music.path.count + 1))
            if music.files[name] == nil, music.files[name + "~"] == nil { complaints.append("\(name) is gone and still known") }
        }
        // The library holds nothing of files that are gone.
        for name in mayBeRemembered.keys where known[Array(music.path(name).utf8)] == nil { mayBeRemembered[name] = nil }
    }

    /// Compares the library with one that reads everything for the first time.
    func checkAgainstFreshLibrary() async throws {
        let before = try desk.library.markFiles.all()
        await desk.end()
        let library = try Library(folder: desk.folder.path("data"))
        try library.markFiles.store([], forgetting: before.map(\.path))
        library.close()
        try await desk.beginAgain()
        let fresh = try byPath()
        for file in before where file.fault == nil && fresh[Array(file.path.utf8)] != file {
            let isAside = music.files.keys.contains { music.path($0) == file.path + "~" }
            if !isAside { complaints.append("a fresh library has \(fresh[Array(file.path.utf8)] as Any), not \(file)") }
        }
        let paths = Set(before.map { Array($0.path.utf8) })
        complaints += fresh.keys.filter { !paths.contains($0) }.map { "only a fresh library knows \(String(decoding: $0, as: UTF8.self))" }
    }

    private func byPath() throws -> [[UInt8]: LocalFile] {
        Dictionary(try desk.library.markFiles.all().map { (Array($0.path.utf8), $0) }) { first, _ in first }
    }
}
