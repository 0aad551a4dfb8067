import Glibc
public import Model
public import Platform

extension PageCache {
    /// Removes images in the given order, on the side thread, so that no request for an image has to wait. A chart's folder is
    /// removed with its last image.
    ///
    /// Only one trim runs at a time. An image that is made again meanwhile may stay or go, and its records are right in the end.
    public func trim(_ names: [ImageName]) async -> TrimReport { await remove(names, as: .trimmed) }

    /// Removes all images of some charts, at the user's request.
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

    /// Removes all images, except those in some folders, at the user's request.
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
                // While the loop records one batch, the side thread removes the next.
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
        /// The sizes of the images; `nil` for an image that was not known to exist.
        let known: [ByteCount?]
        let work: Task<[PagesFolder.Removal], Never>
    }

    private func send(_ names: [ImageName]) -> Batch {
        let (pages, side) = (pages, side)
        // Remove an image that is named twice only once. This is checked for each batch, since checking all names together would
        // hold up the loop.
        var seen = leaving
        let names = names.filter { seen.insert($0).inserted }
        // From now on these images are misses, and a watcher's reports about them are ignored.
        leaving.formUnion(names)
        let known = names.map { ledger.remove($0) }
        changes?.formUnion(names)
        let work = spawn {
            await side.run {
                let removals = pages.remove(names)
                // Remove folders on the side thread, too, since removing them is slow on some disks. Making an image makes its
                // folder again.
                for chart in Self.charts(of: names) { pages.removeIfEmpty(chart: chart) }
                return removals
            }
        }
        return Batch(names: names, known: known, work: work)
    }

    private nonisolated static func charts(of names: [ImageName]) -> Set<String> {
        // Images of one chart are often next to each other, so take the chart's name only from the first of them.
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
            // Either the old file was removed and the new one exists, or the new file was removed instead of the old one.
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

    /// The images that were removed, in the order of removal, without those that another program removed first.
    public internal(set) var removed: [ImageName] = []
    /// The disk space that was freed.
    public internal(set) var freed = ByteCount(0)
    public internal(set) var failed: [Failure] = []
    /// Why folders could not be listed. Images may remain in these folders.
    public internal(set) var unlisted: [SystemError] = []

    /// Makes an empty report.
    public init() {}
}
