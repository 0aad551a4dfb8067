package import Annotations
package import Library
import Glibc
package import LayerJoin
package import Model

/// A mark file as read outside the loop.
package struct MarkReading: Sendable {
    package struct Content: Sendable {
        package let written: WrittenFile
        /// The part of a layer in the file, if there is one.
        package let part: LayerPart?
        /// Identifies the process that wrote the part.
        let writer: String?
        /// Whether the file itself contains the whole part.
        var isWhole = true
        package let pages: Set<PageIndex>
    }

    let path: String
    /// The file's stamp before reading, so that any change during the reading shows up as a difference.
    let stampBefore: FileStamp?
    package private(set) var result: Result<Content, MarkFileFault>
    /// The stamp of the file's former version, if Xournal++ has renamed that version while writing the new one.
    let aside: FileStamp?

    package init(_ path: String) {
        self.path = path
        stampBefore = FileStamp(ofFile: path)
        result = Result { () throws(MarkFileFault) in
            let (content, layer, stamp) = try MarkFileReader.readAsLayer(path: path)
            return try Self.content(path, content, layer, stamp)
        }
        aside = FileStamp(ofFilePutAsideFor: path)
    }

    /// A file that was written here, with its stamp after writing.
    init(_ path: String, _ content: MarkFile, _ layer: LayerDocument, _ stamp: FileStamp) {
        (self.path, stampBefore, aside) = (path, stamp, nil)
        result = Result { () throws(MarkFileFault) in try Self.content(path, content, layer, stamp) }
    }

    /// Whether both readings are of the same state of the same file.
    func isSame(as other: MarkReading) -> Bool { path.utf8.elementsEqual(other.path.utf8) && stampBefore == other.stampBefore }

    /// This state of the file, with its part joined with the part of the earlier state `former`. Returns this state unchanged if
    /// either has no part.
    func joined(with former: MarkReading) -> MarkReading {
        guard case .success(let content) = result, let part = content.part, case .success(let earlier) = former.result,
            var all = earlier.part
        else { return self }
        all.join(part)
        var joined = self
        joined.result = .success(
            Content(written: content.written, part: all, writer: content.writer, isWhole: all == part, pages: content.pages))
        return joined
    }

    private static func content(
        _ path: String, _ content: MarkFile, _ layer: LayerDocument?, _ stamp: FileStamp
    ) throws(MarkFileFault) -> Content {
        do {
            // `BatchReader` sets the file's chart, and when the file was first seen.
            let file = LocalFile(path: path, stamp: stamp, firstSeen: Timestamp(nanoseconds: 0), content: content)
            return Content(
                written: try WrittenFile(file), part: layer?.part, writer: layer?.writer, pages: Set(content.marks.map(\.page)))
        } catch {
            throw MarkFileFault(.malformed, "\(error)")
        }
    }
}

extension FileStamp {
    /// A stamp that no file has, so any file differs from it.
    static let unknown = FileStamp(device: 0, inode: 0, size: 0, modified: 0)

    /// The stamp of the file at `path`, of whatever kind; `nil` if there is none.
    init?(ofFile path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The stamp of the former version of the file at `path`, which Xournal++ renames while writing; `nil` if there is none.
    package init?(ofFilePutAsideFor path: String) {
        guard MarkFileName.isOfXournal(path) else { return nil }
        self.init(ofFile: path + "~")
    }

    /// Returns whether a file with this stamp stands in for a file with the stamp `former`: both are the same file, or this one was
    /// saved soon after the other. A copy of an earlier version does not count.
    package func standsIn(for former: FileStamp) -> Bool {
        let isSame = (device, inode) == (former.device, former.inode)
        // A file's time can be set to anything, so the difference may overflow.
        let (between, isTooLong) = modified.subtractingReportingOverflow(former.modified)
        return isSame || modified >= former.modified && !isTooLong && between < Self.mostBetweenSaves
    }

    /// A file may have been saved again since it was read, up to this many nanoseconds later.
    private static let mostBetweenSaves: Int64 = 10 * 60 * 1_000_000_000
}
