public import Model
import Platform

extension PageCache {
    /// How many files the side thread removes before it reports back to the loop.
    static let slice = 128

    /// Lists the folders again, to find images that other programs made or removed; returns the vanished ones.
    @discardableResult
    public func rescan() throws(PageCacheError) -> [ImageName] {
        let charts = try system { () throws(SystemError) in try pages.charts() }
        let round = ledger.beginRound()
        unlisted = [:]
        for chart in charts {
            guard let error = list(chart) else { continue }
            unlisted[chart] = error
            keep(chart)
        }
        return forgetUnseen(since: round)
    }

    /// Returns all images, with their disk space and their last use. Reads every file's status, on the side thread.
    ///
    /// Afterwards, `bytes` is not `nil`. But if the cache cannot be listed for now, there are no entries, and earlier measurements stay.
    public func survey() async -> [CacheEntry] { await surveyors.run { await self.surveyAll() } }

    private func surveyAll() async -> [CacheEntry] {
        let pages = pages
        let round = ledger.beginRound()
        changes = []
        var entries: [CacheEntry] = []
        let charts: [String]
        switch await side.run({ Result { () throws(SystemError) in try pages.charts() } }) {
        case .success(let listed): charts = listed
        case .failure(let error):
            (changes, unlisted) = (nil, [pages.path: error])
            return []
        }
        var unlisted: [String: SystemError] = [:]
        let slices = stride(from: 0, to: charts.count, by: Self.chartsAtATime).map {
            charts[$0..<min($0 + Self.chartsAtATime, charts.count)]
        }
        // Measure two slices at a time: while one slice is recorded here, the next is measured.
        var measured = slices.prefix(2).map(measure)
        for index in slices.indices {
            let (found, closed) = await measured.removeFirst().value
            if index + 2 < slices.count { measured.append(measure(slices[index + 2])) }
            // Skip images that changed meanwhile, since the ledger is newer than the measurement.
            for entry in found where changes?.contains(entry.name) != true && !leaving.contains(entry.name) {
                ledger.note(entry.name, size: entry.size)
            }
            entries += found
            for chart in closed.keys { keep(chart) }
            unlisted.merge(closed) { first, _ in first }
        }
        let changed = changes ?? []
        changes = nil
        self.unlisted = unlisted
        forgetUnseen(since: round)
        isSurveyed = true
        guard !changed.isEmpty || !leaving.isEmpty else { return entries }
        entries.removeAll { changed.contains($0.name) || leaving.contains($0.name) }
        for name in changed where ledger.contains(name) {
            if let entry = pages.entry(of: name) { entries.append(entry) }
        }
        return entries
    }

    private static let chartsAtATime = 32

    private typealias Measurement = Task<(entries: [CacheEntry], unlisted: [String: SystemError]), Never>

    private func measure(_ charts: ArraySlice<String>) -> Measurement {
        let (pages, side) = (pages, side)
        return spawn { await side.run { pages.entries(of: charts) } }
    }

    /// Handles a watcher's report that the file or folder at `path` was removed or moved away. Returns whether an image of ours is
    /// gone that this program did not remove itself.
    @discardableResult
    public func noteRemoved(path: String) -> Bool {
        guard path.hasPrefix(pages.path + "/") else {
            // The path is that of the cache itself, or of a folder around it.
            return (pages.path + "/").hasPrefix(path + "/") && noteMissing()
        }
        let parts = Substring(path.utf8.dropFirst(pages.path.utf8.count + 1)).split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 1 { return noteMissing(chart: String(parts[0])) }
        guard parts.count == 2, let name = ImageName(folder: String(parts[0]), file: String(parts[1])), ledger.contains(name),
            pages.entry(of: name) == nil
        else { return false }
        return forget(name, as: .vanished)
    }

    private func noteMissing() -> Bool { (try? !rescan().isEmpty) ?? false }

    private func noteMissing(chart: String) -> Bool {
        // Images that we removed ourselves are no longer in the ledger.
        let known = names(of: chart)
        guard !known.isEmpty else { return false }
        // Images may have been made again since the report. If the folder cannot be listed, assume that the images exist.
        guard let images = try? pages.images(of: chart) else { return false }
        let there = Set(images)
        let missing = known.filter { !there.contains($0) }
        for name in missing { forget(name, as: .vanished) }
        return !missing.isEmpty
    }

    private func names(of chart: String) -> [ImageName] { ImageFolder(chart).map(ledger.names(in:)) ?? [] }

    /// Records a chart's images, and measures new ones if all others are measured. Returns the error if they cannot be listed.
    private func list(_ chart: String) -> SystemError? {
        pages.visit(chart) { name, entry in
            guard !leaving.contains(name) else { return }
            ledger.note(name, size: isSurveyed && !ledger.isMeasured(name) ? entry.status()?.space : nil)
        }
    }

    /// Counts a chart's images as present although they cannot be listed for now.
    private func keep(_ chart: String) {
        for name in names(of: chart) { ledger.note(name) }
    }

    @discardableResult
    private func forgetUnseen(since round: UInt32) -> [ImageName] {
        ledger.unseen(since: round).sorted().filter { forget($0, as: .vanished) }
    }
}
