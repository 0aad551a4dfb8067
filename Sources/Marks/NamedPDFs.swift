package import Annotations
package import ChartLinks
import Glibc
import Library
package import Model
package import Platform
import Watching

/// What the PDFs hold that the user's files of marks name: their hashes, as long as they stay as they are.
@LoopActor
package final class NamedPDFs {
    private let roots: MarkRoots
    private let side: SideThread
    private var known: [String: (stamp: FileStamp, hash: ChartHash?)] = [:]

    /// Looks at PDFs in `roots` only: a file of marks may come from anybody, and has no say in what else is opened.
    package init(roots: MarkRoots, side: SideThread) {
        self.roots = roots
        self.side = side
    }

    /// The hash of the PDF at `path`, which leads over no links; `nil` where there is none that could be a chart.
    func hash(at path: String) async -> ChartHash? {
        let reading = await side.run { [roots, former = known[path]] in Self.read(path, in: roots, former: former) }
        known[path] = reading
        return reading?.hash
    }

    /// Where `path` leads when links are followed, as far as that is in `roots` or one of the `charts` folders.
    func target(of path: String, charts: [String]) async -> String? {
        await side.run { [roots] in LinkFollower(in: roots.folders, endingIn: charts).end(of: path) }
    }

    /// The chart that the file of marks at `path` is for, by what it says that it was made on. What the PDF holds that it names is
    /// only looked at for a `thorough` answer.
    package func match(
        _ path: String, _ reference: MarkFile.Reference, _ index: MarkFileIndex, isThorough: Bool = true
    ) async -> MarkFileMatch? {
        await index.match(path, reference) {
            await self.target(of: $0, charts: index.chartsFolders)
        } hash: {
            isThorough ? await self.hash(at: $0) : nil
        }
    }

    /// The chart that a file of marks is for which cannot be understood: by what it says before that; or by where it lies, if
    /// somebody is only writing it.
    package func match(_ path: String, of fault: MarkFileFault, _ index: MarkFileIndex) async -> MarkFileMatch? {
        if let reference = fault.reference, let match = await match(path, reference, index) { return match }
        guard fault.reason == .unfinished else { return nil }
        return await index.match(besideLink: path) { await self.target(of: $0, charts: index.chartsFolders) }
    }

    /// Forgets what it knows, when nobody asks for it any more.
    func forget() { known = [:] }

    private nonisolated static func read(
        _ path: String, in roots: MarkRoots, former: (stamp: FileStamp, hash: ChartHash?)?
    ) -> (stamp: FileStamp, hash: ChartHash?)? {
        // Looked at before it is opened: to open a device can already do something.
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
