import Glibc
public import Model
public import Platform

extension PageCache {
    /// Removes images, in the order given, beside the loop, so that no request for an image has to wait; their charts' folders go along
    /// with the last one.
    ///
    /// One trim at a time. An image that is made again meanwhile may stay or go; in the end, the records about it are right.
    public func trim(_ names: [ImageName]) async -> TrimReport { await remove(names, as: .trimmed) }

    /// Removes all images of some charts, as the user asked.
    public func clear(charts: some Sequence<ChartHash>) async -> TrimReport {
        var (names, unlisted): ([ImageName], [SystemError]) = ([], [])
        for chart in charts {
            do throws(SystemError) {
                names += try pages.images(of: ImageName.folder(of: chart))
            } catch {
                unlisted.append(error)
            }
        }
        var report = await remove(names, as: .cleared)
        report.unlisted = unlisted
        return report
    }

    /// Removes all images, as the user asked, but for those in some folders.
    public func clear(besides kept: Set<ImageFolder> = []) async throws(PageCacheError) -> TrimReport {
        try rescan()
        let unlisted = closed
        var report = await remove(ledger.names.filter { !kept.contains($0.folder) }.sorted(), as: .cleared)
        report.unlisted = unlisted
        return report
    }

    private func remove(_ names: [ImageName], as event: ImageEvent) async -> TrimReport {
        guard mayWrite else {
            let error = SystemError("remove", path: folder, code: EROFS)
            var report = TrimReport()
            report.failed = names.map { TrimReport.Failure(name: $0, error: error) }
            return report
        }
        return await removers.run {
            var report = TrimReport()
            var running: Batch?
            for start in stride(from: 0, to: names.count, by: Self.slice) {
                // The side thread goes on while the loop notes what it has done.
                let next = self.send(Array(names[start..<min(start + Self.slice, names.count)]))
                if let running { await self.finish(running, as: event, into: &report) }
                running = next
            }
            if let running { await self.finish(running, as: event, into: &report) }
            return report
        }
    }

    /// Images that are being removed.
    private struct Batch {
        let names: [ImageName]
        /// The size of each image that was known to be there.
        let known: [ByteCount?]
        let work: Task<[PagesFolder.Removal], Never>
    }

    private func send(_ names: [ImageName]) -> Batch {
        let (pages, side) = (pages, side)
        // An image named twice is removed once. Checked here, since checking all names at once would hold up the loop.
        var seen = leaving
        let names = names.filter { seen.insert($0).inserted }
        // From here on they are misses, and a watcher's reports about them are no news.
        leaving.formUnion(names)
        let known = names.map { ledger.remove($0) }
        changes?.formUnion(names)
        let work = spawn {
            await side.run {
                let removals = pages.remove(names)
                // Also beside the loop: the disk may be slow to remove a folder. Making an image there makes the folder again.
                for chart in Self.charts(of: names) { pages.removeIfEmpty(chart: chart) }
                return removals
            }
        }
        return Batch(names: names, known: known, work: work)
    }

    private nonisolated static func charts(of names: [ImageName]) -> Set<String> {
        // Images of one chart are often next to each other.
        Set(names.indices.lazy.filter { $0 == 0 || !names[$0].sharesChart(with: names[$0 - 1]) }.map { names[$0].chart })
    }

    private func finish(_ batch: Batch, as event: ImageEvent, into report: inout TrimReport) async {
        let names = batch.names
        let removals = await batch.work.value
        leaving.subtract(names)
        for ((name, known), removal) in zip(zip(names, batch.known), removals) {
            switch removal {
            case .removed(let size):
                report.removed.append(name)
                report.freed = report.freed + size
                onImageEvent?(name, event, size)
            case .gone: if let known { onImageEvent?(name, .vanished, known) }
            case .failed(let error):
                report.failed.append(TrimReport.Failure(name: name, error: error))
                if let entry = pages.entry(of: name) { note(name, size: entry.size) }
            }
        }
        for name in names where madeAgain.remove(name) != nil {
            // Either the old file was removed and the new one is there, or the new one was removed instead of the old one.
            if let entry = pages.entry(of: name) {
                note(name, size: entry.size, isIntact: true)
                onImageEvent?(name, .made, entry.size)
            } else {
                ledger.remove(name)
                changes?.insert(name)
            }
        }
    }
}

/// The outcome of a trim.
public struct TrimReport: Hashable, Sendable {
    /// An image that could not be removed.
    public struct Failure: Hashable, Sendable {
        public let name: ImageName
        public let error: SystemError
    }

    /// The images that were removed, in that order. Those that another program removed first are not among them.
    public internal(set) var removed: [ImageName] = []
    /// The disk space that this freed.
    public internal(set) var freed = ByteCount(0)
    public internal(set) var failed: [Failure] = []
    /// Folders of images that could not be listed, so that nothing in them was removed.
    public internal(set) var unlisted: [SystemError] = []

    /// Makes a report of nothing removed.
    public init() {}
}
