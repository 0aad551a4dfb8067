public import Catalogue
public import ChartFiles
import Glibc
public import Model
public import Platform

extension ChartStore {
    /// A chart's file; `nil` if the library does not have that chart.
    public func chartFile(of chart: ChartHash) throws(LibraryError) -> ChartFile? {
        try database.row("SELECT size, read_stamp, read_whole FROM charts WHERE hash = ?", [.hash(chart)]) { row in
            ChartFile(chart: chart, path: path(of: chart), size: row.integer(0), lastReading: Self.reading(row, from: 1))
        }
    }

    /// Checks a chart's file against its hash, because images must not be made from anything else. Done once for each state of the file.
    /// A file that turns out to be something else stays where it is until the chart is downloaded again.
    public func check(_ chart: ChartHash) throws(LibraryError) {
        guard let file = try chartFile(of: chart) else { throw .unknownChart(chart) }
        try judge(file, try LibraryError.ofSystem { () throws(SystemError) in try file.read() })
    }

    /// As above, with the file read beside the loop.
    public func check(_ chart: ChartHash, on side: SideThread) async throws(LibraryError) {
        guard let file = try chartFile(of: chart) else { throw .unknownChart(chart) }
        let found = await side.run { Result { () throws(SystemError) in try file.read() } }
        try judge(file, try LibraryError.ofSystem { () throws(SystemError) in try found.get() })
    }

    private func judge(_ file: ChartFile, _ found: (state: ChartFile.State, reading: ChartFile.Reading?)) throws(LibraryError) {
        let (state, reading) = found
        if let reading, reading != file.lastReading { try note([(file.chart, reading)]) }
        switch state {
        case .intact: break
        case .gone: throw .missingChart(path: file.path)
        case .changed: throw .changedChart(path: file.path)
        }
    }

    /// The charts' files that were touched since they were last read through. Read them beside the loop.
    public func chartFilesToRead() throws(LibraryError) -> [ChartFile] {
        let files = try database.rows("SELECT hash, size, read_stamp, read_whole FROM charts") { row throws(LibraryError) in
            let chart = try database.hash(row.text(0))
            return ChartFile(chart: chart, path: path(of: chart), size: row.integer(1), lastReading: Self.reading(row, from: 2))
        }
        return files.filter(\.isToBeRead)
    }

    /// Reads some of these files, on any thread.
    public nonisolated static func read(_ files: ArraySlice<ChartFile>) -> [(ChartHash, ChartFile.Reading)] {
        // A file that cannot be read is reported when it is needed.
        files.compactMap { file in (try? file.read().reading).flatMap { $0 }.map { (file.chart, $0) } }
    }

    /// Remembers the findings about charts' files. A process that only reads the library writes nothing, and has to find out again.
    public func note(_ readings: [(ChartHash, ChartFile.Reading)]) throws(LibraryError) {
        guard !readings.isEmpty, !catalogue.isForReading else { return }
        try database.write { () throws(LibraryError) in
            for (chart, reading) in readings { try remember(reading, of: chart) }
        }
    }

    /// Remembers that files are damaged although nothing was written to them, so that they are fetched again. A process that only reads the
    /// library writes that, too: no other would find out.
    public func note(damaged readings: [(ChartHash, ChartFile.Reading)]) throws(LibraryError) {
        guard !readings.isEmpty else { return }
        guard catalogue.isForReading else { return try note(readings) }
        try Library.change(in: catalogue.folder) { library throws(LibraryError) in try library.charts.note(readings) }
    }

    /// Remembers one reading, inside a transaction.
    func remember(_ reading: ChartFile.Reading, of chart: ChartHash) throws(LibraryError) {
        try database.run(
            "UPDATE charts SET read_stamp = ?, read_whole = ? WHERE hash = ?",
            [.text(reading.stamp), .flag(reading.isWhole), .hash(chart)])
    }

    /// Puts a chart's file under the name of its hash, unless it is there already. Anything else under that name is set aside first; the
    /// answer says where it is now.
    func publish(
        _ file: TemporaryFile, as chart: ChartHash, size: Int, title: String
    ) throws(LibraryError) -> (reading: ChartFile.Reading?, setAside: String?) {
        let last = try chartFile(of: chart)?.lastReading
        var aside: String?
        for _ in 0..<Self.mostInTheWay {
            let there = ChartFile(chart: chart, path: path(of: chart), size: size, lastReading: last)
            let (state, reading) = try LibraryError.ofSystem { () throws(SystemError) in try there.read() }
            switch state {
            case .intact: return (reading, aside)
            case .changed: aside = try setAside(chart, title: title)
            case .gone: break
            }
            let isPublished = try LibraryError.ofSystem { () throws(SystemError) in
                var status = stat()
                guard fchmod(file.descriptor, ChartFile.protectedMode) == 0, fstat(file.descriptor, &status) == 0 else {
                    throw SystemError("write", path: file.path)
                }
                guard try file.publishWhereFree(as: there.path) else { return (false, ChartFile.Reading?.none) }
                return (true, ChartFile.reading(of: file, size: size, since: status))
            }
            if isPublished.0 { return (isPublished.1, aside) }
        }
        throw .system(SystemError("write", path: path(of: chart), code: EBUSY))
    }

