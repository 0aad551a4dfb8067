import Catalogue
import ChartLinks
import Glibc
import Model
import Platform

/// A chart's file is removed only when the same catalogue that knew the chart drops it: a file that the catalogue does not name may
/// be all that is left of a chart, if the catalogue is not what it was.
extension ChartStore {
    /// Forgets a chart, and writes down that its file is to be removed; inside a transaction.
    func letGo(of chart: ChartHash) throws(LibraryError) {
        if let stamp = chartStamp(chart) {
            try database.run(
                "INSERT OR REPLACE INTO let_go_charts (hash, device, inode, size, modified, changed) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .hash(chart), .integer(Int64(bitPattern: stamp.device)), .integer(Int64(bitPattern: stamp.inode)),
                    .integer(stamp.size), .integer(stamp.modified), .integer(stamp.changed),
                ])
        }
        try database.run("DELETE FROM charts WHERE hash = ?", [.hash(chart)])
    }

    /// Cancels the removal of a chart's file: it is wanted again.
    func keepAgain(_ chart: ChartHash) throws(LibraryError) {
        try database.run("DELETE FROM let_go_charts WHERE hash = ?", [.hash(chart)])
    }

    /// Removes the files of charts that were dropped, also those that a killed process left behind. Everything else in their
    /// folder stays, such as charts from another time of this catalogue, or from another catalogue.
    func removeFilesLetGo(now: Timestamp) throws(LibraryError) {
        let due = try database.rows(
            "SELECT hash, device, inode, size, modified, changed, hash IN (SELECT hash FROM charts) FROM let_go_charts"
        ) { row throws(LibraryError) in
            (chart: try database.hash(row.text(0)), stamp: row.stamp(from: 1), isWanted: row.integer(6) != 0)
        }
        var done: [(chart: ChartHash, stamp: FileStamp, isWanted: Bool)] = []
        for letGo in due {
            let isDone = if letGo.isWanted { true } else { try removeFile(of: letGo.chart, stamp: letGo.stamp, now: now) }
            if isDone { done.append(letGo) }
        }
        guard !done.isEmpty else { return }
        try database.write { () throws(LibraryError) in for letGo in done { try keepAgain(letGo.chart) } }
    }

    /// Removes the file of a chart that was dropped, if it is still that file. Answers whether there is nothing left to do.
    private func removeFile(of chart: ChartHash, stamp: FileStamp, now: Timestamp) throws(LibraryError) -> Bool {
        let path = path(of: chart)
        switch try? ChartFile(chart: chart, path: path, size: nil, lastReading: nil).state(isThorough: true) {
        case .intact where chartStamp(chart) == stamp:
            // If it cannot be removed now, the next run tries again.
            return unlink(path) == 0 || errno == ENOENT
        case .intact, .gone: return true
        case .changed:
            // Somebody saved a file of their own over it, which is not ours to remove.
            let title = "chart \(chart.digest.shortHex)"
            let reference = LibraryChange.ChartReference(id: AttachmentID(chart.digest.hex), name: title)
            try noteSetAside(as: try setAside(chart, title: title), reference, at: now)
            return true
        case nil: return false
        }
    }

    /// The charts' files that the catalogue does not name.
    func unknownCharts() throws(LibraryError) -> [ChartHash] {
        let known = Set(try database.rows("SELECT hash FROM charts UNION SELECT hash FROM let_go_charts") { $0.text(0) })
        return try LibraryError.ofSystem { () throws(SystemError) in try ChartFileName.charts(in: catalogue.chartsFolder) }.filter {
            !known.contains($0.digest.hex)
        }
    }

    private func chartStamp(_ chart: ChartHash) -> FileStamp? {
        var status = stat()
        guard lstat(path(of: chart), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileStamp(status)
    }
}
