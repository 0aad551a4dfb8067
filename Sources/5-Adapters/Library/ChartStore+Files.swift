public import Catalogue
public import ChartFiles
import Glibc
public import Model
public import Platform

extension ChartStore {
    /// A chart's file; `nil` if the library does not have the chart.
    public func chartFile(of chart: ChartHash) throws(LibraryError) -> ChartFile? {
        try database.row("SELECT size, read_stamp, read_whole FROM charts WHERE hash = ?", [.hash(chart)]) { row in
            ChartFile(chart: chart, path: path(of: chart), size: row.integer(0), lastReading: Self.reading(row, from: 1))
        }
    }

    /// Throws unless a chart's file matches its hash, because images must be made only from the right bytes. The file is read only
    /// if it was touched since the last reading. A changed file stays in place until the chart is downloaded again.
    public func check(_ chart: ChartHash) throws(LibraryError) {
        guard let file = try chartFile(of: chart) else { throw .unknownChart(chart) }
        try judge(file, try LibraryError.ofSystem { () throws(SystemError) in try file.read() })
    }

    /// Checks a chart like the other `check`, but reads the file on another thread.
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

    /// The charts' files that have the right size but were never read in full, or were touched since. Read them outside the loop's thread.
    public func chartFilesToRead() throws(LibraryError) -> [ChartFile] {
        let files = try database.rows("SELECT hash, size, read_stamp, read_whole FROM charts") { row throws(LibraryError) in
            let chart = try database.hash(row.text(0))
            return ChartFile(chart: chart, path: path(of: chart), size: row.integer(1), lastReading: Self.reading(row, from: 2))
        }
        return files.filter(\.isToBeRead)
    }

    /// Reads some of the charts' files; may be called on any thread.
    public nonisolated static func read(_ files: ArraySlice<ChartFile>) -> [(ChartHash, ChartFile.Reading)] {
        // A file that cannot be read is skipped here and reported when it is needed.
        files.compactMap { file in (try? file.read().reading).flatMap { $0 }.map { (file.chart, $0) } }
    }

    /// Stores the results of reading charts' files. A process that only reads the library stores nothing, and has to read the files itself.
    public func note(_ readings: [(ChartHash, ChartFile.Reading)]) throws(LibraryError) {
        guard !readings.isEmpty, !catalogue.isForReading else { return }
        try database.write { () throws(LibraryError) in
            for (chart, reading) in readings { try remember(reading, of: chart) }
        }
    }

    /// Stores that files are damaged although nothing was written to them, so that the charts are downloaded again. Even a process
    /// that only reads the library stores this, since no other process would detect the damage.
    public func note(damaged readings: [(ChartHash, ChartFile.Reading)]) throws(LibraryError) {
        guard !readings.isEmpty else { return }
        guard catalogue.isForReading else { return try note(readings) }
        try Library.change(in: catalogue.folder) { library throws(LibraryError) in try library.charts.note(readings) }
    }

    /// Stores one reading; must be called inside a transaction.
    func remember(_ reading: ChartFile.Reading, of chart: ChartHash) throws(LibraryError) {
        try database.run(
            "UPDATE charts SET read_stamp = ?, read_whole = ? WHERE hash = ?",
            [.text(reading.stamp), .flag(reading.isWhole), .hash(chart)])
    }

    /// Puts a chart's file under the name of its hash, unless the chart is there already. Anything else under that name is moved
    /// away first; `setAside` is its new path.
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
            case .changed: aside = try setAside(chart, title: title, asDamaged: there.isRemainder(of: file))
            case .gone: break
            }
            let isPublished = try LibraryError.ofSystem { () throws(SystemError) in
                var status = stat()
                guard fchmod(file.descriptor, ChartFile.protectedMode) == 0, fstat(file.descriptor, &status) == 0 else {
                    throw SystemError("write", path: there.path)
                }
                guard try file.publishWhereFree(as: there.path) else { return (false, ChartFile.Reading?.none) }
                return (true, ChartFile.reading(of: file, size: size, since: status))
            }
            if isPublished.0 { return (isPublished.1, aside) }
        }
        throw .system(SystemError("write", path: path(of: chart), code: EBUSY))
    }

    /// How many foreign files may get in the way before an error: another program would have to save a new one each time.
    private static var mostInTheWay: Int { 8 }

    nonisolated static func reading(_ row: borrowing Row, from column: Int32) -> ChartFile.Reading? {
        row.optionalText(column).map { ChartFile.Reading(stamp: $0, isWhole: row.integer(column + 1) != 0) }
    }
}

