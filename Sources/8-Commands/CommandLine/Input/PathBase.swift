import Glibc

/// What a path written by the user is relative to.
package struct PathBase: Sendable {
    /// What `~` stands for.
    package let home: String
    /// The folder that relative paths start from; nil where a relative path would mean different files at different times.
    package let folder: String?

    package init(home: String, folder: String?) {
        self.home = home
        self.folder = folder
    }

    /// The folder that this process was started in.
    package static var currentFolder: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// The absolute path that `text` means, without a slash at its end.
    func resolve(_ text: String) throws(InputProblem) -> String {
        guard !text.isEmpty else { throw InputProblem("a path is expected") }
        guard !text.utf8.contains(0) else { throw InputProblem("a path cannot contain a null byte") }
        if text == "~" || text.hasPrefix("~/") { return Self.trimmed(home + text.dropFirst()) }
        if text.hasPrefix("~") { throw InputProblem("only '~/' is expanded, not another user's home; write the whole path") }
        if text.hasPrefix("/") { return Self.trimmed(text) }
        guard let folder else { throw InputProblem("a path must begin with '/' or '~/'") }
        return Self.trimmed(folder + "/" + text)
    }

    /// One slash between names, no "." as a name, no slash at the end.
    private static func trimmed(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
