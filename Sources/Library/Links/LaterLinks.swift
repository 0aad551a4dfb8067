import Glibc
import Model
import Platform

/// The folder that people open outlives a catalogue that is put back: its links say what that one does not know.
extension LinkStore {
    /// Notes that links were made just now, by the clock that files bear.
    func noteLinked() throws(LibraryError) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        try database.run(
            "INSERT OR REPLACE INTO stamps (name, at) VALUES ('linked', ?)",
            [.time(Timestamp(nanoseconds: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)))])
    }

    /// Whether a link of ours was made after this catalogue made its last one, and leads to a chart that it does not know, or elsewhere
    /// than it has it: then it is an older one that somebody put back. What people move about is as old as it was.
    func hasLinksOfLaterTimes(than lastPoll: Timestamp) throws(LibraryError) -> Bool {
        let linked = try database.row("SELECT at FROM stamps WHERE name = 'linked'") { $0.time(0) } ?? nil
        let last = max(linked ?? lastPoll, lastPoll)
        let known = Set(try database.rows("SELECT hash FROM charts UNION SELECT hash FROM let_go_charts") { $0.text(0) })
        let recorded = try recordedLinks().filter(\.stands)
        let targets = Dictionary(recorded.map { ($0.path, $0.target) }) { first, _ in first }
        // Those that should be there and are not may be what was made anew elsewhere.
        let missing = Set(recorded.filter { FolderListing.target(of: $0.path) == nil }.map(\.target))
        let charts = linkedChartsFolder
        for folder in try foldersOfLinks(recorded) {
            for name in (try? Folder.names(in: folder)) ?? [] {
                let path = folder + "/" + name
                // One that is as it was left says nothing, also of a chart that was let go of.
                guard let target = FolderListing.target(of: path), target != targets[path], ChartFileName.isChartPath(target, in: charts)
                else { continue }
                let isUnknown = !known.contains(String(target.dropFirst(charts.count + 1).dropLast(4)))
                guard isUnknown || targets[path] != nil || missing.contains(target) else { continue }
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                if Timestamp(nanoseconds: FileStamp(status).modified) > last { return true }
            }
        }
        return false
    }

    /// The folders of links and their neighbours: a plan that this catalogue does not know has one of its own.
    private func foldersOfLinks(_ links: [ChartLink]) throws(LibraryError) -> [String] {
        var folders = Set(links.map(\.folder))
        for root in Set(folders.map(Folder.parent(of:))) {
            for name in (try? Folder.names(in: root)) ?? [] where !name.hasPrefix(".") { folders.insert(root + "/" + name) }
        }
        return folders.sorted()
    }
}
