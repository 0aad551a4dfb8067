import Catalogue
import Library
import Model
import Platform

/// A folder that was put back from a backup, or an older copy of it that was mounted over it, is no change that anybody made to the marks.
extension MarkKeeper {
    /// A file that was read without all of the marks that are known of it.
    private struct Loss {
        let place: Int
        let known: WrittenFile
        let stamp: FileStamp

        /// Whether the file is older than what is known of it.
        var isOlder: Bool {
            let former = known.file.stamp.modified
            return stamp.modified < former || known.file.wentBack && stamp.modified == former
        }
    }

    /// A file that lost marks, or was put there anew with the same marks, as a copy of a whole folder does to those that did not change.
    struct Replaced {
        let path: [UInt8]
        let modified: Int64
        /// Whether it fits an older state of the folder.
        let isOlder: Bool
        let noticed: Moment
    }

    /// How far apart files may be read that count as lost at once.
    private static let aWhile: Duration = .seconds(600)
    /// This many files at once are not somebody's work.
    private static let many = 3
    /// Nobody saves that many files in less time than this, in nanoseconds.
    private static let shortTime: UInt64 = 10_000_000_000

    /// A file's time can be set to anything, so the difference may overflow.
    private static func areClose(_ one: Int64, _ other: Int64) -> Bool {
        let (between, isTooLong) = one.subtractingReportingOverflow(other)
        return !isTooLong && between.magnitude < shortTime
    }

    /// Keeps the newer marks of files in `read` that go back to an older state: on another disk, several at once, or in a folder where
    /// others did; also of several that were put there with a new date. `former` is what is known of them, by the bytes of their paths.
    func keepNewerMarks(in read: inout [WrittenFile], besides former: [[UInt8]: WrittenFile]) throws {
        var (losses, replaced): ([Loss], [Replaced]) = ([], [])
        func note(_ file: WrittenFile, isOlder: Bool) {
            let (path, modified) = (Array(file.file.path.utf8), file.file.stamp.modified)
            replaced.append(Replaced(path: path, modified: modified, isOlder: isOlder, noticed: time.now))
        }
        for (place, file) in read.enumerated() {
            // A file that is for another chart by now is no older state of what it was.
            guard let known = former[Array(file.file.path.utf8)], known.file.attachment == file.file.attachment else { continue }
            guard known.version != file.version else {
                if known.file.stamp.inode != file.file.stamp.inode { note(file, isOlder: true) }
                continue
            }
            guard let sums = file.sums, try library.markFiles.sums(of: file.file.path)?.subtracting(sums).isEmpty == false
            else { continue }
            let loss = Loss(place: place, known: known, stamp: file.file.stamp)
            losses.append(loss)
            note(file, isOlder: loss.isOlder)
        }
        guard !replaced.isEmpty else { return }
        let news = Set(replaced.map(\.path))
        replacedLately.removeAll { time.now - $0.noticed > Self.aWhile || news.contains($0.path) }
        replacedLately += replaced
        guard !losses.isEmpty else { return }
        let gone = Set(try library.markFiles.filesGoneBack().compactMap(roots.root))
        let isMany = replacedLately.count(where: \.isOlder) >= Self.many
        let back = losses.filter { loss in
            let isOnOtherDisk = loss.stamp.device != loss.known.file.stamp.device
            let isBesideOthers = roots.root(of: loss.known.file.path).map(gone.contains) ?? false
            if loss.isOlder, isMany || isOnOtherDisk || isBesideOthers { return true }
            return replacedLately.count { Self.areClose($0.modified, loss.stamp.modified) } >= Self.many
        }
        for loss in back {
            read[loss.place] = loss.known
            read[loss.place].file.stamp = loss.stamp
            read[loss.place].file.fault = nil
            read[loss.place].file.wentBack = true
        }
        let fresh = back.filter { !$0.known.file.wentBack }.map(\.known.file.path)
        guard let first = fresh.first else { return }
        log.warning(
            "\(first)\(fresh.count > 1 ? " and \(fresh.count - 1) more" : "") went back to an older state; the newer marks are shown until the "
                + "newer files are back, or until you accept the older ones: \(woodshed("accept --gone '\(roots.root(of: first) ?? first)'"))"
        )
    }
}
