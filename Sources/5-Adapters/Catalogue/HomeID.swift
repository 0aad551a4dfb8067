import CShims
import Glibc
package import Model
package import Platform
import Synchronization

/// The identity of this home: an id, a key and words. The id of sixteen characters distinguishes the parts that this home writes from those
/// of other homes, and the key signs what is written under the id. By the words, one for each process, the home recognises its own writing.
///
/// The id is valid only for the file that it was first written to, or for that file's path on this machine. So a copied home never
/// writes into the original's files: if it finds the id in another file, it makes a new one. Former ids are kept.
///
/// Some copies, such as a disk image, go unnoticed and write as the same home. So each process that writes has a word of its own,
/// noted here before its first use: anything under this home's id with an unknown word was written by another home.
public struct HomeID: Hashable, Sendable {
    private let path: String

    /// The id of the home with this data folder.
    public init(in data: String) { path = Self.path(in: data) }

    package static func path(in data: String) -> String { data + "/home-id" }

    /// The present id, then the former ones.
    public var all: [String] { known.ids }

    public var current: String { all[0] }

    private var known: State {
        let state = read()
        return state.isHere ? state : change { $0 }
    }

    /// Makes a new id, since another home writes under `former`. If `former` is no longer the present id, a new one was made already.
    package func renew(from former: String) {
        change { $0.ids.first == former ? $0.renewed : $0 }
    }

    /// The word of this process. It is stored in the file first; if that fails, the last stored word is returned, or `nil` if
    /// there is none.
    package func writer() -> String? {
        var state = known
        let word = Self.given.withLock { given in
            if given[path] == nil { given[path] = Self.random() }
            return given[path]
        }
        guard let word else { return nil }
        if !state.has(word) { state = change { $0.has(word) ? $0 : $0.giving(word) } }
        return state.words.last { $0.hasPrefix(word) } ?? state.words.last
    }

    /// The key of one of this home's ids, which signs what is written under that id. Older homes had no keys, so a missing key of
    /// the present id is made now. `nil` if a former id has no key. Also `nil` if the new key cannot be stored, since signatures by
    /// a later key would look like somebody else's.
    package func key(of id: String) -> SigningKey? {
        if let key = known.keys[id] { return key }
        return change { state in
            var state = state
            if state.ids.first == id, state.keys[id] == nil { state.keys[id] = .random() }
            return state
        }.keys[id]
    }

    /// Returns whether `word`, found in something written under this home's id, belongs to another home: a copy of this home, the
    /// home that it was moved to, or its own state before a backup was restored. Words from before this home was moved here do not
    /// count: the home left behind will detect the conflict itself.
    package func isStrange(_ word: String) -> Bool {
        let known = known
        return !known.words.contains(word) && State.moves(of: word) >= known.moves
    }

    // MARK: - Moving

    /// The part of this file that goes into an archive of the home; whoever owns the archive can write in the home's name.
    package var archived: [UInt8] { Array(known.lines(at: nil).joined(separator: "\n").utf8) }

    /// Gives the home in this data folder, which has no catalogue yet, the `archived` identity. If `isMoved`, this is the same
    /// home from now on; otherwise it is a copy with a new id, and the archived ids become former ones.
    package func become(_ archived: [UInt8], isMoved: Bool) throws(SystemError) {
        var state = State(reading: String(decoding: archived, as: UTF8.self).split(whereSeparator: \.isWhitespace).map { String($0) })
        if isMoved { state.moves += 1 } else { state = state.renewed }
        // A command may have made an id in this folder already.
        let former = read()
        state.ids += former.ids.filter { !state.ids.contains($0) }
        state.keys.merge(former.keys) { own, _ in own }
        try Self.write(state.lines(at: Self.machinePlace(of: path)), to: path)
    }

    // MARK: - The file

    /// The contents of the file after its first two lines: the ids, the present one first; then, each with its own mark, the path
    /// that the ids are valid for, the words, the keys, and the number of times that the home was moved.
    private struct State: Equatable {
        var ids: [String] = []
        var words: [String] = []
        var keys: [String: SigningKey] = [:]
        var moves = 0
        var isHere = false
        /// True if the file exists but cannot be read now, so it must not be overwritten.
        var isUnreadable = false

        init(ids: [String] = [], keys: [String: SigningKey] = [:], isHere: Bool = false) {
            (self.ids, self.keys, self.isHere) = (ids, keys, isHere)
        }

