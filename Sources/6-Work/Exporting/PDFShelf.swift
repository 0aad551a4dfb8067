import ChartFiles
import Glibc
import JSON
package import Model
package import Platform

/// The folder in which plans are kept as PDFs, for a program that copies it to a tablet.
///
/// A file is written under a temporary name, recorded with its final name and checksum, and then renamed. Only files with a
/// recorded checksum are replaced or removed; everything else there belongs to somebody else, and stays. The folder itself is
/// never created: while its disk is away, a new one would fill the wrong disk. Every call may wait for a network, so call none on
/// the loop.
package struct PDFShelf: Sendable {
    /// A plan whose PDF should be in the folder.
    package struct Wanted: Hashable, Sendable {
        package let plan: PlanID
        package let name: String
        /// The digest of everything that the file should show.
        package let key: Digest
        package let end: Timestamp?

        package init(plan: PlanID, name: String, key: Digest, end: Timestamp?) {
            (self.plan, self.name, self.key, self.end) = (plan, name, key, end)
        }
    }

    /// A record of a file that was written or was about to be. If the program was killed in between, two records may have one name, and
    /// either file may be in the folder.
    package struct File: Hashable, Sendable, Codable {
        package let plan: PlanID
        package let name: String
        /// The digest of everything that the file shows; empty if some of its contents could not be read.
        package let key: String
        package let end: Timestamp?
        let sum: String
    }

    /// Which file, if any, has a given name in the folder.
    package enum State: Hashable, Sendable {
        case nothing
        /// Woodshed's file, with the contents that it should have.
        case right
        /// Woodshed's file, but its contents are outdated.
        case old
        /// Another file, with this checksum; for anything but a regular file, a fixed text.
        case foreign(String)
    }

    fileprivate struct Record: Hashable, Codable {
        let folder: String
        /// The mount point of the disk that the folder was on.
        let mount: String
        let files: [File]
    }

    package let folder: String
    private let path: String
    private var records: [Record] = []
    /// Why the record of Woodshed's files cannot be read.
    private var unreadable: SystemError?
    /// The checksums of files with their stamps at the time, so that each file is read once.
    private var sums: [String: (stamp: FileStamp, sum: String)] = [:]

    /// The shelf in `folder`; the file at `path` records Woodshed's files there.
    package init(_ folder: String, recordedAt path: String) {
        (self.folder, self.path) = (folder, path)
        readRecords()
    }

    /// Reads the record again. If the record is missing or invalid, no file counts as Woodshed's.
    package mutating func readRecords() {
        do throws(SystemError) {
            let bytes = try AtomicFile.read(path, limit: 4 << 20)
            (records, unreadable) = ((try? JSONReader.decode([Record].self, from: bytes)) ?? [], nil)
        } catch {
            (records, unreadable) = ([], error.code == ENOENT ? nil : error)
        }
    }

    /// The record's path in a library's folder.
    package static func record(in library: String) -> String { library + "/exports.json" }

    private var record: Record? { records.first { $0.folder == folder } }

    /// Woodshed's files in the folder.
    package var files: [File] { record?.files ?? [] }

    // MARK: - Looking

    /// Why the folder cannot be used, and the remedy.
    package typealias Trouble = (found: String, remedy: String)

    /// Why the folder cannot be used now; `nil` if it can.
    package static func trouble(_ folder: String) -> Trouble? {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                return ("\(SystemError("reach", path: folder))", "connect its disk or network")
            }
            return ("there is no folder \(folder)", "connect the disk that it is on, or make it, as in: mkdir -p \(folder.shellQuoted)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return ("\(folder) is not a folder", "set export.folder to one") }
        guard access(folder, W_OK | X_OK) != 0 else { return nil }
        return ("\(SystemError("write in", path: folder))", "make it writable, or set export.folder to another folder")
    }

    /// Why this shelf's folder cannot be used now. It also counts as unusable if the disk once mounted there is missing, or if the record
    /// of Woodshed's files cannot be read.
    package var trouble: Trouble? {
        if let trouble = Self.trouble(folder) { return trouble }
        if let unreadable { return ("what was written there is not known: \(unreadable)", "make that file readable") }
        return missingMount.map {
            ("nothing is mounted at \($0), where the disk was that \(folder) was on", "connect it, or set export.folder to another folder")
        }
    }

    /// The former mount point of the folder's disk, if nothing is mounted there now.
    private var missingMount: String? {
        guard let record, record.mount.utf8.count > Folder.mountPoint(of: folder).utf8.count else { return nil }
        return record.mount
    }

    private func checkDisk() throws(SystemError) {
        if let missingMount { throw SystemError("find the disk at", path: missingMount, code: ENODEV) }
    }

    /// Whether the PDF of a plan shows everything that belonged in it when it was made.
    package func isWhole(_ wanted: Wanted) -> Bool { files(wanted.plan, wanted.name).contains { !$0.key.isEmpty } }

    package mutating func state(_ wanted: Wanted) throws(SystemError) -> State {
        guard let sum = try sum(of: wanted.name) else { return .nothing }
        guard let file = files(wanted.plan, wanted.name).first(where: { $0.sum == sum }) else { return .foreign(sum) }
        return file.key == wanted.key.hex ? .right : .old
    }

    private func files(_ plan: PlanID, _ name: String) -> [File] { files.filter { $0.plan == plan && $0.name == name } }

    private static func status(of path: String) throws(SystemError) -> stat? {
        var status = stat()
        if lstat(path, &status) == 0 { return status }
        guard errno == ENOENT else { throw SystemError("look at", path: path) }
        return nil
    }

    private static func stamp(of path: String) throws(SystemError) -> FileStamp? { try status(of: path).map { FileStamp($0).ofContent } }

    /// The checksum of the file with this name; `nil` if there is none, and a fixed text for anything but a regular file. Some programs
    /// change a file without changing its stamp, so with `anew` the file is read in any case. Use that before replacing or removing a
    /// file.
    private mutating func sum(of name: String, anew: Bool = false) throws(SystemError) -> String? {
        let path = folder + "/" + name
        guard let status = try Self.status(of: path) else { return nil }
        // Anything else is somebody else's: Woodshed writes only regular files, and the target of a link is not in the folder.
        guard status.st_mode & S_IFMT == S_IFREG else { return "no plain file" }
        let stamp = FileStamp(status).ofContent
        if !anew, let known = sums[name], known.stamp == stamp { return known.sum }
        let sum = try ChartFile.digest(ofFileAt: path).hex
        sums[name] = (stamp, sum)
        return sum
    }

    // MARK: - Writing

    /// Copies a finished PDF into the folder under its name, or only records it if the same bytes are there already. Never replaces
    /// somebody else's file. `isWhole` is false if some of the contents could not be read: the PDF is then made again later.
    ///
    /// Returns the state of the name afterwards, which is `.old` for a PDF that is not whole.
    package mutating func place(_ made: TemporaryFile, as wanted: Wanted, isWhole: Bool = true) throws(SystemError) -> State {
        let others = files.filter { $0.name != wanted.name }
        let new = File(
            plan: wanted.plan, name: wanted.name, key: isWhole ? wanted.key.hex : "", end: wanted.end,
            sum: try ChartFile.digest(ofFileAt: made.path).hex)
        // From now on, any other file under this name counts as somebody else's.
        try note(try replace(wanted, by: made, noting: others, new) ? [new] + others : others)
        return try state(wanted)
    }

    private mutating func replace(
        _ wanted: Wanted, by made: TemporaryFile, noting others: [File], _ new: File
    ) throws(SystemError) -> Bool {
        let target = folder + "/" + wanted.name
        let stamp = try Self.stamp(of: target)
        let sum = try sum(of: wanted.name, anew: true)
        if sum == new.sum { return true }
        let former = files(wanted.plan, wanted.name).filter { $0.sum == sum }
        guard sum == nil || !former.isEmpty else { return false }
        // Making the PDF took a while, and the folder's disk may have been removed meanwhile.
        try checkDisk()
        AtomicFile.removeAbandoned(in: folder)
        let copy = try TemporaryFile.create(inFolderOf: target, mode: 0o666)
        try copy.write(contentOf: made)
        try copy.syncContent()
        // Record the file before it has its name: otherwise, after a kill in between, it would count as somebody else's for ever.
        // Also record the temporary name, which either file may have while the two change places.
        let both = [new] + former
        try note(both + others + both.map { File(plan: $0.plan, name: copy.nameInExchange, key: $0.key, end: $0.end, sum: $0.sum) })
        // On a disk with coarse times, the new file's stamp may equal the former one's, so forget the checksum and read it back.
        sums[wanted.name] = nil
        return try copy.publish(as: target) { (try? Self.stamp(of: $0)) == stamp }
    }

    /// Removes a file if it is unchanged; a changed file counts as somebody else's from now on. Returns whether the file is gone.
    package mutating func remove(_ file: File) throws(SystemError) -> Bool {
        try checkDisk()
        let known = files(file.plan, file.name)
        let sum = try sum(of: file.name, anew: true)
        let isOurs = sum == nil || known.contains { $0.sum == sum }
        if isOurs, unlink(folder + "/" + file.name) != 0, errno != ENOENT { throw SystemError("remove", path: folder + "/" + file.name) }
        try note(files.filter { !known.contains($0) })
        return isOurs
    }

    private mutating func note(_ files: [File]) throws(SystemError) {
        // Writing now would replace a record that cannot be read for the moment.
        if let unreadable { throw unreadable }
        // While the disk is away, the folder's path leads to another disk, so keep the recorded mount point.
        let new = Record(folder: folder, mount: missingMount ?? Folder.mountPoint(of: folder), files: files)
        guard new != record else { return }
        let all = records.filter { $0.folder != folder } + [new]
        try AtomicFile.write(JSONText.list(all.map(\.json)).line + "\n", to: path)
        records = all
    }
}

