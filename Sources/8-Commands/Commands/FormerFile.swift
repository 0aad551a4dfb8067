import Glibc
import Platform

/// What was there before a file was replaced. Nothing that a musician wrote is ever gone.
enum FormerFile {
    /// Gives a file that is about to be replaced a second name, which nothing has; answers that, `nil` if there is no file.
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
