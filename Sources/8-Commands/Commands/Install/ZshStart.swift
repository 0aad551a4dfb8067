import CommandLine
import Glibc
import Model
import Platform

/// Makes zsh find the completion. Zsh searches a user's folder only if the file that it reads at its start names that folder.
struct ZshStart {
    /// The user's file, `.zshrc`. Our line is added only at the file's end, and only if the file exists.
    private let path: String
    private let line: String
    private let isUsed: Bool

    private static let mark = "# by 'woodshed install --user'"
    private static let limit = 1 << 22

    init(_ environment: Environment, functions: String) {
        path = (environment.folder("ZDOTDIR") ?? environment.home) + "/.zshrc"
        isUsed = environment["SHELL"]?.hasSuffix("/zsh") ?? false
        // This line works both before and after the line in the user's file that starts the completions.
        let quoted = functions.shellQuoted
        line = "fpath+=(\(quoted)); if (( $+functions[compdef] )); then autoload -Uz _woodshed && compdef _woodshed woodshed; fi"
    }

    /// Adds our line unless the file has it already. Returns a note for the user; `nil` if the line was there, or there is no file
    /// and the user's shell is not zsh.
    func add() -> String? {
        guard let bytes = try? AtomicFile.read(path, limit: Self.limit) else {
            return access(path, F_OK) == 0 || isUsed ? "For zsh to complete it, add this to \(path):\n  \(line)" : nil
        }
        guard !Self.lines(bytes).contains(where: Self.isOurs) else { return nil }
        let text = (bytes.last.map { $0 == 0x0A } ?? true ? "" : "\n") + line + "  " + Self.mark + "\n"
        do throws(SystemError) {
            let file = try Descriptor.open(path, O_WRONLY | O_APPEND)
            do {
                try Array(text.utf8).withUnsafeBytes { try file.write($0, path: path) }
            } catch {
                throw error as? SystemError ?? SystemError("write", path: path, code: EIO)
            }
            return "One line at the end of \(path) has zsh complete it from its next start on; --remove takes it out again."
        } catch {
            return "For zsh to complete it, add this to \(path) (\(error)):\n  \(line)"
        }
    }

    /// Removes every line that ends with our mark.
    func remove() throws(SystemError) {
        guard let bytes = try? AtomicFile.read(path, limit: Self.limit) else { return }
        let lines = Self.lines(bytes)
        let rest = lines.filter { !Self.isOurs($0) }
        guard rest.count < lines.count else { return }
        // If the file is a link, keep the link and write to its target.
        let real = Folder.real(path)
        var status = stat()
        guard stat(real, &status) == 0 else { throw SystemError("read", path: real) }
        let text = Array(rest.joined(separator: [0x0A]))
        do {
            try text.withUnsafeBytes { try AtomicFile.write($0, to: real, mode: status.st_mode & 0o777) }
        } catch {
            throw error as? SystemError ?? SystemError("write", path: real, code: EIO)
        }
    }

    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] { bytes.split(separator: 0x0A, omittingEmptySubsequences: false) }

    private static func isOurs(_ line: ArraySlice<UInt8>) -> Bool { line.suffix(mark.utf8.count).elementsEqual(mark.utf8) }
}
