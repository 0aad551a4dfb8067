import Annotations
import Library
import Model
import Platform

extension MarkKeeper {
    /// Looks for charts for the files that had none: theirs may have come meanwhile. What they say is known.
    func matchUnmatched() async {
        do {
            let index = try library.markFileIndex()
            var isNews = false
            let unmatched = try library.unmatchedReferences()
            if unmatched.isEmpty { named.forget() }
            for (place, (path, reference)) in unmatched.enumerated() {
                // Whatever else there is to do comes first.
                if place % 64 == 0 { await spawn {}.value }
                guard let match = await match(path, reference, index),
                    // It may have been read again meanwhile.
                    var file = try library.localFile(at: path), file.attachment == nil, file.content?.reference == reference
                else { continue }
                (file.attachment, file.markedOn) = (match.attachment, match.markedOn)
                guard try library.store([file]) else { continue }
                isNews = true
                try tellPagesThatAreNotThere(file)
            }
            if isNews { changed() }
        } catch {
            log.error("\(error)")
            tryAgain()
        }
    }

    func match(_ path: String, _ reference: MarkFile.Reference, _ index: MarkFileIndex) async -> MarkFileMatch? {
        await index.match(path, reference) { [named] in
            await named.target(of: $0, charts: index.chartsFolders)
        } hash: { [named] in
            await named.hash(at: $0)
        }
    }

    /// Tells of marks on pages that the file's chart does not have, now or as soon as somebody has counted them.
    func tellPagesThatAreNotThere(_ file: LocalFile) throws(LibraryError) {
        uncounted.remove(file.path)
        guard let attachment = file.attachment, let marks = file.content?.marks, !marks.isEmpty else { return }
        guard let chart = try library.chart(of: attachment), let pages = try library.description(of: chart.hash)?.pages.count else {
            uncounted.insert(file.path)
            return
        }
        let beyond = Set(marks.map(\.page).filter { $0.value >= pages }).sorted()
        guard let first = beyond.first else { return }
        log.warning(
            "\(file.path) has marks on \(first)\(beyond.count > 1 ? " and others" : ""), which its chart of \(pages) pages does not have")
    }

    /// The same for files that it could not be told of.
    func tellUncounted() {
        do {
            for path in uncounted.sorted() {
                // It may be about to be stored.
                if let file = try library.localFile(at: path) { try tellPagesThatAreNotThere(file) }
            }
        } catch {
            log.error("\(error)")
        }
    }
}
