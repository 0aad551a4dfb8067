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
            let slices = stride(from: 0, to: names.count, by: Self.slice).map { names[$0..<min($0 + Self.slice, names.count)] }
            // Two at a time: the next is removed while one is noted here.
            var departures = slices.prefix(2).map(self.begin)
            for index in slices.indices {
                await self.end(departures.removeFirst(), as: fate, into: &report)
                if index + 2 < slices.count { departures.append(self.begin(slices[index + 2])) }
            }
            return report
        }
    }

    /// Images that are being removed on the side thread.
    private struct Departure {
        let names: [ImageName]
        /// The size of each that was known.
        let known: [ByteCount?]
        let removals: Task<[PagesFolder.Removal], Never>
    }

    private func begin(_ names: ArraySlice<ImageName>) -> Departure {
        let (pages, side) = (pages, side)
        let names = Array(names)
        // From here on they are misses; what a watcher says of them is no news.
        leaving.formUnion(names)
        let known = names.map { ledger.remove($0) }
        changes?.formUnion(names)
        let removals = spawn {
            await side.run {
                let removals = pages.remove(names)
                // Beside the loop, too: the disk may take its time over a folder. Whoever begins an image makes it again.
                for chart in Self.charts(of: names) { pages.removeIfEmpty(chart: chart) }
                return removals
            }
        }
        return Departure(names: names, known: known, removals: removals)
    }

    private nonisolated static func charts(of names: [ImageName]) -> Set<String> {
        // Images of a chart often stand together.
        Set(names.indices.lazy.filter { $0 == 0 || !names[$0].sharesChart(with: names[$0 - 1]) }.map { names[$0].chart })
    }

    private func end(_ departure: Departure, as fate: ImageFate, into report: inout TrimReport) async {
        let removals = await departure.removals.value
        let madeAgain = departure.names.filter { leaving.remove($0) == nil }
        for ((name, known), removal) in zip(zip(departure.names, departure.known), removals) {
            switch removal {
            case .removed(let size):
                report.removed.append(name)
                report.freed = report.freed + size
                onFate?(name, fate, size)
            case .gone: if let known { onFate?(name, .vanished, known) }
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
