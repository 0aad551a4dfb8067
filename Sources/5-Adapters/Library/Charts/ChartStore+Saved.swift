public import Catalogue
import ChartLinks
import Glibc
public import Model
import Platform

extension ChartStore {
    /// What the user's programs saved over charts, as it is on the disk now.
    public func savedCharts() throws(LibraryError) -> SavedCharts {
        let names = (try? Folder.names(in: setAsideFolder)) ?? []
        let links = try database.rows("SELECT path FROM links WHERE stands ORDER BY path") { $0.text(0) }
        return SavedCharts(
            setAside: names.filter { !$0.hasPrefix(".") }.map { setAsideFolder + "/" + $0 }, inPlaceOfLinks: links.filter(Self.isFile))
    }

    /// Sets aside what somebody saved over a chart that no plan shows any more, and journals where it is: nothing else leads there.
    public func setAsideSavedFormerCharts(at now: Timestamp) throws(LibraryError) -> [LibraryChange] {
        let former = try database.rows(
            """
            SELECT hash, size, read_stamp, read_whole, (
                SELECT filename FROM attachments WHERE id IN (
                    SELECT attachment_id FROM attachment_charts WHERE hash = charts.hash
                    UNION SELECT attachment_id FROM former_charts WHERE hash = charts.hash))
            FROM charts WHERE hash NOT IN (SELECT hash FROM attachment_charts JOIN item_attachments USING (attachment_id))
            """
        ) { row throws(LibraryError) in
            let chart = try database.hash(row.text(0))
            let file = ChartFile(chart: chart, path: path(of: chart), size: row.integer(1), lastReading: Self.reading(row, from: 2))
            return (file, title: row.optionalText(4))
        }
        var changes: [LibraryChange] = []
        for (file, title) in former where !file.mayBeWhole {
            guard try LibraryError.ofSystem({ () throws(SystemError) in try file.read().state }) == .changed else { continue }
            let name = title ?? "chart \(file.chart.digest.shortHex)"
            let reference = LibraryChange.ChartReference(id: AttachmentID(file.chart.digest.hex), name: name)
            changes.append(try noteSetAside(as: try setAside(file.chart, title: name), reference, at: now))
        }
        return changes
    }

    /// Moves whatever has a chart's name to a free name that says what it is, and answers where it is now.
    func setAside(_ chart: ChartHash, title: String) throws(LibraryError) -> String {
        let path = path(of: chart)
        let name = title.lowercased().hasSuffix(".pdf") ? String(title.dropLast(4)) : title
        return try LibraryError.ofSystem { () throws(SystemError) in
            try Folder.create(setAsideFolder)
            var status = stat()
            guard lstat(path, &status) == 0 else { throw SystemError("access", path: path) }
            let saved = FileName.sanitised("\(name) (saved \(Self.day(status)))", limit: FileName.limit - ".pdf".utf8.count)
            for number in 1...Self.mostOfOneName {
                let target = "\(setAsideFolder)/\(FileName.numbered(saved, number)).pdf"
                guard try SafeRename.move(path, toFree: target) else { continue }
                // It is not a chart of ours any more, so the user may change it.
                if status.st_mode & S_IFMT == S_IFREG {
                    chmod(target, (status.st_mode & 0o7777) | S_IWUSR | S_IRUSR)
                    // Nobody knows whether the program that saved it waited for the disk, and there is no other copy.
                    try Descriptor.open(target, O_RDONLY | O_NOFOLLOW).sync(target)
                }
                for folder in [setAsideFolder, catalogue.chartsFolder] { try Folder.sync(folder) }
                return target
            }
            throw SystemError("set aside", path: path, code: EEXIST)
        }
    }

    /// Journals where a file is that was set aside for a chart.
    @discardableResult
    public func noteSetAside(
        as path: String, _ chart: LibraryChange.ChartReference, at now: Timestamp
    ) throws(LibraryError) -> LibraryChange {
        let change = LibraryChange.chartSetAside(chart, path: path)
        try database.write { () throws(LibraryError) in try journal.record([change], at: now) }
        return change
    }

    private nonisolated var setAsideFolder: String { catalogue.chartsFolder + "/set-aside" }

    private nonisolated static var mostOfOneName: Int { 10_000 }

    /// The day on which the file was last written. The arithmetic must not overflow: anybody may set the time to anything.
    private nonisolated static func day(_ status: stat) -> String {
        LocalTime.date(nanosecondsSinceEpoch: Int64(status.st_mtim.tv_sec) &* 1_000_000_000)
    }

    private nonisolated static func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