    /// How often something else may be in the way: another program would have to put a file there that often meanwhile.
    private static var mostInTheWay: Int { 8 }

    nonisolated static func reading(_ row: borrowing Row, from column: Int32) -> ChartFile.Reading? {
        row.optionalText(column).map { ChartFile.Reading(stamp: $0, isWhole: row.integer(column + 1) != 0) }
    }
}

/// A chart's file is removed only by the catalogue that knew the chart and drops it: a file that the catalogue does not name may be all
/// that is left of a chart, if this catalogue is an older one.
extension ChartStore {
    /// Forgets a chart, and notes that its file is to be removed; inside a transaction.
    func letGo(of chart: ChartHash) throws(LibraryError) {
        if let stamp = chartStamp(chart) {
            try database.run(
                "INSERT OR REPLACE INTO let_go_charts (hash, device, inode, size, modified, changed) VALUES (?, ?, ?, ?, ?, ?)",
                [.hash(chart)] + stamp.values)
        }
        try database.run("DELETE FROM charts WHERE hash = ?", [.hash(chart)])
    }

    /// Cancels the removal of a chart's file, which is wanted again.
    func keepAgain(_ chart: ChartHash) throws(LibraryError) {
        try database.run("DELETE FROM let_go_charts WHERE hash = ?", [.hash(chart)])
    }

    /// Removes the files of charts that were dropped, also those that a killed process left behind. Everything else in their folder stays,
    /// such as charts of an older state of this catalogue, or of another catalogue.
    func removeFilesLetGo(now: Timestamp) throws(LibraryError) {
        let due = try database.rows(
            "SELECT hash, device, inode, size, modified, changed, hash IN (SELECT hash FROM charts) FROM let_go_charts"
        ) { row throws(LibraryError) in
            (chart: try database.hash(row.text(0)), stamp: row.stamp(from: 1), isWanted: row.integer(6) != 0)
        }
        var done: [ChartHash] = []
        for letGo in due {
            let isDone = if letGo.isWanted { true } else { try removeFile(of: letGo.chart, stamp: letGo.stamp, now: now) }
            if isDone { done.append(letGo.chart) }
        }
        guard !done.isEmpty else { return }
        try database.write { () throws(LibraryError) in for chart in done { try keepAgain(chart) } }
    }

    /// Removes the file of a dropped chart, if that has not changed. Returns whether nothing is left to do.
    private func removeFile(of chart: ChartHash, stamp: FileStamp, now: Timestamp) throws(LibraryError) -> Bool {
        let path = path(of: chart)
        switch try? ChartFile(chart: chart, path: path, size: nil, lastReading: nil).state(isThorough: true) {
        case .intact where chartStamp(chart) == stamp:
            // If it cannot be removed now, the next run tries again.
            return unlink(path) == 0 || errno == ENOENT
        case .intact, .gone: return true
        case .changed:
            // The user saved something over it, which must not be removed.
            try setAsideForGood(chart, title: nil, at: now)
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

    private func chartStamp(_ chart: ChartHash) -> FileStamp? { Self.stamp(ofFile: path(of: chart)) }

    /// Returns what the user's programs saved over charts, as it is on the disk now. Of links on a network, only those in `root` are looked
    /// at, which is known to answer.
    public func savedCharts(in root: String = "") throws(LibraryError) -> SavedCharts {
        let names = (try? Folder.names(in: setAsideFolder)) ?? []
        let recorded = try database.rows("SELECT path FROM links WHERE stands ORDER BY path") { $0.text(0) }
        func folder(_ path: String) -> String { Folder.parent(of: Folder.parent(of: path)) }
        let links = recorded.filter { folder($0) == root } + Mounts.present.near(recorded.filter { folder($0) != root }, in: folder)
        return SavedCharts(
            setAside: names.filter { !$0.hasPrefix(".") }.map { setAsideFolder + "/" + $0 },
            inPlaceOfLinks: links.filter { Self.stamp(ofFile: $0) != nil })
    }

    /// Sets aside what the user saved over a chart that no plan shows any more, and journals where it is: nothing else leads there.
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
            changes.append(try setAsideForGood(file.chart, title: title, at: now))
        }
        return changes
    }