        init(reading lines: [String]) {
            func marked(_ mark: String) -> [String] { lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) } }
            ids = lines.filter(HomeID.isID)
            words = marked(HomeID.wordMark)
            for text in marked(HomeID.keyMark) { keys[String(text.prefix(16))] = SigningKey(hex: String(text.dropFirst(17))) }
            moves = marked(HomeID.movesMark).compactMap { Int($0) }.max() ?? 0
        }

        /// A word ends with the number of moves before the word was made.
        static func moves(of word: String) -> Int { word.split(separator: "-").last.flatMap { Int($0) } ?? 0 }

        func has(_ word: String) -> Bool { words.contains("\(word)-\(moves)") }

        /// The state with a new id and key in addition to the former ones. It has no words, since nothing has been written under
        /// the new id yet.
        var renewed: State {
            let key = SigningKey.random()
            let id = key.verifier.name
            return State(ids: [id] + ids, keys: keys.merging([id: key]) { $1 }, isHere: true)
        }

        func giving(_ word: String) -> State {
            var state = self
            state.words.append("\(word)-\(moves)")
            return state
        }

        /// The lines of the file; `place` is the path that the ids are valid for.
        func lines(at place: String?) -> [String] {
            ids + (place.map { [HomeID.placeMark + $0] } ?? []) + words.map { HomeID.wordMark + $0 }
                + keys.sorted { $0.key < $1.key }.map { "\(HomeID.keyMark)\($0.key):\($0.value.secretHex)" }
                + (moves > 0 ? ["\(HomeID.movesMark)\(moves)"] : [])
        }
    }

    /// The states of homes whose disk cannot be written to; they last only for this process.
    private static let unkept = Mutex<[String: State]>([:])
    /// The states of files at the last successful reading or writing.
    private static let lastRead = Mutex<[String: State]>([:])
    /// The words of this process, by path.
    private static let given = Mutex<[String: String]>([:])

    private func read() -> State {
        guard let file = try? Descriptor.openFile(path, O_NOFOLLOW), let bytes = try? file.readAll(limit: Self.limit, path: path) else {
            var status = stat()
            let isThere = lstat(path, &status) == 0
            // A file that cannot be read for a moment counts as unchanged.
            let last = isThere ? Self.lastRead.withLock { $0[path] } : nil
            var state = last ?? Self.unkept.withLock { $0[path] } ?? State()
            state.isUnreadable = isThere
            return state
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map { String($0) }
        var state = State(reading: Array(lines.dropFirst(2)))
        let places = lines.filter { $0.hasPrefix(Self.placeMark) }.map { String($0.dropFirst(Self.placeMark.count)) }
        let isSameFile = Array(lines.prefix(2)) == Self.place(of: file.number)
        state.isHere = !state.ids.isEmpty && (isSameFile || Self.machinePlace(of: path).map { places == [$0] } ?? false)
        Self.lastRead.withLock { $0[path] = state.isHere ? state : nil }
        return state
    }

    /// Identifies a file by its inode number and time of birth. Any other file, even a copied or restored one, has different values.
    private static func place(of file: Int32) -> [String] {
        var status = stat()
        guard fstat(file, &status) == 0 else { return [] }
        return ["\(status.st_ino)", "\(woodshed_birth_time(file))"]
    }

    /// Identifies the path's folder on this machine; `nil` if the machine has no id. Some file systems renumber their files at
    /// each mount, so the file's own number does not always suffice.
    private static func machinePlace(of path: String) -> String? {
        guard let machine = try? AtomicFile.read("/etc/machine-id", limit: 100), machine.count > 30,
            let folder = realpath(Folder.parent(of: path), nil)
        else { return nil }
        defer { free(folder) }
        return SHA256.digest(of: machine + Array(String(cString: folder).utf8)).shortHex
    }

    /// Changes the contents of the file, first making an id if the home has none here. Returns the resulting state.
    @discardableResult
    private func change(_ change: (State) -> State) -> State {
        // Only one process changes the file at a time. If folders cannot be locked, the first process to make an id still wins.
        let folder = open(Folder.parent(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 { flock(folder, LOCK_EX) }
        defer { if folder >= 0 { close(folder) } }
        let former = read()
        let wanted = change(former.isHere ? former : former.renewed)
        guard wanted != former else { return former }
        do {
            guard !former.isUnreadable else { throw SystemError("read", path: path) }
            let lines = wanted.lines(at: Self.machinePlace(of: path))
            if try Self.write(lines, to: path, isFirst: former.ids.isEmpty && access(path, F_OK) != 0) {
                Self.lastRead.withLock { $0[path] = wanted }
                return wanted
            }
            let others = read()
            return others.isHere ? others : wanted
        } catch {
            // An id that cannot be stored must last for this process at least.
            guard wanted.ids != former.ids else { return former }
            Self.unkept.withLock { $0[path] = wanted }
            return wanted
        }
    }

    /// Writes the file and returns true; with `isFirst`, leaves an existing file unchanged and returns false.
    @discardableResult
    static func write(_ lines: [String], to path: String, isFirst: Bool = false) throws(SystemError) -> Bool {
        let file = try TemporaryFile.create(inFolderOf: path)
        let text = Array(((place(of: file.descriptor) + lines).joined(separator: "\n") + "\n").utf8)
        let written = text.withUnsafeBytes { bytes in Result { () throws(SystemError) in try file.write(bytes) } }
        try written.get()
        if isFirst { return try file.publishWhereFree(as: path) }
        try file.publish(as: path, durability: .synced)
        return true
    }

    /// The most bytes of the file, enough for the words of fifty years.
    private static let limit = 1 << 20
    private static let (placeMark, wordMark, keyMark, movesMark) = ("at:", "word:", "key:", "moves:")
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    /// A random id that belongs to no home; also used for other names that must be unique.
    package static func random() -> String { String((0..<16).map { _ in letters[Int.random(in: letters.indices)] }) }

    package static func isID(_ text: String) -> Bool { text.count == 16 && text.allSatisfy(letters.contains) }
}
