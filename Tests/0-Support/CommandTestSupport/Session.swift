package import CommandLine
import Glibc
import Platform
package import TestSupport

/// A temporary home folder for one test, and the environment with which commands use it as their home.
package final class Session: Sendable {
    package let folder = TemporaryFolder()
    package let environment: Environment

    package init(_ variables: [String: String] = [:]) {
        environment = Environment(variables.merging(["HOME": folder.path + "/user"]) { given, _ in given })
    }

    /// Writes a file below the session's folder and returns its path.
    package func write(_ text: String, to name: String, mode: UInt32 = 0o600) throws -> String {
        let path = folder.path(name)
        try Folder.create(Folder.parent(of: path))
        try AtomicFile.write(text, to: path)
        chmod(path, mode)
        return path
    }
}
