import CShims
import Glibc
import Platform
import Synchronization

/// The id by which the parts that this home writes are told from those of other homes: sixteen random characters.
///
/// It is made once, and holds only in the very file that it was written to. So no copy of a home, on this machine or another one, writes
/// into the files of its original: whoever finds the id in another file makes a new one. The former ones are kept behind it.
public struct HomeID: Hashable, Sendable {
    private let path: String

    /// The id of the home with this data folder.
    public init(in data: String) { path = data + "/home-id" }

    /// The id, and the former ones.
    public var all: [String] {
        let (ids, isHere) = read()
        return isHere ? ids : make(after: ids)
    }

    public var current: String { all[0] }

    /// Makes a new id, since somebody else writes under `former`; if that is the present one no more, this was done already.
    package func renew(from former: String) {
        let ids = all
        if ids[0] == former { _ = make(after: ids) }
    }

    /// The id that a file's name has as a part's does, under whatever name a program put it aside, what is before it in the path, and whether
    /// it is one of these.
    static func split(_ path: String, _ ids: [String]) -> (stem: String, id: String, isOurs: Bool)? {
        guard let end = path.ranges(of: ".marks").last?.lowerBound, let start = path[..<end].lastIndex(of: " ") else { return nil }
        let id = String(path[path.index(after: start)..<end])
        return isID(id) ? (String(path[...start]), id, ids.contains(id)) : nil
    }

    // MARK: - The file

    /// Ids of homes that cannot keep one, as on a disk that cannot be written to: they hold for as long as the process runs.
    private static let unkept = Mutex<[String: [String]]>([:])

    private func read() -> (ids: [String], isHere: Bool) {
        guard let file = try? Descriptor.openFile(path, O_NOFOLLOW), let bytes = try? file.readAll(limit: 1 << 16, path: path) else {
            let ids = Self.unkept.withLock { $0[path] ?? [] }
            return (ids, !ids.isEmpty)
        }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map { String($0) }
        let ids = words.dropFirst(2).filter(Self.isID)
        return (ids, !ids.isEmpty && Array(words.prefix(2)) == Self.place(of: file.number))
    }

    /// What no other file has, nor this one after it was copied or put back.
    private static func place(of file: Int32) -> [String] {
        var status = stat()
        guard fstat(file, &status) == 0 else { return [] }
        return ["\(status.st_ino)", "\(woodshed_birth_time(file))"]
    }

    private func make(after former: [String]) -> [String] {
        let ids = [Self.random()] + former.prefix(Self.mostFormer)
        do {
            // Another process may make the first one at the same time.
            if try Self.write(ids, to: path, isFirst: former.isEmpty && access(path, F_OK) != 0) { return ids }
            let others = read()
            return others.isHere ? others.ids : ids
        } catch {
            Self.unkept.withLock { $0[path] = ids }
            return ids
        }
    }

    /// Returns whether it was written: the first one is only where there is none.
    @discardableResult
    static func write(_ ids: [String], to path: String, isFirst: Bool = false) throws(SystemError) -> Bool {
        let file = try TemporaryFile.create(inFolderOf: path)
        let text = Array(((place(of: file.descriptor) + ids).joined(separator: "\n") + "\n").utf8)
        let written = text.withUnsafeBytes { bytes in Result { () throws(SystemError) in try file.write(bytes) } }
        try written.get()
        if isFirst { return try file.publishWhereFree(as: path) }
        try file.publish(as: path, durability: .synced)
        return true
    }

    private static let mostFormer = 50
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    /// A new one, of no home: what else needs a name that nothing else has.
    package static func random() -> String { String((0..<16).map { _ in letters[Int.random(in: letters.indices)] }) }

    private static func isID(_ text: String) -> Bool { text.count == 16 && text.allSatisfy(letters.contains) }
}