/// A chart's file is removed only if this catalogue had the chart and drops it. A file without an entry in the catalogue may be all
/// that is left of a chart, if the catalogue is an older copy.
extension ChartStore {
    /// Deletes a chart's entry and marks the chart's file for removal; must be called inside a transaction.
    func letGo(of chart: ChartHash) throws(LibraryError) {
        if let stamp = chartStamp(chart) {
            try database.run(
                "INSERT OR REPLACE INTO let_go_charts (hash, device, inode, size, modified, changed) VALUES (?, ?, ?, ?, ?, ?)",
                [.hash(chart)] + stamp.values)
        }
        try database.run("DELETE FROM charts WHERE hash = ?", [.hash(chart)])
    }

    /// Cancels the removal of a chart's file, because the chart is needed again.
    func keepAgain(_ chart: ChartHash) throws(LibraryError) {
        try database.run("DELETE FROM let_go_charts WHERE hash = ?", [.hash(chart)])
    }

    /// Removes the files of dropped charts, including those that a killed process left behind. All other files in the folder stay,
    /// such as charts of an older state of this catalogue or of another catalogue.
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

    /// Removes the file of a dropped chart if the file is still as it was when the chart was dropped. A file with other contents is
    /// set aside. Returns whether nothing is left to do.
    private func removeFile(of chart: ChartHash, stamp: FileStamp, now: Timestamp) throws(LibraryError) -> Bool {
        let path = path(of: chart)
        switch try? ChartFile(chart: chart, path: path, size: nil, lastReading: nil).state(isThorough: true) {
        case .intact where chartStamp(chart) == stamp:
            // If the file cannot be removed now, the next run tries again.
            return unlink(path) == 0 || errno == ENOENT
        case .intact, .gone: return true
        case .changed:
            // The user saved something over the chart, which must not be removed.
            try setAsideForGood(chart, title: nil, at: now)
            return true
        case nil: return false
        }
    }

    /// The charts whose files are in the folder, although the catalogue neither has the charts nor is about to remove the files.
    func unknownCharts() throws(LibraryError) -> [ChartHash] {
        let known = Set(try database.rows("SELECT hash FROM charts UNION SELECT hash FROM let_go_charts") { $0.text(0) })
        return try LibraryError.ofSystem { () throws(SystemError) in try ChartFileName.charts(in: catalogue.chartsFolder) }.filter {
            !known.contains($0.digest.hex)
        }
    }

    private func chartStamp(_ chart: ChartHash) -> FileStamp? { Self.stamp(ofFile: path(of: chart)) }

    /// The files that the user's programs saved over charts, as they are on the disk now. Links on a network disk are checked only
    /// in `root`, which is known to respond.
    public func savedCharts(in root: String = "") throws(LibraryError) -> SavedCharts {
        let names = (try? Folder.names(in: setAsideFolder)) ?? []
        let recorded = try database.rows("SELECT path FROM links WHERE stands ORDER BY path") { $0.text(0) }
        func folder(_ path: String) -> String { Folder.parent(of: Folder.parent(of: path)) }
        let links = recorded.filter { folder($0) == root } + Mounts.present.near(recorded.filter { folder($0) != root }, in: folder)
        return SavedCharts(
            setAside: names.filter { !$0.hasPrefix(".") }.map { setAsideFolder + "/" + $0 },
            inPlaceOfLinks: links.filter { Self.stamp(ofFile: $0) != nil })
    }

    /// Sets aside files that the user saved over charts that are in no plan. Journals their new paths, since nothing else leads
    /// the user to these files.
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

    /// Sets aside a file that has the name of a chart, and journals the new path; the chart's hash stands in for an attachment's id.
    @discardableResult
    private func setAsideForGood(_ chart: ChartHash, title: String?, at now: Timestamp) throws(LibraryError) -> LibraryChange {
        let name = title ?? "chart \(chart.digest.shortHex)"
        let reference = LibraryChange.ChartReference(id: AttachmentID(chart.digest.hex), name: name)
        return try noteSetAside(as: try setAside(chart, title: name), reference, at: now)
    }

