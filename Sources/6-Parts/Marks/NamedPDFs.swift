package import Annotations
package import ChartLinks
import Glibc
import Library
package import Model
package import Platform
import Watching

/// The hashes of the PDFs that the user's mark files name, kept as long as the PDFs do not change.
@LoopActor
package final class NamedPDFs {
    private let roots: MarkRoots
    private let side: SideThread
    private var known: [String: (stamp: FileStamp, hash: ChartHash?)] = [:]

    /// Looks only at PDFs in `roots`: a mark file may come from anybody, and must not decide what else is opened.
    package init(roots: MarkRoots, side: SideThread) {
        self.roots = roots
        self.side = side
    }

    /// The hash of the PDF at `path`, which must not contain links; `nil` if there is none that could be a chart.
    func hash(at path: String) async -> ChartHash? {
        let reading = await side.run { [roots, former = known[path]] in Self.read(path, in: roots, former: former) }
        known[path] = reading
        return reading?.hash
    }

    /// Where `path` leads when links are followed, as far as that is in `roots` or one of the `charts` folders.
    func target(of path: String, charts: [String]) async -> String? {
        await side.run { [roots] in LinkFollower(in: roots.folders, endingIn: charts).end(of: path) }
    }

    /// The chart that the mark file at `path` is for, by what it says it was made on. The contents of the PDF that it names are looked at
    /// only for a `thorough` answer.
    package func match(
        _ path: String, _ reference: MarkFile.Reference, _ index: MarkFileIndex, isThorough: Bool = true
    ) async -> MarkFileMatch? {
        await index.match(path, reference) {
            await self.target(of: $0, charts: index.chartsFolders)
        } hash: {
            isThorough ? await self.hash(at: $0) : nil
        }
    }

    /// The chart that an unreadable mark file is for: by what it says before the fault; or, if it is only being written, by where it
    /// lies.
    package func match(_ path: String, of fault: MarkFileFault, _ index: MarkFileIndex) async -> MarkFileMatch? {
        if let reference = fault.reference, let match = await match(path, reference, index) { return match }
        guard fault.reason == .unfinished else { return nil }
        return await index.match(besideLink: path) { await self.target(of: $0, charts: index.chartsFolders) }
    }

    /// Forgets everything, once nobody needs it any more.
    func forget() { known = [:] }

    private nonisolated static func read(
        _ path: String, in roots: MarkRoots, former: (stamp: FileStamp, hash: ChartHash?)?
    ) -> (stamp: FileStamp, hash: ChartHash?)? {
        // Looked at before it is opened: merely opening a device can have effects.
        var status = stat()
        guard let path = LinkFollower(in: roots.folders, endingIn: []).end(of: path), lstat(path, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        let stamp = FileStamp(status)
        if let former, former.stamp == stamp { return former }
        guard stamp.size <= mostBytes, let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY),
            fstat(file.number, &status) == 0, FileStamp(status) == stamp
        else { return nil }
        return (stamp, hash(of: file, size: stamp.size))
    }

    /// No chart is larger.
    private nonisolated static let mostBytes = 512 << 20

    private nonisolated static func hash(of file: borrowing Descriptor, size: Int) -> ChartHash? {
        var sum = SHA256()
        var rest = size
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(file.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0, count <= rest else { return nil }
            if count == 0 { return rest == 0 ? ChartHash(sum.finish()) : nil }
            rest -= count
            piece.withUnsafeBytes { sum.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