    /// Sets aside a file that has the name of a chart without an attachment, and journals it.
    @discardableResult
    private func setAsideForGood(_ chart: ChartHash, title: String?, at now: Timestamp) throws(LibraryError) -> LibraryChange {
        let name = title ?? "chart \(chart.digest.shortHex)"
        let reference = LibraryChange.ChartReference(id: AttachmentID(chart.digest.hex), name: name)
        return try noteSetAside(as: try setAside(chart, title: name), reference, at: now)
    }

    /// Moves whatever has a chart's name to a free name that describes it, and returns its new path.
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
                // It is not the library's chart any more, so the user may change it.
                if status.st_mode & S_IFMT == S_IFREG {
                    chmod(target, (status.st_mode & 0o7777) | S_IWUSR | S_IRUSR)
                    // The program that saved it may not have waited for the disk, and there is no other copy.
                    try Descriptor.open(target, O_RDONLY | O_NOFOLLOW).sync(target)
                }
                for folder in [setAsideFolder, catalogue.chartsFolder] { try Folder.sync(folder) }
                return target
            }
            throw SystemError("set aside", path: path, code: EEXIST)
        }
    }

    /// Journals where a file is that was set aside for a chart.
    public func noteSetAside(
        as path: String, _ chart: LibraryChange.ChartReference, at now: Timestamp
    ) throws(LibraryError) -> LibraryChange {
        let change = LibraryChange.chartSetAside(chart, path: path)
        try database.write { () throws(LibraryError) in try journal.record([change], at: now) }
        return change
    }

    private nonisolated var setAsideFolder: String { catalogue.chartsFolder + "/set-aside" }

    private nonisolated static var mostOfOneName: Int { 10_000 }

    /// The day on which the file was last written. The arithmetic must not overflow: a program may set any time.
    private nonisolated static func day(_ status: stat) -> String {
        LocalTime.date(nanosecondsSinceEpoch: Int64(status.st_mtim.tv_sec) &* 1_000_000_000)
    }

    private nonisolated static func stamp(ofFile path: String) -> FileStamp? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? FileStamp(status) : nil
    }

    /// Notes which marks were made on the chart that an attachment has, before `new` replaces it.
    func noteMarkedOn(_ attachment: AttachmentID, madeFrom: String, replacedBy new: ChartHash) throws(LibraryError) {
        let former = try database.row(
            """
            SELECT hash, updated_at, version FROM attachment_charts JOIN attachments ON id = attachment_id
            WHERE \(Self.supersededCharts) AND hash <> ?3 ORDER BY made_from = ?2 DESC, \(Self.newestFirst) LIMIT 1
            """, [.id(attachment), .text(madeFrom), .hash(new)]
        ) { row in
            // If bytes changed although the service gives the same time, the moment is unknown.
            let replaced = row.time(1).flatMap { row.text(2).hasPrefix("\($0) ") ? nil : $0 }
            return (hash: row.text(0), replaced: replaced)
        }
        guard let former else { return }
        // In another key, each word of a chart that is drawn here is in the same place.
        let isWordForWord = try database.has(
            "SELECT 1 FROM song_charts AS other JOIN song_charts AS own USING (layout) WHERE other.hash = ? AND own.hash = ?",
            [.text(former.hash), .hash(new)])
        if isWordForWord { return }
        let layers = try database.rows(
            "SELECT id, marks FROM layers WHERE attachment_id = ? AND marked_on IS NULL AND deleted_at IS NULL AND marks <> '[]'",
            [.id(attachment)]
        ) { row in (id: LayerID(row.text(0)), marks: row.text(1)) }
        for layer in layers {
            // Others had the new chart earlier, so their marks may have been made on it already.
            if let replaced = former.replaced {
                let marks = try MarksText.read(layer.marks, of: layer.id)
                if marks.allSatisfy({ $0.createdAt.map { $0 > replaced } ?? false }) { continue }
            }
            try database.run("UPDATE layers SET marked_on = ? WHERE id = ?", [.text(former.hash), .id(layer.id)])
        }
        try database.run(
            "UPDATE local_files SET marked_on = ? WHERE attachment_id = ? AND marked_on IS NULL AND marks <> '[]'",
            [.text(former.hash), .id(attachment)])
        // A file that is away may come back.
        try database.run(
            "UPDATE former_files SET marked_on = ? WHERE attachment_id = ? AND marked_on IS NULL AND marks_sum IS NOT NULL",
            [.text(former.hash), .id(attachment)])
    }
}
