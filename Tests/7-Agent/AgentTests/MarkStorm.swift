import Agent
import Annotations
import Glibc
import Library
import Model
import PageCache
import Platform
import TestSupport

@testable import Marks

/// A musician, an agent and a service, all of whom do things in an order that a seed decides.
@LoopActor
final class MarkStorm {
    var random: SeededGenerator
    let stage: MarkStage
    /// What was done, for whoever looks after a failure.
    private(set) var story: [String] = []
    var complaints: [String] = []
    /// What may be remembered of each file: what was when it was last quiet, and what it said since. `nil` is nothing.
    var mayBeRemembered: [String: Set<MarkFile?>] = [:]
    private let links: [String]
    private var count = 0
    private var isRunning = true

    var music: MusicFolder { stage.music }

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        stage = try await MarkStage(["a", "b"])
        links = [try stage.link("a"), try stage.link("b")]
        // Many files that lose marks in the same second pass for a folder that was put back.
        var saves = 0
        music.timeOfDay = {
            saves += 1
            return .seconds(1_700_000_000 + 60 * saves)
        }
        // A folder with nothing in it passes for one that was taken away.
        try music.save(MarkText.native("a", [MarkText.Dot(page: 0, x: 0.5)]), as: "always.marks.json")
        await stage.quiet()
    }

    // MARK: What they do

    func step() async throws {
        let candidates = music.files.keys.filter { $0 != "always.marks.json" && !$0.hasSuffix("~") }.sorted()
        switch Int.random(in: 0..<26, using: &random) {
        case 0...4: try await write(newName())
        case 5...8: if let name = candidates.randomElement(using: &random) { try await write(name) } else { try await write(newName()) }
        case 9: if let name = candidates.randomElement(using: &random) { try delete(name) }
        case 10: if let name = candidates.randomElement(using: &random) { try rename(name, to: newName()) }
        case 11: try makeFolder()
        case 12: try moveFolder()
        case 13: if let name = candidates.randomElement(using: &random) { try cutOff(name) }
        case 14: try await burst()
        case 15: try await overflow()
        case 16: try await restart()
        case 17: await changeRemotely()
        case 18: try await hide(candidates)
        case 19: await replaceChart()
        case 20: try moveFolderAwayAndBack()
        case 21: try await emptyRoot()
        case 22: if let aside = music.files.keys.filter({ $0.hasSuffix("~") }).sorted().first { try delete(aside) }
        case 23: try await emptyRootInPlace()
        default: await wait()
        }
    }

    func settle() async throws {
        if !isRunning { try await begin() }
        await stage.quiet()
    }

    private func note(_ line: String) { story.append(line) }

    private func newName() -> String {
        let folder = music.folders.sorted().randomElement(using: &random).map { $0 + "/" } ?? ""
        count += 1
        let names = ["\(count).marks.json", "\(count).xopp", "\(count).xoj", "ä\(count)\n.marks.json", "e\u{301} \(count).xopp"]
        return (Bool.random(using: &random) ? folder : "") + (names.randomElement(using: &random) ?? "")
    }

    /// What a musician draws, as the bytes of a file of that name. No two are as long as one another, as if one second had passed
    /// between them.
    private func bytes(for name: String) -> [UInt8] {
        count += 1
        let dots = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            MarkText.Dot(page: Int.random(in: 0...2, using: &random), x: Double(Int.random(in: 1...4, using: &random)) / 8)
        }
        let tail = String(repeating: "\n", count: count)
        guard !name.hasSuffix(".json") else {
            return Array(
                MarkText.native(
                    ["a", "b", "c"].randomElement(using: &random) ?? "", dots, isReordered: Bool.random(using: &random), tail: tail
                ).utf8)
        }
        let link = links.randomElement(using: &random) ?? ""
        let pdf = [music.path(link), link, "../" + link, "none.pdf"].randomElement(using: &random) ?? ""
        let text = MarkText.journal(pdf, dots, tail: tail)
        return Bool.random(using: &random) ? MarkText.gzip(text, at: UInt8.random(in: 0...9, using: &random)) : Array(text.utf8)
    }

    private func write(_ name: String) async throws {
        let bytes = bytes(for: name)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            note("save \(name)")
            try music.save(bytes, as: name)
        case 1:
            note("overwrite \(name)")
            try music.overwrite(bytes, as: name)
        case 2:
            note("write \(name) in steps")
            let middle = Int.random(in: 0...bytes.count, using: &random)
            try music.overwrite(Array(bytes[..<middle]), as: name, isClosed: Bool.random(using: &random))
            mayRemember(name)
            await wait()
            try music.append(bytes[middle...], to: name)
        default:
            note("save \(name) as Xournal++ does")
            let isCrash = Int.random(in: 0..<6, using: &random) == 0
            var steps = isCrash ? Int.random(in: 1...4, using: &random) : .max
            do {
                try await music.saveAsXournalDoes(bytes, as: name) { () async throws in
                    steps -= 1
                    if steps == 0 { throw Crash() }
                    if Int.random(in: 0..<4, using: &random) == 0 { music.rescan() }
                    await wait()
                }
            } catch is Crash {
                note("which crashes meanwhile")
                // Nothing else is put aside like that.
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

    private func rename(_ name: String, to other: String) throws {
        note("rename \(name) to \(other)")
        try music.rename(name, to: other)
        mayRemember(other)
        mayBeRemembered[name, default: [nil]].insert(nil)
    }

    private func makeFolder() throws {
        count += 1
        let name =
            (music.folders.sorted().randomElement(using: &random).map { Bool.random(using: &random) ? $0 + "/" : "" } ?? "")
            + "set \(count)"
        note("make folder \(name)")
        try music.makeFolder(name)
    }

    private func moveFolder() throws {
        guard let name = music.folders.sorted().randomElement(using: &random) else { return }
        count += 1
        note("move folder \(name) to moved \(count)")
        for file in music.files.keys where file.hasPrefix(name + "/") { mayBeRemembered[file, default: [nil]].insert(nil) }
        try music.moveFolder(name, to: "moved \(count)")
        for file in music.files.keys where file.hasPrefix("moved \(count)/") { mayRemember(file) }
    }

    private func replaceChart() async {
        let place = Int.random(in: 0..<2, using: &random)
        let old = stage.stage.service.plans[0].charts[place]
        count += 1
        note("replace chart \(old.id)")
        stage.stage.service.plans[0].charts[place] = SmallService.Chart(
            id: old.id, name: old.name, bytes: SmallService.pdf("\(old.id) \(count)"),
            updatedAt: "2026-11-01T10:\(10 + count / 60 % 50):\(10 + count % 50)Z")
        await stage.sync()
    }

    private func moveFolderAwayAndBack() throws {
        guard let name = music.folders.sorted().randomElement(using: &random) else { return }
        count += 1
        note("move folder \(name) away and back")
        for file in music.files.keys where file.hasPrefix(name + "/") { mayBeRemembered[file, default: [nil]].insert(nil) }
        try music.moveFolder(name, to: "away \(count)")
        try music.moveFolder("away \(count)", to: name)
    }

    /// A disk that is taken out: whatever else happens, nothing is forgotten by that.
    private func emptyRoot() async throws {
        guard isRunning else { return }
        note("empty")
        // What is awaited would be looked for in vain.
        await stage.quiet()
        let before = try stage.stage.library.markFiles.all()
        guard !before.isEmpty else { return }
        let away = stage.folder.path("away")
        guard Glibc.rename(music.path, away) == 0 else { throw SystemError("rename", path: music.path) }
        try Folder.create(music.path)
        if Bool.random(using: &random) { music.rescan() }
        for file in before.prefix(3) { stage.stage.events.send(.written(file.path)) }
        await stage.quiet()
        if try stage.stage.library.markFiles.all() != before { complaints.append("an empty folder had files forgotten") }
        rmdir(music.path)
        guard Glibc.rename(away, music.path) == 0 else { throw SystemError("rename", path: away) }
        music.rescan()
        // A file that goes before anybody saw that it is back is one of those that are away.
        await stage.quiet()
        if !stage.stage.agent.markFolders.emptied.isEmpty { complaints.append("a folder that is back passes for empty") }
        note("and back")
    }

    /// All files are moved out of a folder that stays, and back; of a single one that is a deletion.
    private func emptyRootInPlace() async throws {
        guard isRunning else { return }
        note("empty in place")
        await stage.quiet()
        let before = try stage.stage.library.markFiles.all()
        let names = music.files.keys.sorted()
        let away = stage.folder.path("moved away")
        try Folder.create(away)
        for (number, name) in names.enumerated() {
            guard Glibc.rename(music.path(name), away + "/\(number)") == 0 else { throw SystemError("rename", path: music.path(name)) }
            stage.stage.events.send(.removed(music.path(name)))
        }
        if Bool.random(using: &random) { await wait() }
        await stage.quiet()
        let after = try stage.stage.library.markFiles.all()
        if after != (before.count > 1 ? before : []) { complaints.append("a folder that was emptied in place has \(after.count) files") }
        let isTold = stage.stage.agent.markFolders.emptied == [music.path]
        if isTold != (before.count > 1) { complaints.append("it is \(isTold ? "" : "not ")told that a folder was emptied in place") }
        for (number, name) in names.enumerated() {
            guard Glibc.rename(away + "/\(number)", music.path(name)) == 0 else { throw SystemError("rename", path: away) }
            music.close(name)
        }
        await stage.quiet()
        if !stage.stage.agent.markFolders.emptied.isEmpty { complaints.append("a folder whose files are back passes for empty") }
        note("and back")
    }

    private func cutOff(_ name: String) throws {
        let bytes = music.files[name] ?? []
        note("cut off \(name)")
        try music.overwrite(Array(bytes[..<Int.random(in: 0...bytes.count, using: &random)]), as: name)
        mayRemember(name)
    }

    private func burst() async throws {
        note("a burst of")
        for _ in 0..<Int.random(in: 5...40, using: &random) {
            let name = newNativeName()
            try music.save(bytes(for: name), as: name)
            mayRemember(name)
        }
    }

    private func newNativeName() -> String {
        count += 1
        return Bool.random(using: &random) ? "\(count).marks.json" : "again.marks.json"
    }

    /// What is done meanwhile is told as no more than that something was.
    private func overflow() async throws {
        note("unheard:")
        let events = music.events
        music.events = nil
        for _ in 0..<Int.random(in: 1...4, using: &random) { try await stepOnDisk() }
        music.events = events
        music.rescan()
        note("heard again")
    }

    private func restart() async throws {
        guard isRunning else { return }
        note("end")
        await stage.end()
        isRunning = false
        for _ in 0..<Int.random(in: 0...4, using: &random) { try await stepOnDisk() }
        try await begin()
    }

    private func begin() async throws {
        try await stage.beginAgain()
        isRunning = true
        note("begin")
    }

    private func stepOnDisk() async throws {
        let name = music.files.keys.filter { $0 != "always.marks.json" && !$0.hasSuffix("~") }.sorted().randomElement(using: &random)
        switch (Int.random(in: 0..<6, using: &random), name) {
        case (0, let name?): try delete(name)
        case (1, let name?): try rename(name, to: newName())
        case (2, let name?): try cutOff(name)
        case (3, _): try moveFolder()
        case (4, let name?): try await write(name)
        default: try await write(newName())
        }
    }

    private func changeRemotely() async {
        note("remote change")
        stage.stage.service.layers["1"] = (0..<Int.random(in: 0...2, using: &random)).map { number in
            SmallService.layer(
                "l\(number)", on: Bool.random(using: &random) ? "a" : "b", pages: [Int.random(in: 0...1, using: &random)],
                x: Double(Int.random(in: 1...4, using: &random)) / 8)
        }
        if stage.stage.service.plans[0].charts.count < 3, Int.random(in: 0..<3, using: &random) == 0 {
            note("with a chart more")
            stage.stage.service.plans[0].charts.append(Season.chart("c"))
        }
        await stage.sync()
    }

    private func hide(_ names: [String]) async throws {
        guard let name = names.randomElement(using: &random) else { return }
        let isHidden = Bool.random(using: &random)
        note("\(isHidden ? "hide" : "show") \(name)")
        for attachment in ["a", "b", "c"] {
            try stage.stage.library.drawings.setHidden(isHidden, layer: LayerID("file:" + music.path(name)), of: AttachmentID(attachment))
        }
        stage.stage.agent.reconcile()
    }

    private func wait() async {
        guard isRunning else { return }
        await stage.stage.wait(for: .milliseconds([0, 10, 149, 150, 200, 3000].randomElement(using: &random) ?? 0))
    }

    /// Takes note that the agent may have read what `name` holds now.
    private func mayRemember(_ name: String) {
        let said = try? MarkFileReader.read(path: music.path(name)).0
        if let said { mayBeRemembered[name, default: [nil]].insert(said) }
    }
}
