public import Model
import PagePNG
import Platform

extension PageCache {
    /// Checks every byte of all images that are there, beside the loop, removes what is bad, and finds what is none of ours.
    public func verify() async throws(PageCacheError) -> VerifyReport {
        try rescan()
        let pages = pages
        var report = await verify(ledger.names.sorted())
        report.strangers = await side.run { pages.strangers() }
        return report
    }

    /// Checks every byte of some images, beside the loop, and removes what is bad.
    public func verify(_ names: [ImageName]) async -> VerifyReport {
        let pages = pages
        var report = VerifyReport()
        for start in stride(from: 0, to: names.count, by: Self.verifiedAtATime) {
            let some = Array(names[start..<min(start + Self.verifiedAtATime, names.count)])
            let conditions = await side.run {
                let rows = PackedRows()
                return some.map { pages.verify($0, by: rows) }
            }
            for (name, condition) in zip(some, conditions) { take(condition, of: name, into: &report) }
        }
        return report
    }

    /// A few milliseconds each; a trim does not wait long for its turn.
    private static let verifiedAtATime = 16

    private func take(_ condition: PagesFolder.Condition, of name: ImageName, into report: inout VerifyReport) {
        switch condition {
        case .whole:
            report.whole += 1
            if ledger.contains(name) { ledger.note(name, isWhole: true) }
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
            // We may have removed it or made it since.
            guard !leaving.contains(name), pages.identity(of: name) == nil else { return }
            if forget(name, as: .vanished) { report.vanished.append(name) }
        case .unreadable(let error):
            report.unreadable.append(VerifyReport.Unreadable(name: name, error: error))
        }
    }
}
