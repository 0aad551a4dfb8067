import Glibc
import Platform

/// Keeps the former version of a file that is replaced, so that a musician's text is never lost.
enum FormerFile {
    /// Gives a file that is about to be replaced a second name, the first unused one of `.old`, `.old.2` and so on. Returns the
    /// path with that name; `nil` if there is no file.
    static func keep(_ path: String) throws(SystemError) -> String? {
        for number in 1...1000 {
            let name = path + (number == 1 ? ".old" : ".old.\(number)")
            if link(path, name) == 0 { return name }
            if errno == ENOENT { return nil }
            guard errno == EEXIST else { break }
        }
        throw SystemError("keep the old file as \(path).old")
    }
}
