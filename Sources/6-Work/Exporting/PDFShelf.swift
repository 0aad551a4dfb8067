import ChartFiles
import Glibc
import JSON
package import Model
package import Platform

/// The folder in which plans are kept as PDFs, for a program that carries it to a tablet.
///
/// A file is written beside its name, noted with that name and its sum, and then renamed. Only what has a sum that was noted for its name is
/// ever replaced or removed; whatever else is there belongs to somebody else, and stays. The folder itself is never made: where a disk is
/// away, one in its place would fill the wrong disk. Whatever is asked of it may wait for a network, so it is asked beside the loop.
package struct PDFShelf: Sendable {
    /// A plan whose PDF is to be there.
    package struct Wanted: Hashable, Sendable {
        package let plan: PlanID
        package let name: String
        /// The digest of everything that the file shows.
        package let key: Digest
        package let end: Timestamp?

        package init(plan: PlanID, name: String, key: Digest, end: Timestamp?) {
            (self.plan, self.name, self.key, self.end) = (plan, name, key, end)
        }
    }

    /// A file that was written, or was about to be: of two with one name, either may be there after a kill.
    package struct File: Hashable, Sendable, Codable {
        package let plan: PlanID
        package let name: String
        /// The digest of everything that it shows; empty if something that belongs in it could not be read.
        package let key: String
        /// When the plan is over.
        package let end: Timestamp?
        let sum: String
    }

    /// What a name in the folder belongs to.
    package enum State: Hashable, Sendable {
        case nothing
        /// Our file, and it shows what it should.
        case right
        /// Our file, but it should show something else by now.
        case old
        /// Something else, with this sum.
        case foreign(String)
    }

    fileprivate struct Record: Hashable, Codable {
        let folder: String
        /// Where the disk was mounted that the folder was on.
        let mount: String
        let files: [File]
    }

    package let folder: String
    private let path: String
    private var records: [Record] = []
    /// Why the record of our files is unknown.
    private var unreadable: SystemError?
    /// The sums of files with the stamps that they had then, so that each is read once.
    private var sums: [String: (stamp: FileStamp, sum: String)] = [:]

    /// The shelf in `folder`, with the record at `path` of our files there.
    package init(_ folder: String, recordedAt path: String) {
        (self.folder, self.path) = (folder, path)
        readRecords()
    }

    /// Reads the record again. If it is lost, no file counts as ours.
    package mutating func readRecords() {
        do throws(SystemError) {
            let bytes = try AtomicFile.read(path, limit: 4 << 20)
            (records, unreadable) = ((try? JSONReader.decode([Record].self, from: bytes)) ?? [], nil)
        } catch {
            (records, unreadable) = ([], error.code == ENOENT ? nil : error)
        }
    }

    /// The record's path beside a library.
    package static func record(in library: String) -> String { library + "/exports.json" }

    private var record: Record? { records.first { $0.folder == folder } }

    /// Our files there.
    package var files: [File] { record?.files ?? [] }

    // MARK: - Looking

    /// Why nothing can be kept there, and what to do.
    package typealias Trouble = (found: String, remedy: String)

    /// Why nothing can be kept there now.
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

    /// As above; also if the folder is there, but not the disk that was mounted there before.
    package var trouble: Trouble? {
        if let trouble = Self.trouble(folder) { return trouble }
        if let unreadable { return ("what was written there is not known: \(unreadable)", "make that file readable") }
        return missingMount.map {
            ("nothing is mounted at \($0), where the disk was that \(folder) was on", "connect it, or set export.folder to another folder")
        }
    }

    /// Where the disk was mounted before, if it is not now.
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

    /// The sum of the file with this name; `nil` if there is nothing. Some programs change a file and leave its stamp, so a file that is to
    /// be replaced or removed is read `anew`.
    private mutating func sum(of name: String, anew: Bool = false) throws(SystemError) -> String? {
        let path = folder + "/" + name
        guard let status = try Self.status(of: path) else { return nil }
        // We write only regular files; and a link's target is not in the folder.
        guard status.st_mode & S_IFMT == S_IFREG else { return "no plain file" }
        let stamp = FileStamp(status).ofContent
        if !anew, let known = sums[name], known.stamp == stamp { return known.sum }
        let sum = try ChartFile.digest(ofFileAt: path).hex
        sums[name] = (stamp, sum)
        return sum
    }

    // MARK: - Writing

    /// Puts the PDF that was made in its place, or only notes it if it is there byte for byte. `isWhole` is false if something could not be
    /// read that belongs into it: then it is made again another time.
    ///
    /// Returns what is there then: the PDF, or somebody else's file.
    package mutating func place(_ made: TemporaryFile, as wanted: Wanted, isWhole: Bool = true) throws(SystemError) -> State {
        let others = files.filter { $0.name != wanted.name }
        let new = File(
            plan: wanted.plan, name: wanted.name, key: isWhole ? wanted.key.hex : "", end: wanted.end,
            sum: try ChartFile.digest(ofFileAt: made.path).hex)
        // Whatever else is there is not ours from now on.
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
        // It took a while to make what is placed now, and a disk is soon gone.
        try checkDisk()
        AtomicFile.removeAbandoned(in: folder)
        let copy = try TemporaryFile.create(inFolderOf: target, mode: 0o666)
        try copy.write(contentOf: made)
        try copy.syncContent()
        // Known before it is there: after a kill between these two it would count as somebody else's for ever. The same goes for the name
        // under which either of the two is while they change places.
        let both = [new] + former
        try note(both + others + both.map { File(plan: $0.plan, name: copy.nameInExchange, key: $0.key, end: $0.end, sum: $0.sum) })
        // On a disk with coarse times, the new one may look like the former; so it is read back.
        sums[wanted.name] = nil
        return try copy.publish(as: target) { (try? Self.stamp(of: $0)) == stamp }
    }

    /// Removes a file if it is unchanged; otherwise it is somebody else's from now on. Returns whether it is gone.
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
        // It would replace a record that cannot be read just now.
        if let unreadable { throw unreadable }
        // While the disk is away, the folder below its place is on another one.
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

/// The names of the plans' files.
package enum PDFName {
    /// Each plan's name, for people and for every file system. Of plans with equal names, each keeps the number that its file has.
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

    /// Whether it is one of a title's names, in any case of letters: on many disks that is the same file.
    private static func isName(_ name: String, of title: String) -> Bool {
        let number = name.firstMatch(of: /\(([0-9]+)\)\.pdf$/).flatMap { Int($0.1) } ?? 1
        return [1, number].contains { FileName.folded(FileName.portable(title, number: $0) + ".pdf") == FileName.folded(name) }
    }

    /// A plan's title for people: its day, and its title.
    package static func title(of plan: Plan) -> String {
        (plan.mainTime.map { LocalTime.date(nanosecondsSinceEpoch: $0.nanoseconds) + " " } ?? "") + plan.displayName
    }
}
