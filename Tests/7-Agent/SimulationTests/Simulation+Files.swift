import Glibc
import Model
import PageCache
import Platform
import TestSupport

/// The musician's changes to files of marks, and other people's changes to the cache.
extension Simulation {
    /// The text of a new file. No two texts have the same length, so the files' stamps differ as after saves a second apart.
    private func marksText() -> String {
        count += 1
        return MarkText.native(
            charts.randomElement(using: &random)?.id ?? "none", someDots(bad: oneIn(15)),
            // Layers are drawn in order of age. A fresh agent cannot know when a file was first seen, so the file itself states the
            // time.
            createdAt: "\(clock.timestamp)", tail: String(repeating: "\n", count: count))
    }

    var ownFiles: [String] { music.files.keys.filter { $0 != "always.marks.json" }.sorted() }

    func changeFiles() throws {
        let files = ownFiles
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where !files.isEmpty:
            guard let name = files.randomElement(using: &random) else { return }
            trace.note("delete \(name)")
            try music.delete(name)
        case 1 where !files.isEmpty:
            guard let name = files.randomElement(using: &random) else { return }
            count += 1
            trace.note("rename \(name) to \(count)")
            try music.rename(name, to: "\(count).marks.json")
        case 2 where !files.isEmpty:
            guard let name = files.randomElement(using: &random), let bytes = music.files[name] else { return }
            trace.note("cut off \(name)")
            try music.overwrite(Array(bytes[..<Int.random(in: 0...bytes.count, using: &random)]), as: name)
        case 3:
            // Act as the kernel does when it drops events.
            let events = music.events
            music.events = nil
            try writeFile(files)
            music.events = events
            music.rescan()
        case 4: for _ in 0..<Int.random(in: 3...12, using: &random) { try writeFile(ownFiles) }
        case 5:
            guard
                let (name, bytes) = formerText.filter({ music.files[$0.key] != nil }).sorted(by: { $0.key < $1.key }).randomElement(
                    using: &random)
            else { return }
            trace.note("save \(name) from an older base")
            try music.save(bytes, as: name)
        case 6: try writeConflictCopy()
        default: try writeFile(files)
        }
    }

    private func writeFile(_ files: [String]) throws {
        count += 1
        let name = oneIn(2) ? files.randomElement(using: &random) ?? "\(count).marks.json" : "\(count).marks.json"
        let text = marksText()
        trace.note("write \(name): \(text.split(separator: "\n").first ?? "")")
        formerText[name] = music.files[name]
        if oneIn(2) { try music.save(text, as: name) } else { try music.overwrite(Array(text.utf8), as: name) }
    }

    /// The musician saves every unreadable file again, because only this agent has the file's last content.
    func mendFiles() throws {
        for name in ownFiles where music.files[name].map({ String(decoding: $0, as: UTF8.self).contains("]}") }) != true {
            trace.note("mend \(name)")
            try music.save(marksText(), as: name)
        }
    }

    // MARK: The cache

    /// Somebody removes or damages images; the agent may get an event, or none.
    func trim() throws {
        let pages = folder.path("cache/pages")
        let charts = ((try? Folder.names(in: pages)) ?? []).sorted()
        guard let chart = charts.randomElement(using: &random) else { return }
        let files = ((try? Folder.names(in: pages + "/" + chart)) ?? []).filter { $0.hasSuffix(".png") }.sorted()
        let isTold = !oneIn(3)
        func tell(_ event: FileEvent) { if isTold { life?.tell(event) } }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            trace.note("the cache is emptied\(isTold ? "" : ", unheard")")
            TemporaryFolder.empty(folder.path("cache"))
            for chart in charts { tell(.folderRemoved(pages + "/" + chart)) }
            tell(.folderRemoved(pages))
        case 1:
            trace.note("folder \(chart) is removed\(isTold ? "" : ", unheard")")
            TemporaryFolder.empty(pages + "/" + chart)
            rmdir(pages + "/" + chart)
            tell(.folderRemoved(pages + "/" + chart))
        case 2:
            guard let file = files.randomElement(using: &random) else { return }
            trace.note("\(chart)/\(file) is cut off")
            truncate(pages + "/" + chart + "/" + file, Int.random(in: 0...200, using: &random))
        case 3:
            trace.note("names were missed in the cache")
            if let file = files.first { unlink(pages + "/" + chart + "/" + file) }
            life?.tell(.rescan(folder.path("cache")))
        default:
            for file in files where oneIn(2) {
                trace.note("\(chart)/\(file) is removed\(isTold ? "" : ", unheard")")
                unlink(pages + "/" + chart + "/" + file)
                tell(.removed(pages + "/" + chart + "/" + file))
            }
        }
    }
}