extension PDFShelf.Record {
    fileprivate var json: JSONText {
        let files = files.map { file -> JSONText in
            [
                "plan": .text(file.plan.text), "name": .text(file.name), "key": .text(file.key),
                "end": .maybe(file.end.map { "\($0)" }), "sum": .text(file.sum),
            ]
        }
        return ["folder": .text(folder), "mount": .text(mount), "files": .list(files)]
    }
}

/// Chooses the file names of plans.
package enum PDFName {
    /// Each plan's file name, readable and valid on every file system. Plans with equal names keep the numbers of their files.
    package static func names(_ plans: [Plan], among files: [PDFShelf.File]) -> [PlanID: String] {
        let former = Dictionary(files.map { ($0.plan, $0.name) }) { first, _ in first }
        var taken: [String: PlanID] = [:]
        for file in files { taken[FileName.folded(file.name)] = file.plan }
        var names: [PlanID: String] = [:]
        for plan in plans {
            let title = title(of: plan)
            let all = (1...(plans.count + files.count + 1)).lazy.map { FileName.portable(title, number: $0) + ".pdf" }
            let name =
                former[plan.id].flatMap { isName($0, of: title) ? $0 : nil }
                ?? all.first { taken[FileName.folded($0)] ?? plan.id == plan.id } ?? plan.id.text
            taken[FileName.folded(name)] = plan.id
            names[plan.id] = name
        }
        return names
    }

    /// Whether `name` is one of the title's names, ignoring case: on many disks, names that differ only in case are the same file.
    private static func isName(_ name: String, of title: String) -> Bool {
        let number = name.firstMatch(of: /\(([0-9]+)\)\.pdf$/).flatMap { Int($0.1) } ?? 1
        return [1, number].contains { FileName.folded(FileName.portable(title, number: $0) + ".pdf") == FileName.folded(name) }
    }

    /// A plan's title for people: its date and its name.
    package static func title(of plan: Plan) -> String {
        (plan.mainTime.map { LocalTime.date(nanosecondsSinceEpoch: $0.nanoseconds) + " " } ?? "") + plan.displayName
    }
}
