import Glibc
public import Model
import Platform
public import Sets

/// The lists of songs that people make and edit in browsers. Nothing else in the folders is ever written: only a new file, or one that still
/// has the bytes that were read.
extension SetFolders {
    /// Reads a list.
    public func list(at path: String) throws(Trouble) -> SetListFile {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try AtomicFile.read(try inside(path), limit: Self.longestList)
        } catch {
            throw Trouble(error.code == ENOENT ? .gone : .other, "\(error).")
        }
        let list = SetList(try SongFileText(bytes).text)
        guard !list.isCut else { throw Trouble("\(path) has more or longer lines than are read here. An editor can change it.") }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return SetListFile(name: SongTitle.withoutEnding(name), list, digest: SHA256.digest(of: bytes))
    }

    /// Writes a new list into the first folder, and returns its path. If something else has its name, a number is added.
    public func write(_ text: String, named name: SetName) throws(Trouble) -> String {
        guard let root = roots.first else { throw SetDraft.noFolder }
        guard !silent.contains(root) else { throw Trouble(.away, "\(root) does not answer. Save the set again once it does.") }
        guard access(root, F_OK) == 0 else {
            throw Trouble(.senseless(because: nil), "\(root) is not there. Connect its disk, or make the folder; then save the set again.")
        }
        do throws(SystemError) {
            for number in 1...Self.mostOfOneName {
                let path = (root == "/" ? "" : root) + "/" + name.text + (number == 1 ? "" : " \(number)") + ".txt"
                let file = try Self.file(text, for: path)
                if try file.publishWhereFree(as: path) { return path }
                // A browser that got no answer sends its list once more.
                if Self.digest(at: path) == SHA256.digest(of: Array(text.utf8)) { return path }
            }
        } catch {
            throw Self.trouble(error)
        }
        throw Trouble(.inTheWay, "\(root) has \(Self.mostOfOneName) lists called \(name.text). Choose another title.")
    }

    /// Writes a text in place of the list at `path` if its bytes have this digest; returns whether they have.
    public func write(_ text: String, to path: String, inPlaceOf digest: Digest) throws(Trouble) -> Bool {
        do throws(SystemError) {
            // A link stays a link: what it leads to is replaced.
            let real = try inside(path)
            var status = stat()
            guard stat(real, &status) == 0, Self.digest(at: real) == digest else { return false }
            let file = try Self.file(text, for: real)
            // Whoever could read and write the list still can.
            _ = fchmod(file.descriptor, status.st_mode & 0o777)
            return try file.publish(as: real, inPlaceOf: { Self.digest(at: $0) == digest })
        } catch {
            throw Self.trouble(error)
        }
    }

    /// Nobody has more sets of one name on one day.
    private static let mostOfOneName = 99

    /// The path without links; throws if it leads out of the folders.
    private func inside(_ path: String) throws(SystemError) -> String {
        let real = Folder.real(path)
        guard isInside(real) else { throw SystemError("open", path: path, code: ENOENT) }
        return real
    }

    private static func file(_ text: String, for path: String) throws(SystemError) -> TemporaryFile {
        // Others may use the folder, too: the mask of this process says who may read a new file.
        let file = try TemporaryFile.create(inFolderOf: path, mode: 0o666)
        let written: Result<Void, SystemError> = Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try file.write(bytes) }
        }
        try written.get()
        return file
    }

    private static func digest(at path: String) -> Digest? {
        (try? AtomicFile.read(path, limit: longestList)).map { SHA256.digest(of: $0) }
    }

    private static func trouble(_ error: SystemError) -> Trouble {
        error.isDiskFull ? Trouble(.noRoom, "\(error). Free some space, then save it again.") : Trouble("\(error).")
    }
}
