import CShims
import Glibc
package import Model
package import Platform
import Synchronization

/// Who this home is: the id by which the parts that it writes are told from those of other homes, sixteen characters; the key that is behind
/// that name; and the words by which it knows again what it wrote.
///
/// The id is made once, and holds only for the very file that it was written to, or at the very place of this machine where that was. So no
/// copy of a home writes into the files of its original: whoever finds the id in another file makes a new one. The former ones are kept.
///
/// A copy that cannot be told by that, as an image of a disk, writes as the same home. But each process that writes has a word of its own,
/// which it keeps here before it is used: what was written under this home's id with a word that is not here, another home wrote.
public struct HomeID: Hashable, Sendable {
    private let path: String

    /// The id of the home with this data folder.
    public init(in data: String) { path = Self.path(in: data) }

    package static func path(in data: String) -> String { data + "/home-id" }

    /// The id, and the former ones.
    public var all: [String] { known.ids }

    public var current: String { all[0] }

    private var known: State {
        let state = read()
        return state.isHere ? state : change { $0 }
    }

    /// Makes a new id, since somebody else writes under `former`; if that is the present one no more, this was done already.
    package func renew(from former: String) {
        change { $0.ids.first == former ? $0.renewed : $0 }
    }

    /// The word of this process, which is kept here now. Where it cannot be, it is one that is, if any is.
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

    /// The key of one of its ids, which signs what it says under it. A home of before had none: for its present id, one is made now. `nil`
    /// where it cannot be kept: others would take whatever is signed with the next one for somebody else's.
    package func key(of id: String) -> SigningKey? {
        if let key = known.keys[id] { return key }
        return change { state in
            var state = state
            if state.ids.first == id, state.keys[id] == nil { state.keys[id] = .random() }
            return state
        }.keys[id]
    }

    /// Whether that word, in something that was written under this home's id, is of another home: a copy of this one, the one that it was
    /// moved to, or itself before it was put back. What is still written by one that it was moved from is that one's affair: it finds out.
    package func isStrange(_ word: String) -> Bool {
        let known = known
        return !known.words.contains(word) && State.moves(of: word) >= known.moves
    }

    // MARK: - Moving

    /// What an archive of this home has of it: whoever has that can speak for it.
    package var archived: [UInt8] { Array(known.lines(at: nil).joined(separator: "\n").utf8) }

    /// Makes the home in this data folder, which has no catalogue yet, the one that was `archived`: the very same, which was moved here; or a copy,
    /// which knows what it was before.
    package func become(_ archived: [UInt8], isMoved: Bool) throws(SystemError) {
        var state = State(reading: String(decoding: archived, as: UTF8.self).split(whereSeparator: \.isWhitespace).map { String($0) })
        if isMoved { state.moves += 1 } else { state = state.renewed }
        // A command may have asked for an id already.
        let former = read()
        state.ids += former.ids.filter { !state.ids.contains($0) }
        state.keys.merge(former.keys) { own, _ in own }
        try Self.write(state.lines(at: Self.machinePlace(of: path)), to: path)
    }

    // MARK: - The file

    /// What the file says: the ids, the present one first; and with a mark before each, its place, the words, the keys, and how often the
    /// home was moved.
    private struct State: Equatable {
        var ids: [String] = []
        var words: [String] = []
        var keys: [String: SigningKey] = [:]
        var moves = 0
        var isHere = false
        /// Whether there is a file that cannot be read now: then it is not written over.
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

        /// A word says after how many moves it was given.
        static func moves(of word: String) -> Int { word.split(separator: "-").last.flatMap { Int($0) } ?? 0 }

        func has(_ word: String) -> Bool { words.contains("\(word)-\(moves)") }

        /// Whatever was written under the former id is nothing to be known again.
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

        /// Its lines in the file.
        func lines(at place: String?) -> [String] {
            ids + (place.map { [HomeID.placeMark + $0] } ?? []) + words.map { HomeID.wordMark + $0 }
                + keys.sorted { $0.key < $1.key }.map { "\(HomeID.keyMark)\($0.key):\($0.value.secretHex)" }
                + (moves > 0 ? ["\(HomeID.movesMark)\(moves)"] : [])
        }
    }

    /// The states of homes that cannot keep one, as on a disk that cannot be written to: they hold for as long as the process runs.
    private static let unkept = Mutex<[String: State]>([:])
    /// The states that files had when they could be read or written last.
    private static let lastRead = Mutex<[String: State]>([:])
    /// The words of this process.
    private static let given = Mutex<[String: String]>([:])

    private func read() -> State {
        guard let file = try? Descriptor.openFile(path, O_NOFOLLOW), let bytes = try? file.readAll(limit: Self.limit, path: path) else {
            var status = stat()
            let isThere = lstat(path, &status) == 0
            // A file that cannot be read for a moment still says what it said.
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

    /// What no other file has, nor this one after it was copied or put back.
    private static func place(of file: Int32) -> [String] {
        var status = stat()
        guard fstat(file, &status) == 0 else { return [] }
        return ["\(status.st_ino)", "\(woodshed_birth_time(file))"]
    }

    /// What no other path has, nor this one on another machine; `nil` if this machine has no name. There are file systems that number their
    /// files anew each time.
    private static func machinePlace(of path: String) -> String? {
        guard let machine = try? AtomicFile.read("/etc/machine-id", limit: 100), machine.count > 30,
            let folder = realpath(Folder.parent(of: path), nil)
        else { return nil }
        defer { free(folder) }
        return SHA256.digest(of: machine + Array(String(cString: folder).utf8)).shortHex
    }

    /// Changes what the file says. A home that has no id here gets one. Returns what holds then.
    @discardableResult
    private func change(_ change: (State) -> State) -> State {
        // One process at a time. Where folders cannot be locked, the first one that makes an id still is the only one.
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
            // Of what it could not keep, an id has to hold somehow.
            guard wanted.ids != former.ids else { return former }
            Self.unkept.withLock { $0[path] = wanted }
            return wanted
        }
    }

    /// Returns whether it was written: the first one is only where there is none.
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

    /// Enough for the words of fifty years.
    private static let limit = 1 << 20
    private static let (placeMark, wordMark, keyMark, movesMark) = ("at:", "word:", "key:", "moves:")
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    /// A new one, of no home: what else needs a name that nothing else has.
    package static func random() -> String { String((0..<16).map { _ in letters[Int.random(in: letters.indices)] }) }

    package static func isID(_ text: String) -> Bool { text.count == 16 && text.allSatisfy(letters.contains) }
}