    /// Moves the file that has a chart's name to a free, descriptive name, and returns the new path. What a damage left of the chart is
    /// nobody's work, so it gets a folder of its own, and nobody is asked to move it.
    func setAside(_ chart: ChartHash, title: String, asDamaged isDamaged: Bool = false) throws(LibraryError) -> String {
        let path = path(of: chart)
        let folder = isDamaged ? catalogue.chartsFolder + "/damaged" : setAsideFolder
        let name = title.lowercased().hasSuffix(".pdf") ? String(title.dropLast(4)) : title
        return try LibraryError.ofSystem { () throws(SystemError) in
            try Folder.create(folder)
            var status = stat()
            guard lstat(path, &status) == 0 else { throw SystemError("access", path: path) }
            let what = isDamaged ? "damaged" : "saved \(Self.day(status))"
            let saved = FileName.sanitised("\(name) (\(what))", limit: FileName.limit - ".pdf".utf8.count)
            for number in 1...Self.mostOfOneName {
                let target = "\(folder)/\(FileName.numbered(saved, number)).pdf"
                guard try SafeRename.move(path, toFree: target) else { continue }
                // The file is no longer the library's chart, so the user may change it.
                if status.st_mode & S_IFMT == S_IFREG {
                    chmod(target, (status.st_mode & 0o7777) | S_IWUSR | S_IRUSR)
                    // The program that saved the file may not have synced it, and there is no other copy.
                    try Descriptor.open(target, O_RDONLY | O_NOFOLLOW).sync(target)
                }
                for folder in [folder, catalogue.chartsFolder] { try Folder.sync(folder) }
                return target
            }
            throw SystemError("set aside", path: path, code: EEXIST)
        }
    }

    /// Journals the path of a file that was set aside for a chart.
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

    /// Records which marks were made on the attachment's present chart, before `new` replaces that chart.
    func noteMarkedOn(_ attachment: AttachmentID, madeFrom: String, replacedBy new: ChartHash) throws(LibraryError) {
        let former = try database.row(
            """
            SELECT hash, updated_at, version FROM attachment_charts JOIN attachments ON id = attachment_id
            WHERE \(Self.supersededCharts) AND hash <> ?3 ORDER BY made_from = ?2 DESC, \(Self.newestFirst) LIMIT 1
            """, [.id(attachment), .text(madeFrom), .hash(new)]
        ) { row in
            // If the bytes changed but the service reports an unchanged time, the time of replacement is unknown.
            let replaced = row.time(1).flatMap { row.text(2).hasPrefix("\($0) ") ? nil : $0 }
            return (hash: row.text(0), replaced: replaced)
        }
        guard let former else { return }
        // A chart drawn here has each word in the same place in every key, so marks made in another key still fit.
        let isWordForWord = try database.has(
            "SELECT 1 FROM song_charts AS other JOIN song_charts AS own USING (layout) WHERE other.hash = ? AND own.hash = ?",
            [.text(former.hash), .hash(new)])
        if isWordForWord { return try followed.copy(attachment, from: database.hash(former.hash), to: new) }
        let layers = try database.rows(
            "SELECT id, marks FROM layers WHERE attachment_id = ? AND marked_on IS NULL AND deleted_at IS NULL AND marks <> '[]'",
            [.id(attachment)]
        ) { row in (id: LayerID(row.text(0)), marks: row.text(1)) }
        for layer in layers {
            // Other people had the new chart earlier. If all marks of a layer are later than the replacement, they were made on the
            // new chart.
            if let replaced = former.replaced {
                let marks = try MarksText.read(layer.marks, of: layer.id)
                if marks.allSatisfy({ $0.createdAt.map { $0 > replaced } ?? false }) { continue }
            }
            try database.run("UPDATE layers SET marked_on = ? WHERE id = ?", [.text(former.hash), .id(layer.id)])
        }
        try followed.note(attachment, on: database.hash(former.hash), replacedBy: new)
        try database.run(
            "UPDATE local_files SET marked_on = ? WHERE attachment_id = ? AND marked_on IS NULL AND marks <> '[]'",
            [.text(former.hash), .id(attachment)])
        // The record of a missing file is updated too, since the file may come back.
        try database.run(
            "UPDATE former_files SET marked_on = ? WHERE attachment_id = ? AND marked_on IS NULL AND marks_sum IS NOT NULL",
            [.text(former.hash), .id(attachment)])
    }
}
