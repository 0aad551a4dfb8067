import ChartLinks
import Glibc
import Model
import Platform

/// The files that a connection works on, and whether they are still the ones under its path.
package final class FilesInUse {
    private unowned let database: Database
    private let path: String
    private var noted: DatabaseFiles
    /// The digest of the file itself at that time, if only this connection writes to it.
    private var contents: Digest?
    /// Files that turned out, when they were read, not to be ours.
    private var others: DatabaseFiles?

    /// Notes the files of `database` as they are now.
    init(of database: Database) {
        self.database = database
        path = database.path
        noted = DatabaseFiles(of: path)
        contents = database.access == .readWrite ? database.digestOfFile : nil
    }

    /// Notes them again, since the connection has written to the file.
    func noteAgain() {
        noted = DatabaseFiles(of: path)
        contents = database.digestOfFile
    }

    /// Notes how long the log is by now, since the connection has written to it.
    func followLog() { noted.followLog(of: path) }

    /// Whether the files under the path are the ones that were noted, as far as they were.
    ///
    /// Other permissions, another owner, another hard link or a new time change the file's stamp but not its contents; so the file is
    /// read, but only if its stamp is different.
    package var areInPlace: Bool {
        let present = DatabaseFiles(of: path)
        if !noted.isUntouched(in: present) {
            guard noted.isSameFile(as: present), noted.isSameLog(as: present), noted.isSameIndex(as: present),
                others?.isUntouched(in: present) != true
            else { return false }
            guard holdsWhatWasNoted else {
                others = present
                return false
            }
        }
        noted = present
        return true
    }

    /// Whether the file under the path is the one that was noted, whatever happened to its contents.
    package var isSameFile: Bool { noted.isSameFile(as: DatabaseFiles(of: path)) }

    /// Whether the log next to that path is the one that was noted, with all that was in it.
    var isSameLog: Bool { noted.isSameLog(as: DatabaseFiles(of: path)) }

    /// Whether the file under the path holds what the connection left there, in the same file or in another one.
    var holdsWhatWasNoted: Bool {
        guard let contents else { return false }
        return contents == (isSameFile ? database.digestOfFile : try? ChartFile.digest(ofFileAt: path))
    }
}
