import Annotations
import Glibc
package import Model

extension FileStamp {
    /// That of no file: whatever is there is different.
    package static let unknown = FileStamp(device: 0, inode: 0, size: 0, modified: 0)

    /// The stamp of what is at `path`, be it a file or not; `nil` where nothing is.
    init?(ofFile path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The stamp of what Xournal++ puts the former file at `path` aside as while it writes the next; `nil` where there is none.
    package init?(ofFilePutAsideFor path: String) {
        guard MarkFileName.isOfXournal(path) else { return nil }
        self.init(ofFile: path + "~")
    }

    /// Whether a file of this stamp stands in for one that had the stamp `former`: it is that one, or was saved not long after it.
    /// A copy of what the file was before that is none.
    package func standsIn(for former: FileStamp) -> Bool {
        let isSame = (device, inode) == (former.device, former.inode)
        // Whoever sets a file's time may set any.
        let (between, isTooLong) = modified.subtractingReportingOverflow(former.modified)
        return isSame || modified >= former.modified && !isTooLong && between < Self.mostBetweenSaves
    }

    /// It may have been saved again since it was read; in nanoseconds.
    private static let mostBetweenSaves: Int64 = 10 * 60 * 1_000_000_000
}
