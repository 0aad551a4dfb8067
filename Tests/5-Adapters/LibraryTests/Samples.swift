import ChartFiles
import Library
import Model
import Platform
import TestSupport

/// Selects the service's attachments instead of those of the testing library.
typealias Attachment = Model.Attachment

/// Data that the tests put into a library.
extension Samples {
    static func pdf(_ text: String) -> [UInt8] { Array("%PDF-1.7\n\(text)\n%%EOF\n".utf8) }

    static let stamp = FileStamp(device: 1, inode: 2, size: 3, modified: 4)

    static func mark(_ id: String, at time: Timestamp? = nil) -> Mark {
        Mark(id: id, page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.1, y: 0.2)], createdAt: time)
    }

    /// A file of the user with one mark for each id.
    static func localFile(_ path: String, for attachment: AttachmentID?, marks: [String]) -> LocalFile {
        LocalFile(
            path: path, stamp: stamp, firstSeen: monday, attachment: attachment, content: MarkFile(marks: marks.map { mark($0) }))
    }
}

extension LinkOutcome {
    var hasChanges: Bool { !(made.isEmpty && retargeted.isEmpty && removed.isEmpty) }
}

extension Library {
    /// Keeps `bytes` as if they had just been downloaded.
    @discardableResult
    func download(_ bytes: [UInt8], for attachment: Attachment) throws -> ChartHash {
        let file = try charts.beginChart()
        try bytes.withUnsafeBytes { try file.write($0) }
        let hash = Samples.hash(bytes)
        try charts.keep(
            file, hash: hash, size: bytes.count, for: attachment.id, madeFrom: attachment.generatedFrom, version: attachment.version)
        return hash
    }

    /// Prunes in two trusted polls a day apart, since nothing is removed that only one poll finds too old.
    func pruneWatched(now: Timestamp) throws -> [ChartHash] {
        try prune(now: now, isTrusted: true) + prune(now: now + .seconds(86_400), isTrusted: true)
    }

    /// The names of the charts' files.
    func chartFiles() throws -> [String] { try Folder.names(in: folder + "/charts") }

    /// Every byte that SQLite has on the disk.
    func diskBytes() throws -> [[UInt8]] {
        try ["", "-wal"].map { try AtomicFile.read(folder + "/catalogue.sqlite" + $0, limit: 1 << 24) }
    }

    /// The library as the next process opens it, after this process had to leave the catalogue.
    func leftAndOpenedAnew(at time: Timestamp) throws -> Library {
        _ = try leave(at: time)
        close()
        return try Library(folder: folder)
    }
}
