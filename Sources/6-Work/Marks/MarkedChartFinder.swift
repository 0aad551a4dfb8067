package import Annotations
import Catalogue
package import ChartFiles
import Glibc
package import Library
package import Model
package import Platform

/// Finds out which chart a mark file is for: by the chart or PDF that the file names, by its folder, or by that PDF's bytes.
@LoopActor
package final class MarkedChartFinder {
    private let library: Library
    private let roots: MarkRoots
    private let side: SideThread
    private let now: @LoopActor () -> Timestamp
    /// The PDFs that mark files name, with their hashes, kept while the PDFs do not change.
    private var known: [String: PDF] = [:]

    /// A PDF, with its hash if it could be a chart.
    private struct PDF: Sendable {
        let stamp: FileStamp
        let hash: ChartHash?
    }

    /// Reads only PDFs in `roots`: anybody may have written a mark file, and it must not cause other files to be opened.
    package init(library: Library, roots: MarkRoots, side: SideThread, now: @escaping @LoopActor () -> Timestamp) {
        (self.library, self.roots, self.side, self.now) = (library, roots, side, now)
    }

    /// The chart that the mark file at `path` is for, by the chart or PDF that it names. The bytes of that PDF are read only if
    /// `isThorough`.
    package func chart(
        _ path: String, _ reference: MarkFile.Reference, _ index: MarkFileIndex, isThorough: Bool = true
    ) async throws -> MarkFileMatch? {
        let match = await index.match(path, reference) {
            await self.target(of: $0, charts: index.chartsFolders)
        } hash: {
            isThorough ? await self.hash(at: $0) : nil
        }
        return try present(match)
    }

    /// The chart of a file that was read. If the file names no chart that is here, this is the chart that it had before it was
    /// moved, or else a chart whose link has the name of the PDF that the file names.
    package func chart(of file: WrittenFile, knownAs former: WrittenFile?, _ index: MarkFileIndex) async throws -> MarkFileMatch? {
        let reference = file.file.content?.reference ?? MarkFile.Reference()
        if let match = try await chart(file.file.path, reference, index) { return match }
        return try formerChart(of: file, knownAs: former, index)
    }

    /// The chart of an unreadable mark file: by what could be read before the fault or, if the file is still being written, by its folder.
    package func chart(_ path: String, of fault: MarkFileFault, _ index: MarkFileIndex) async throws -> MarkFileMatch? {
        if let reference = fault.reference, let match = try await chart(path, reference, index) { return match }
        guard fault.reason == .unfinished else { return nil }
        return try present(await index.match(besideLink: path) { await self.target(of: $0, charts: index.chartsFolders) })
    }

    /// The chart that a file had before it was moved, or else a chart whose link has the name of the PDF that the file names.
    func formerChart(
        of file: WrittenFile, knownAs former: WrittenFile?, _ index: MarkFileIndex
    ) throws(LibraryError) -> MarkFileMatch? {
        let reference = file.file.content?.reference ?? MarkFile.Reference()
        return try present(
            library.matches.formerMatch(of: file, knownAs: former, index) ?? index.match(byNamesIn: reference, of: file.file.path))
    }

    /// Replaces a match with the chart that plans now show instead of the matched one; without such a chart, the match stays.
    func present(_ match: MarkFileMatch?) throws(LibraryError) -> MarkFileMatch? {
        try match.map { match throws(LibraryError) in try library.matches.present(match, at: now()) }
    }

    /// Frees the list of PDFs; they are read again when needed.
    func forget() { known = [:] }

    /// The target of `path` with all links followed, provided that it is in the roots or in one of the `charts` folders.
    private func target(of path: String, charts: [String]) async -> String? {
        await side.run { [roots] in LinkFollower(in: roots.answering, endingIn: charts).end(of: path) }
    }

    /// The hash of the PDF at `path`, which must not contain links; `nil` if there is no file that could be a chart.
    private func hash(at path: String) async -> ChartHash? {
        let pdf = await side.run { [roots, former = known[path]] in Self.read(path, in: roots, former: former) }
        known[path] = pdf
        return pdf?.hash
    }

    private nonisolated static func read(_ path: String, in roots: MarkRoots, former: PDF?) -> PDF? {
        // Check the file before opening it: merely opening a device can have effects.
        var status = stat()
        guard let path = LinkFollower(in: roots.answering, endingIn: []).end(of: path), lstat(path, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        let stamp = FileStamp(status)
        if let former, former.stamp == stamp { return former }
        guard stamp.size <= mostBytes, let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY),
            fstat(file.number, &status) == 0, FileStamp(status) == stamp
        else { return nil }
        // Discard the hash if somebody wrote to the file meanwhile.
        let digest = try? ChartFile.digest(file, path)
        return PDF(stamp: stamp, hash: fstat(file.number, &status) == 0 && FileStamp(status) == stamp ? digest.map(ChartHash.init) : nil)
    }

    /// The size of the largest possible chart.
    private nonisolated static let mostBytes = 512 << 20
}

/// Resolves a path without touching anything outside the given folders: touching a mount or a share may take for ever.
struct LinkFollower {
    /// The folders in which links are followed, under each of their names, with their real paths.
    private let folders: [(name: String, real: String)]
    /// A path into one of these folders counts as resolved, whether or not it exists.
    private let ends: [String]

    /// The same limit as the kernel's.
    private static let mostLinks = 40

    /// Follows links in `folders`, which may be links themselves.
    init(in folders: [String], endingIn ends: [String]) {
        self.ends = ends
        self.folders = folders.flatMap { folder in MatchStore.followingLinks(folder).map { [(folder, $0), ($0, $0)] } ?? [] }
    }

    /// The target of `path` with all links followed; `nil` if it does not exist, or lies outside the folders.
    func end(of path: String) -> String? {
        var path = path
        for _ in 0...Self.mostLinks {
            if ends.contains(where: { MarkRoots.isPath(path, in: $0) }) { return path }
            guard let (name, real) = folders.first(where: { MarkRoots.isPath(path, in: $0.name) }) else { return nil }
            let parts = path.utf8.dropFirst(name.utf8.count + 1).split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            guard let link = firstLink(on: parts, below: real) else { return nil }
            guard let next = link.next else { return link.done }
            path = next
        }
        return nil
    }

    /// The path up to its first link, and where that link and the rest of the path lead; without a link, the whole path and `nil`.
    /// Returns `nil` if the path does not exist.
    private func firstLink(on parts: [String], below folder: String) -> (done: String, next: String?)? {
        var done = folder
        for (place, part) in parts.enumerated() {
            guard let leads = FolderListing.target(of: done + "/" + part) else {
                // Any error but "not a link" means that the path does not exist.
                guard errno == EINVAL else { return nil }
                done += "/" + part
                continue
            }
            return (done, MarkFileIndex.joined(done, ([leads] + parts[(place + 1)...]).joined(separator: "/")))
        }
        return (done, nil)
    }
}
