import ChartFiles
import Glibc
package import Model
package import Platform

/// The folder in which plans are kept as PDFs, for a program that carries it to a tablet.
///
/// What was written there is known by its sum. A file that is not exactly that belongs to somebody else, and is neither replaced nor
/// removed. The folder itself is never made: where a disk is away, one in its place would fill the wrong disk. Whatever is asked of it may
/// wait for a network, so it is asked beside the loop.
package struct PDFShelf: Sendable {
    /// A plan that is to be there.
    package struct Wanted: Hashable, Sendable {
        package let plan: PlanID
        package let name: String
        /// The digest of all that the file shows.
        package let key: Digest
        package let end: Timestamp?

        package init(plan: PlanID, name: String, key: Digest, end: Timestamp?) {
            (self.plan, self.name, self.key, self.end) = (plan, name, key, end)
        }
    }

    /// A file that was written.
    package struct File: Hashable, Sendable, Codable {
        package let plan: PlanID
        package let name: String
        /// The digest of all that it shows; empty if something that belongs into it could not be read.
        package let key: String
        /// When the plan is over.
        package let end: Timestamp?
        let sum: String
        let size: Int
        fileprivate(set) var modified: Int64
    }

    /// What is under a name.
    package enum State: Hashable, Sendable {
        case nothing
        /// Just what was written, and it shows what it should.
        case right
        /// Just what was written, but it should show something else by now.
        case old
        /// Something else. It changes with what is there.
        case foreign(FileStamp)
    }

    fileprivate struct Record: Codable {
        let folder: String
        /// Where the disk was mounted that the folder was on.
        var mount: String
        var files: [File]
    }

    package let folder: String
    private let path: String
    private var records: [Record]

    /// Why it cannot be known what was written.
    private let unreadable: SystemError?

    /// The shelf in `folder`, and what a file at `path` says that was written there. If that file is lost, nothing counts as ours.
    package init(_ folder: String, recordedAt path: String) {
        (self.folder, self.path) = (folder, path)
        do throws(SystemError) {
            let bytes = try AtomicFile.read(path, limit: 4 << 20)
            (records, unreadable) = ((try? JSONReader.decode([Record].self, from: bytes)) ?? [], nil)
        } catch {
            (records, unreadable) = ([], error.code == ENOENT ? nil : error)
        }
    }

    /// Where it says so beside a library.
    package static func record(in library: String) -> String { library + "/exports.json" }

    private var record: Record? { records.first { $0.folder == folder } }

    /// The files that were written to it.
    package var files: [File] { record?.files ?? [] }

    // MARK: - Looking

    /// Why nothing can be kept there now, and what to do.
    package static func trouble(_ folder: String) -> String? {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { return "\(SystemError("reach", path: folder)); connect its disk or network" }
            return "there is no folder \(folder); connect the disk that it is on, or make it, as in: mkdir -p \(folder.shellQuoted)"
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "\(folder) is not a folder; set export.folder to one" }
        guard access(folder, W_OK | X_OK) != 0 else { return nil }
        return "\(SystemError("write in", path: folder)); make it writable, or set export.folder to another folder"
    }

    /// As above; also if the folder is there, but not the disk that was mounted there before.
    package var trouble: String? {
        if let trouble = Self.trouble(folder) { return trouble }
        if let unreadable { return "what was written there is not known: \(unreadable); make that file readable" }
        return missingMount.map {
            "nothing is mounted at \($0), where the disk was that \(folder) was on; connect it, or set export.folder to another folder"
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

    /// Whether what was written for a plan shows all that belonged into it then.
    package func isWhole(_ wanted: Wanted) -> Bool { files(wanted.plan, wanted.name).contains { !$0.key.isEmpty } }

    package mutating func state(_ wanted: Wanted) throws(SystemError) -> State {
        guard let stamp = try stamp(wanted.name) else { return .nothing }
        let known = files(wanted.plan, wanted.name)
        removeExchanged(known)
        guard let file = try ours(among: known, stamp) else { return .foreign(stamp) }
        if stamp.modified != file.modified || known.count > 1 {
            // Its time is another after it was carried around, or after its stick was: it need not be read again for that.
            var same = file
            same.modified = stamp.modified
            try note(files.filter { !known.contains($0) } + [same])
        }
        return file.key == wanted.key.hex ? .right : .old
    }

    /// After a kill, the file that was to go may still have a temporary name. It is removed if it is just what was written here, and can be
    /// made again; anything else under such a name is what somebody saved.
    private func removeExchanged(_ known: [File]) {
        guard known.count > 1 else { return }
        for name in (try? Folder.names(in: folder)) ?? [] where name.wholeMatch(of: /\.tmp-[0-9]+-[0-9]+-exchanged/) != nil {
            let path = folder + "/" + name
            // One that is locked is on its way to its place.
            guard let file = try? Descriptor.openFile(path, O_NOFOLLOW), flock(file.number, LOCK_EX | LOCK_NB) == 0,
                let stamp = try? Self.stamp(of: path), known.contains(where: { $0.size == stamp.size }),
                let sum = try? ChartFile.digest(ofFileAt: path), known.contains(where: { $0.sum == sum.hex })
            else { continue }
            unlink(path)
        }
    }

    /// What may be under a name: two files after a kill, the former one and the one that was about to take its place.
    private func files(_ plan: PlanID, _ name: String) -> [File] { files.filter { $0.plan == plan && $0.name == name } }

    private func stamp(_ name: String) throws(SystemError) -> FileStamp? { try Self.stamp(of: folder + "/" + name) }

    private static func stamp(of path: String) throws(SystemError) -> FileStamp? {
        var status = stat()
        if lstat(path, &status) == 0 { return FileStamp(status).ofContent }
        guard errno == ENOENT else { throw SystemError("look at", path: path) }
        return nil
    }

    private func ours(among files: [File], _ stamp: FileStamp, isThorough: Bool = false) throws(SystemError) -> File? {
        for file in files where try isOurs(file, stamp, isThorough: isThorough) { return file }
        return nil
    }

    /// Whether a file is just what was written. One with the size and time that it had is; of another, that is read.
    private func isOurs(_ file: File, _ stamp: FileStamp, isThorough: Bool) throws(SystemError) -> Bool {
        guard stamp.size == file.size else { return false }
        if !isThorough, stamp.modified == file.modified { return true }
        return try ChartFile.digest(ofFileAt: folder + "/" + file.name).hex == file.sum
    }

    // MARK: - Writing

    /// Puts the PDF that was made in its place, or only notes it if it is there byte for byte; then removes what else was written for the
    /// plan. `isWhole` is false if something could not be read that belongs into it: then it is made again another time.
    ///
    /// Answers whether it is there: not if somebody else's file is.
    package mutating func place(_ made: TemporaryFile, as wanted: Wanted, isWhole: Bool = true) throws(SystemError) -> Bool {
        if let file = try placed(made, as: wanted, isWhole: isWhole) {
            try note(files.filter { $0.name != wanted.name } + [file])
            return true
        }
        // Whatever it was, it is not ours from now on.
        if files.contains(where: { $0.name == wanted.name }) { try note(files.filter { $0.name != wanted.name }) }
        return false
    }

    private mutating func placed(_ made: TemporaryFile, as wanted: Wanted, isWhole: Bool) throws(SystemError) -> File? {
        let target = folder + "/" + wanted.name
        let sum = try ChartFile.digest(ofFileAt: made.path)
        let found = try stamp(wanted.name)
        let there = try found.map { _ throws(SystemError) in try ChartFile.digest(ofFileAt: target) }
        if there != sum {
            let former = files(wanted.plan, wanted.name).filter { $0.sum == there?.hex }
            guard there == nil || !former.isEmpty else { return nil }
            // It took a while to make what is placed now, and a disk is soon gone.
            try checkDisk()
            AtomicFile.removeAbandoned(in: folder)
            removeExchanged(files(wanted.plan, wanted.name))
            let copy = try TemporaryFile.create(inFolderOf: target, mode: 0o666)
            try copy.write(contentOf: made)
            try copy.syncContent()
            // Known before it is there: after a kill between these two it would count as somebody else's for ever.
            var status = stat()
            guard fstat(copy.descriptor, &status) == 0 else { throw SystemError("look at", path: copy.path) }
            let coming = file(wanted, isWhole: isWhole, sum, FileStamp(status))
            try note(files.filter { $0.name != wanted.name } + former + [coming])
            guard try copy.publish(as: target, inPlaceOf: { (try? Self.stamp(of: $0)) == .some(found) }) else { return nil }
        }
        return try stamp(wanted.name).map { file(wanted, isWhole: isWhole, sum, $0) }
    }

    private func file(_ wanted: Wanted, isWhole: Bool, _ sum: Digest, _ stamp: FileStamp) -> File {
        File(
            plan: wanted.plan, name: wanted.name, key: isWhole ? wanted.key.hex : "", end: wanted.end, sum: sum.hex, size: stamp.size,
            modified: stamp.modified)
    }

    /// Removes a file if it is still just what was written; otherwise it is somebody else's from now on. Answers whether it is gone.
    package mutating func remove(_ file: File) throws(SystemError) -> Bool {
        try checkDisk()
        let known = files(file.plan, file.name)
        let found = try stamp(file.name)
        let isOurs =
            try found.map { stamp throws(SystemError) in try ours(among: known, stamp, isThorough: true) != nil } ?? true
        if isOurs, found != nil {
            guard unlink(folder + "/" + file.name) == 0 || errno == ENOENT else {
                throw SystemError("remove", path: folder + "/" + file.name)
            }
        }
        try note(files.filter { !known.contains($0) })
        return isOurs
    }

    private mutating func note(_ files: [File]) throws(SystemError) {
        // It would replace what cannot be read just now.
        if let unreadable { throw unreadable }
        // While the disk is away, the folder below its place is on another one.
        let record = Record(folder: folder, mount: missingMount ?? Folder.mountPoint(of: folder), files: files)
        records = records.filter { $0.folder != folder } + [record]
        try AtomicFile.write(JSONText.list(records.map(\.json)).line + "\n", to: path)
    }
}

extension PDFShelf.Record {
    fileprivate var json: JSONText {
        [
            "folder": .text(folder), "mount": .text(mount),
            "files": .list(
                files.map { file in
                    [
                        "plan": .text(file.plan.text), "name": .text(file.name), "key": .text(file.key),
                        "end": .maybe(file.end.map { "\($0)" }), "sum": .text(file.sum), "size": .integer(file.size),
                        "modified": .integer(Int(file.modified)),
                    ]
                }),
        ]
    }
}

/// What the plans' files are called.
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

    /// Whether it is one of a title's names. Another case is no other name: on many disks it would be the same file.
    private static func isName(_ name: String, of title: String) -> Bool {
        let number = name.firstMatch(of: /\(([0-9]+)\)\.pdf$/).flatMap { Int($0.1) } ?? 1
        return [1, number].contains { FileName.folded(FileName.portable(title, number: $0) + ".pdf") == FileName.folded(name) }
    }

    /// What a plan is called: its day, and its title.
    package static func title(of plan: Plan) -> String {
        (plan.mainTime.map { LocalTime.date(nanosecondsSinceEpoch: $0.nanoseconds) + " " } ?? "") + plan.displayName
    }
}
