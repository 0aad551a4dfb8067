import Annotations
import Catalogue
import ChartLinks
import Library
import Model
import Platform

extension MarkKeeper {
    /// Looks for charts for the mark files that had none: theirs may have arrived meanwhile. What the files say is known already.
    func matchUnmatched() async {
        var isNews = false
        // Even if something goes wrong later: what the library has stored by then is not asked about again.
        defer { if isNews { changed() } }
        do {
            // Made from all charts, and this runs for each chart that arrives; hence made only when needed.
            lazy var index = Result { [library] () throws(LibraryError) in try library.matches.index() }
            if try await passToPresentCharts({ try index.get() }) { isNews = true }
            var matched: Set<String> = []
            let unmatched = try library.markFiles.unmatchedReferences()
            if unmatched.isEmpty { named.forget() }
            for (place, (path, reference)) in unmatched.enumerated() {
                // Everything else that is waiting goes first.
                if place % 64 == 0 { await spawn {}.value }
                let named = try await match(path, reference, index.get())
                // The file may have been read again meanwhile.
                guard var file = try library.markFiles.writtenFile(at: path), file.file.attachment == nil,
                    file.file.content?.reference == reference,
                    let match = try named ?? present(library.matches.formerMatch(of: file, knownAs: nil, index.get()))
                else { continue }
                matched.insert(path)
                (file.file.attachment, file.file.markedOn) = (match.attachment, match.markedOn)
                guard try library.markFiles.store(written: [file]) else { continue }
                isNews = true
                try tellPagesThatAreNotThere(
                    path, Set(library.markFiles.file(at: path)?.content?.marks.map(\.page) ?? []), match.attachment)
            }
            tellUnmatched(unmatched.lazy.map(\.path).filter { !matched.contains($0) })
        } catch {
            log.error("\(error)")
            tryAgain()
        }
    }

    /// Reports, once, the files without a chart that were known from before.
    private func tellUnmatched(_ paths: some Sequence<String>) {
        guard let known = told.unmatched else { return }
        told.unmatched = nil
        let rest = paths.filter { !known.contains($0) }
        guard let first = rest.first else { return }
        log.warning(
            rest.count == 1
                ? "\(first) still belongs to no chart here; its marks are shown as soon as one matches"
                : "\(first) and \(rest.count - 1) more still belong to no chart here; '\(woodshed("status"))' lists them")
    }

    func match(_ path: String, _ reference: MarkFile.Reference, _ index: MarkFileIndex) async throws -> MarkFileMatch? {
        try present(await named.match(path, reference, index))
    }

    /// The chart that plans show now in place of the one that a file refers to.
    func present(_ match: MarkFileMatch?) throws(LibraryError) -> MarkFileMatch? {
        try match.map { match throws(LibraryError) in try library.matches.present(match, at: time.timestamp) }
    }

    /// Moves files from charts that plans no longer show to those that they show instead. Answers whether any was moved.
    private func passToPresentCharts(_ index: () throws -> MarkFileIndex) async throws -> Bool {
        var isNews = false
        for (path, former) in try library.matches.filesOfFormerCharts(at: time.timestamp) {
            var match = try present(MarkFileMatch(former))
            if match?.attachment == former, let reference = try library.markFiles.writtenFile(at: path)?.file.content?.reference {
                // A file that was moved before may belong again to the chart it was made for: the file itself says so.
                match = try await self.match(path, reference, index())
            }
            guard let match, match.attachment != former, try library.matches.pass(path, from: former, to: match) else { continue }
            isNews = true
            log.info("\(path) is for \(match.attachment) now, which plans show instead of \(former)")
        }
        for (path, other, named) in try library.matches.filesToPassBack(at: time.timestamp)
        where try library.matches.pass(path, from: other, to: MarkFileMatch(named)) {
            isNews = true
            log.info("\(path) is for \(named) again, which it names and plans show")
        }
        return isNews
    }

    /// Reports marks on pages that the file's chart does not have, now or as soon as its pages have been counted.
    func tellPagesThatAreNotThere(_ path: String, _ marked: Set<PageIndex>, _ attachment: AttachmentID) throws(LibraryError) {
        uncounted[path] = nil
        guard !marked.isEmpty else { return }
        guard let chart = try library.charts.chart(of: attachment), let pages = try library.charts.description(of: chart.hash)?.pages.count
        else {
            uncounted[path] = (marked, attachment)
            return
        }
        let beyond = marked.filter { $0.value >= pages }.sorted()
        guard let first = beyond.first else { return }
        log.warning(
            "\(path) has marks on \(first)\(beyond.count > 1 ? " and others" : ""), which its chart of \(pages) pages does not have")
    }

    /// Does the same for files whose charts had not been counted.
    func tellUncounted() {
        do {
            for (path, (marked, attachment)) in uncounted.sorted(by: { $0.key < $1.key }) {
                try tellPagesThatAreNotThere(path, marked, attachment)
            }
        } catch {
            log.error("\(error)")
        }
    }
}
