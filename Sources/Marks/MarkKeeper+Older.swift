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

    /// The same as it is remembered for a while.
    struct RecentLoss {
        let path: String
        let modified: Int64
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
    /// others did; also of several that were put there with a new date. `former` is what is known of them.
    func keepNewerMarks(in read: inout [WrittenFile], besides former: [String: WrittenFile]) throws {
        var losses: [Loss] = []
        // Files with the same marks as before that were put there anew, as a copy of a whole folder does to those that did not change.
        var copied: [RecentLoss] = []
        let now = time.now
        for (place, file) in read.enumerated() {
            if let known = former[file.file.path], known.version == file.version, known.file.stamp.inode != file.file.stamp.inode {
                let stamp = file.file.stamp
                copied.append(RecentLoss(path: file.file.path, modified: stamp.modified, isOlder: true, noticed: now))
            }
            // A file that is for another chart by now is no older state of what it was.
            guard let sums = file.sums, let known = former[file.file.path], known.version != file.version,
                known.file.attachment == file.file.attachment,
                try library.markFiles.sums(of: file.file.path)?.subtracting(sums).isEmpty == false
            else { continue }
            losses.append(Loss(place: place, known: known, stamp: file.file.stamp))
        }
        guard !losses.isEmpty || !copied.isEmpty else { return }
        let gone = Set(try library.markFiles.filesGoneBack().compactMap(roots.root))
        lossesLately.removeAll { loss in
            now - loss.noticed > Self.aWhile || losses.contains { $0.known.file.path.utf8.elementsEqual(loss.path.utf8) }
        }
        lossesLately += losses.map {
            RecentLoss(path: $0.known.file.path, modified: $0.stamp.modified, isOlder: $0.isOlder, noticed: now)
        }
        let paths = Set(copied.map { Array($0.path.utf8) })
        lossesLately.removeAll { paths.contains(Array($0.path.utf8)) }
        lossesLately += copied
        let isMany = lossesLately.count(where: \.isOlder) >= Self.many
        let back = losses.filter { loss in
            let isOnOtherDisk = loss.stamp.device != loss.known.file.stamp.device
            let isBesideOthers = roots.root(of: loss.known.file.path).map(gone.contains) ?? false
            if loss.isOlder, isMany || isOnOtherDisk || isBesideOthers { return true }
            return lossesLately.count { Self.areClose($0.modified, loss.stamp.modified) } >= Self.many
        }
        for loss in back {
            read[loss.place] = loss.known
            read[loss.place].file.stamp = loss.stamp
            read[loss.place].file.fault = nil
            read[loss.place].file.wentBack = true
        }
        let news = back.filter { !$0.known.file.wentBack }.map(\.known.file.path)
        guard let first = news.first else { return }
        log.warning(
            "\(first)\(news.count > 1 ? " and \(news.count - 1) more" : "") went back to an older state; the newer marks are shown until the "
                + "newer files are back, or until you accept the older ones: \(woodshed("accept --gone '\(roots.root(of: first) ?? first)'"))"
        )
    }
}
