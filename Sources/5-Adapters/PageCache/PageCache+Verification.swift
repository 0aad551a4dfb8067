import Glibc
public import Model
import PagePNG
import Platform

extension PageCache {
    /// Checks every byte of all images that are there, beside the loop, removes bad ones, and finds files that are not ours.
    public func verify() async throws(PageCacheError) -> VerifyReport {
        try rescan()
        let pages = pages
        var report = await verify(ledger.names.sorted())
        report.strangers = await side.run { pages.strangers() }
        return report
    }

    /// Checks every byte of some images, beside the loop, and removes bad ones.
    public func verify(_ names: [ImageName]) async -> VerifyReport {
        var report = VerifyReport()
        // Not on the cache's side thread, so that nothing else has to wait.
        let threads = side.isInline ? [side] : (0..<Self.processors).map { _ in SideThread() }
        let slices = stride(from: 0, to: names.count, by: Self.verifiedAtATime).map {
            names[$0..<min($0 + Self.verifiedAtATime, names.count)]
        }
        // Two slices for each thread: it has the next one at hand while its results are noted here.
        let most = 2 * threads.count
        var begun = slices.indices.prefix(most).map { verification(of: slices[$0], on: threads[$0 % threads.count]) }
        for index in slices.indices {
            let conditions = await begun.removeFirst().value
            let next = index + most
            if next < slices.count { begun.append(verification(of: slices[next], on: threads[next % threads.count])) }
            for (name, condition) in zip(slices[index], conditions) { take(condition, of: name, into: &report) }
        }
        return report
    }

    private typealias Verification = Task<[PagesFolder.Condition], Never>

    private func verification(of names: ArraySlice<ImageName>, on thread: SideThread) -> Verification {
        let pages = pages
        return spawn {
            await thread.run {
                let rows = PackedRows()
                return names.map { pages.verify($0, by: rows) }
            }
        }
    }

    /// A few milliseconds' worth of images.
    private static let verifiedAtATime = 16

    /// More threads would each need memory of their own, and the disk would not be faster for them.
    private static var processors: Int { min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 8) }

    private func take(_ condition: PagesFolder.Condition, of name: ImageName, into report: inout VerifyReport) {
        switch condition {
        case .intact:
            report.intact += 1
            if ledger.contains(name) { ledger.note(name, isIntact: true) }
        case .bad(let identity):
            guard !leaving.contains(name) else {
                report.missing.insert(name)
                return
            }
            report.bad.append(name)
            // It may have been made again since it was read.
            guard pages.identity(of: name) == identity else { return }
            if !discard(name) { report.left.append(name) }
        case .gone:
            report.missing.insert(name)
            // We may have removed or made it since.
            guard !leaving.contains(name), pages.identity(of: name) == nil else { return }
            if forget(name, as: .vanished) { report.vanished.append(name) }
        case .unreadable(let error):
            report.unreadable.append(VerifyReport.Unreadable(name: name, error: error))
        }
    }
}
