import Agent
import Annotations
import Glibc
import Library
import Model
import PageCache
import Platform
import TestSupport

/// What must hold after all that.
extension MarkStorm {
    /// Compares what the library says with what the files say.
    func checkFiles() async throws {
        complaints += try music.differences().map { "\($0) is not as it was put there" }
        let library = stage.stage.library
        let known = Dictionary(try library.markFiles.all().map { (Array($0.path.utf8), $0) }) { first, _ in first }
        let names = music.files.keys.filter { !$0.hasSuffix("~") }.sorted()
        for name in names {
            guard let file = known[Array(music.path(name).utf8)] else {
                complaints.append("\(name) is not known")
                continue
            }
            do throws(MarkFileFault) {
                let said = try MarkFileReader.read(path: file.path).0
                if file.content != said || file.fault != nil { complaints.append("\(name) says something else than is known of it") }
                mayBeRemembered[name] = [said]
            } catch {
                if file.fault != error.description { complaints.append("\(name): \(error), but known is \(file.fault ?? "no fault")") }
                // Where nothing was ever understood there is nothing to remember.
                if !(mayBeRemembered[name] ?? [nil]).contains(file.content) {
                    complaints.append("\(name) cannot be read, and what is remembered of it is not what it last said")
                }
                mayBeRemembered[name] = [file.content]
            }
        }
        for file in known.values {
            let name = String(file.path.dropFirst(music.path.count + 1))
            if music.files[name] == nil, music.files[name + "~"] == nil { complaints.append("\(name) is gone and still known") }
        }
        if try await !stage.stage.agent.planTable().isComplete { complaints.append("something is still to be made") }
        // Of what is gone nothing is remembered.
        for name in mayBeRemembered.keys where known[Array(music.path(name).utf8)] == nil { mayBeRemembered[name] = nil }
    }

    /// Compares the images that the agent has made with those that the same catalogue puts into an empty cache.
    func checkAgainstEmptyCache() async throws {
        // Those that are there while it sleeps: nobody looks after them once more.
        let before = try await wantedBytes()
        if before.values.contains(nil) { complaints.append("an image that is wanted was not made") }
        await stage.end()
        TemporaryFolder.empty(stage.folder.path("cache"))
        try await stage.beginAgain()
        let after = try await wantedBytes()
        if before != after { complaints.append("an empty cache is filled with other images") }
        if before.values.contains(nil) { complaints.append("a wanted image is not there") }
    }

    /// Compares the catalogue with one that reads everything for the first time.
    func checkAgainstFreshCatalogue() async throws {
        let before = try stage.stage.library.markFiles.all()
        await stage.end()
        let library = try Library(folder: stage.folder.path("data"))
        try library.markFiles.store([], forgetting: before.map(\.path))
        library.close()
        try await stage.beginAgain()
        let after = try stage.stage.library.markFiles.all()
        let fresh = Dictionary(after.map { (Array($0.path.utf8), $0) }) { first, _ in first }
        for file in before where file.fault == nil {
            guard let other = fresh[Array(file.path.utf8)] else {
                let isAside = music.files.keys.contains { music.path($0) == file.path + "~" }
                if !isAside { complaints.append("\(file.path) is unknown to a fresh catalogue") }
                continue
            }
            if file != other { complaints.append("a fresh catalogue has \(other), not \(file)") }
        }
        let paths = Set(before.map { Array($0.path.utf8) })
        complaints += after.filter { !paths.contains(Array($0.path.utf8)) }.map { "only a fresh catalogue knows \($0.path)" }
    }

    private func wantedBytes() async throws -> [ImageName: [UInt8]?] {
        var bytes: [ImageName: [UInt8]?] = [:]
        for name in try await stage.wanted() { bytes[name] = try? AtomicFile.read(stage.stage.cache.path(of: name), limit: 1 << 20) }
        return bytes
    }
}
