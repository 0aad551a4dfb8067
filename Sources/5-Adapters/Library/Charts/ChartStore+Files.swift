public import Catalogue
public import ChartLinks
import Glibc
public import Model
import Platform

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
        let (state, reading) = try LibraryError.ofSystem { () throws(SystemError) in try file.read() }
        if let reading, reading != file.lastReading { try note([(chart, reading)]) }
        switch state {
        case .intact: break
        case .gone: throw .system(SystemError("open", path: file.path, code: ENOENT))
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

    /// Remembers what was found in charts' files. A process that only reads the library writes nothing down and has to find it out again.
    public func note(_ readings: [(ChartHash, ChartFile.Reading)]) throws(LibraryError) {
        guard !readings.isEmpty, !catalogue.isForReading else { return }
        try database.write { () throws(LibraryError) in
            for (chart, reading) in readings { try remember(reading, of: chart) }
        }
    }

    /// Remembers that files turned out to be damaged although nothing was written to them, so that they are fetched again. A process that
    /// only reads the library writes that down, too: no other would find out.
    public func note(damaged readings: [(ChartHash, ChartFile.Reading)]) throws(LibraryError) {
        guard !readings.isEmpty else { return }
        guard catalogue.isForReading else { return try note(readings) }
        try Database.change(libraryAt: catalogue.folder) { database throws(LibraryError) in
            for (chart, reading) in readings { try Self.remember(reading, of: chart, in: database) }
        }
    }

    /// Remembers one reading, inside a transaction.
    func remember(_ reading: ChartFile.Reading, of chart: ChartHash) throws(LibraryError) {
        try Self.remember(reading, of: chart, in: database)
    }

    private nonisolated static func remember(
        _ reading: ChartFile.Reading, of chart: ChartHash, in database: Database
    ) throws(LibraryError) {
        try database.run(
            "UPDATE charts SET read_stamp = ?, read_whole = ? WHERE hash = ?",
            [.text(reading.stamp), .flag(reading.isWhole), .hash(chart)])
    }

    /// Puts a chart's file where its hash says, unless it is there already. Anything else under that name is set
    /// aside first; the answer says where it lies now.
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

    /// How often something else may be in the way: somebody would have to put a file there that often while we look.
    private static var mostInTheWay: Int { 8 }

    nonisolated static func reading(_ row: borrowing Row, from column: Int32) -> ChartFile.Reading? {
        row.optionalText(column).map { ChartFile.Reading(stamp: $0, isWhole: row.integer(column + 1) != 0) }
    }
}
