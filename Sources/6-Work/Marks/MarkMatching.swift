import Catalogue
import ChartFiles
import Library
import Model
import Platform

/// Finds charts for mark files that have none or whose charts were replaced, and reports files that do not fit.
@LoopActor
final class MarkMatching {
    private let parts: MarkParts
    private let finder: MarkedChartFinder
    private let changed: @LoopActor () -> Void
    private let work = Hints()
    /// Files with marks on pages that their charts may lack: the pages of those charts have not been counted yet.
    private var uncounted: [String: (pages: Set<PageIndex>, attachment: AttachmentID)] = [:]
    /// Charts that gained or lost files.
    private var moved: Set<AttachmentID> = []
    /// Files without a chart that have been reported; `nil` once the files known from earlier runs have been reported, too.
    private var reported: Set<String>? = []

    init(_ parts: MarkParts, _ finder: MarkedChartFinder, changed: @escaping @LoopActor () -> Void) {
        (self.parts, self.finder, self.changed) = (parts, finder, changed)
    }

    var isQuiet: Bool { work.isQuiet }
    func quiet() async { await work.quiet() }

    /// Looks for charts for the mark files without one: their charts may have arrived meanwhile. The files themselves are not read
    /// again. Calls `moved` with the charts that gained or lost files, and `tryAgain` if the library failed.
    func matchAgain(
        moved: @escaping @Sendable @LoopActor (Set<AttachmentID>) -> Void, tryAgain: @escaping @Sendable @LoopActor () -> Void
    ) {
        work.hint { [weak self] in
            guard let self else { return }
            defer {
                if !self.moved.isEmpty { moved(self.moved) }
                self.moved = []
            }
            do {
                try await matchUnmatched()
            } catch {
                parts.log.error("\(error)")
                tryAgain()
            }
        }
    }

    private func matchUnmatched() async throws {
        var isNews = false
        // Even if a later step fails, announce the matches that are stored by then: the next run skips those files.
        defer { if isNews { changed() } }
        // Building the index means going through all charts, and this function runs for each arriving chart, so build it only when needed.
        lazy var index = Result { [parts] () throws(LibraryError) in try parts.library.matches.index() }
        if try await passToPresentCharts({ try index.get() }) { isNews = true }
        var (rest, last): ([String], String?) = ([], nil)
        while true {
            let unmatched = try parts.library.markFiles.unmatchedReferences(after: last ?? "", atMost: Self.askedAtATime)
            for (path, reference) in unmatched {
                if try await match(path, reference, { try index.get() }) { isNews = true } else if reported != nil { rest.append(path) }
            }
            guard let next = unmatched.last?.path else { break }
            last = next
            // Let all other waiting tasks run first.
            await spawn {}.value
        }
        if last == nil { finder.forget() }
        reportRest(rest)
    }

    /// Small, because there may be tens of thousands of files, and a file saved meanwhile waits for one such batch.
    private static let askedAtATime = 4

    /// Looks for the chart of a file without one. Returns whether a chart was found.
    private func match(_ path: String, _ reference: MarkFile.Reference, _ index: () throws -> MarkFileIndex) async throws -> Bool {
        let named = try await finder.chart(path, reference, index())
        // Only a file that names a PDF can be matched through its former chart. The file may have been read again meanwhile.
        guard named != nil || reference.pdf != nil,
            var file = try parts.library.markFiles.writtenFile(at: path), file.file.attachment == nil,
            file.file.content?.reference == reference,
            let match = try named ?? finder.formerChart(of: file, knownAs: nil, index())
        else { return false }
        (file.file.attachment, file.file.markedOn) = (match.attachment, match.markedOn)
        guard try parts.library.markFiles.store(written: [file]) else { return false }
        moved.insert(match.attachment)
        let pages = Set(try parts.library.markFiles.file(at: path)?.content?.marks.map(\.page) ?? [])
        try reportMissingPages(path, pages, match.attachment)
        return true
    }

    /// Moves files from charts that plans no longer show to the charts that plans show instead. Returns whether any file was moved.
    private func passToPresentCharts(_ index: () throws -> MarkFileIndex) async throws -> Bool {
        var isNews = false
        for (path, former) in try parts.library.matches.filesOfFormerCharts(at: parts.time.timestamp) {
            var match = try finder.present(MarkFileMatch(former))
            if match?.attachment == former, let reference = try parts.library.markFiles.writtenFile(at: path)?.file.content?.reference {
                // A file that was moved before may belong to its original chart again, which the file itself names.
                match = try await finder.chart(path, reference, index())
            }
            guard let match, match.attachment != former, try parts.library.matches.pass(path, from: former, to: match) else { continue }
            isNews = true
            moved.formUnion([former, match.attachment])
            parts.log.info("\(path) is for \(match.attachment) now, which plans show instead of \(former)")
        }
        for (path, other, named) in try parts.library.matches.filesToPassBack(at: parts.time.timestamp)
        where try parts.library.matches.pass(path, from: other, to: MarkFileMatch(named)) {
            isNews = true
            moved.formUnion([other, named])
            parts.log.info("\(path) is for \(named) again, which it names and plans show")
        }
        return isNews
    }

    // MARK: - Reporting

    func reportUnmatched(_ path: String) {
        guard !parts.roots.isBesideCharts(path) else { return }
        parts.log.warning("\(path) belongs to no chart here; its marks are shown as soon as one matches")
        reported?.insert(path)
    }

    /// Reports, only once, the files from earlier runs that have no chart.
    private func reportRest(_ paths: [String]) {
        guard let known = reported else { return }
        reported = nil
        let rest = paths.filter { !known.contains($0) && !parts.roots.isBesideCharts($0) }
        guard let first = rest.first else { return }
        parts.log.warning(
            rest.count == 1
                ? "\(first) still belongs to no chart here; its marks are shown as soon as one matches"
                : "\(first) and \(rest.count - 1) more still belong to no chart here; '\(woodshed("status"))' lists them")
    }

    /// Reports marks on pages that the file's chart lacks: now, or once the chart's pages have been counted.
    func reportMissingPages(_ path: String, _ marked: Set<PageIndex>, _ attachment: AttachmentID) throws(LibraryError) {
        uncounted[path] = nil
        guard !marked.isEmpty else { return }
        guard let chart = try parts.library.charts.chart(of: attachment),
            let pages = try parts.library.charts.description(of: chart.hash)?.pages.count
        else {
            uncounted[path] = (marked, attachment)
            return
        }
        let beyond = marked.filter { $0.value >= pages }.sorted()
        guard let first = beyond.first else { return }
        let all = pages == 1 ? "1 page" : "\(pages) pages"
        parts.log.warning("\(path) has marks on \(first)\(beyond.count > 1 ? " and others" : ""), which its chart of \(all) does not have")
    }

    /// Reports marks on missing pages in the files whose charts' pages had not been counted before.
    func reportUncounted() {
        do {
            for (path, (marked, attachment)) in uncounted.sorted(by: { $0.key < $1.key }) {
                try reportMissingPages(path, marked, attachment)
            }
        } catch {
            parts.log.error("\(error)")
        }
    }

    func forget(_ gone: [String]) { for path in gone { uncounted[path] = nil } }
}
