import ChartLinks
import Glibc
import Model
import Platform

/// The files that a connection works on, and whether they are still those under its path.
package final class FilesInUse {
    private unowned let database: Database
    private let path: String
    private var noted: DatabaseFiles
    /// What was in the file itself then, where only this connection writes to it.
    private var contents: Digest?
    /// Files that are not those, as was found out by reading them.
    private var others: DatabaseFiles?

    /// Notes the files of `database` as they are.
    package init(of database: Database) {
        self.database = database
        path = database.path
        noted = DatabaseFiles(of: path)
        contents = database.access == .readWrite ? database.digestOfFile : nil
    }

    /// Notes them anew, for the connection has written to the file.
    package func noteAgain() {
        noted = DatabaseFiles(of: path)
        contents = database.digestOfFile
    }

    /// Takes note of how long the log is by now, for the connection has written to it.
    package func followLog() { noted.followLog(of: path) }

    /// Whether the files under the path are those that were noted, as far as they were.
    ///
    /// Other rights, another owner, a further name or a new time change how the file looks and not what is in it; only where it
    /// looks different it is read.
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

    /// Whether the file under the path is the one that was noted, whatever became of what is in it.
    package var isSameFile: Bool { noted.isSameFile(as: DatabaseFiles(of: path)) }

    /// Whether the log beside that path is the one that was noted, with all that was in it.
    package var isSameLog: Bool { noted.isSameLog(as: DatabaseFiles(of: path)) }

    /// Whether what is in the file under the path is what the connection left there, in the same file or in another one.
    package var holdsWhatWasNoted: Bool {
        guard let contents else { return false }
        return contents == (isSameFile ? database.digestOfFile : try? ChartFile.digest(ofFileAt: path))
    }
}
