import Glibc
public import Model
import Platform

extension PageCache {
    /// Removes images, in the order given, beside the loop, so that nobody who wants one waits; their charts' folders go with
    /// the last one.
    ///
    /// One trim at a time. An image that is made again meanwhile may stay or go, and is known as what it is in the end.
    public func trim(_ names: [ImageName]) async -> TrimReport {
        await remove(names, as: .trimmed)
    }

    /// Removes all images of some charts, as the user asked.
    public func clear(charts: some Sequence<ChartHash>) async -> TrimReport {
        await remove(charts.flatMap { pages.images(of: ImageName.folder(of: $0)) }, as: .cleared)
    }

    /// Removes all images, as the user asked.
    public func clear() async throws(PageCacheError) -> TrimReport {
        try rescan()
        return await remove(ledger.names.sorted(), as: .cleared)
    }

    private func remove(_ names: [ImageName], as fate: ImageFate) async -> TrimReport {
        guard mayWrite else {
            let error = SystemError("remove", path: folder, code: EROFS)
            var report = TrimReport()
            report.failed = names.map { TrimReport.Failure(name: $0, error: error) }
            return report
        }
        return await removers.take {
            var report = TrimReport()
            for start in stride(from: 0, to: names.count, by: Self.slice) {
                await self.remove(names[start..<min(start + Self.slice, names.count)], as: fate, into: &report)
            }
            return report
        }
    }

    private func remove(_ names: ArraySlice<ImageName>, as fate: ImageFate, into report: inout TrimReport) async {
        let pages = pages
        let names = Array(names)
        // From here on they are misses; what a watcher says of them is no news.
        leaving = Set(names)
        var known: [ImageName: ByteCount] = [:]
        for name in names {
            known[name] = ledger.remove(name)
            changes?.insert(name)
        }
        let charts = Set(names.map(\.chart))
        let removals = await side.run {
            let removals = pages.remove(names)
            // Beside the loop, too: the disk may take its time over a folder. Whoever begins an image makes it again.
            for chart in charts { pages.removeIfEmpty(chart: chart) }
            return removals
        }
        let madeAgain = names.filter { !leaving.contains($0) }
        leaving = []
        for (name, removal) in zip(names, removals) {
            switch removal {
            case .removed(let size):
                report.removed.append(name)
                report.freed = report.freed + size
                onFate?(name, fate, size)
            case .gone: if let size = known[name] { onFate?(name, .vanished, size) }
            case .failed(let error):
                report.failed.append(TrimReport.Failure(name: name, error: error))
                if let entry = pages.entry(of: name) { note(name, size: entry.size) }
            }
        }
        for name in madeAgain {
            // Either the old file was removed and the new one stands, or the new one went as the old one.
            if let entry = pages.entry(of: name) {
                note(name, size: entry.size, isWhole: true)
                onFate?(name, .made, entry.size)
            } else {
                ledger.remove(name)
                changes?.insert(name)
            }
        }
    }
}
