import CommandLine
import Glibc
import Platform

/// A file that a command is to write, under a name that the user typed: a typing mistake must not cost them anything.
struct OutputFile {
    /// What such files end in, as in `.png`.
    let ending: String
    /// The bytes that they begin with.
    let signature: [UInt8]

    static let png = OutputFile(ending: ".png", signature: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    static let pdf = OutputFile(ending: ".pdf", signature: Array("%PDF-".utf8))
    static let chordPro = OutputFile(ending: ".cho", signature: [])

    /// A name that was typed, as an absolute path; `nil` for '-', which means standard output.
    static func named(_ path: String?) -> String? { path?.hasSuffix("/-") == true ? nil : path }

    private var kind: String { ending.dropFirst().uppercased() }

    /// Refuses a name with another ending, and one that something else has already. An image can be made again, so that it may be replaced;
    /// a PDF may be the user's own.
    func check(_ target: String, mayReplace: Bool) throws(CommandFailure) {
        guard target.lowercased().hasSuffix(ending) else {
            throw CommandFailure(.usage, "'\(target)' does not end in \(ending); that is what is written, so name it so")
        }
        var status = stat()
        let folder = Folder.parent(of: target)
        guard stat(folder, &status) == 0 || errno != ENOENT else { throw CommandFailure(.failed, "there is no folder \(folder)") }
        // What is no plain file is not replaced anyway: a device is written to, and a folder refuses.
        guard stat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
        var start = [UInt8](repeating: 0, count: signature.count)
        let isSame =
            if let file = try? Descriptor.open(target, O_RDONLY) {
                Glibc.read(file.number, &start, start.count) == start.count && start == signature
            } else {
                false
            }
        guard isSame else {
            throw CommandFailure(.usage, "\(target) is there already and is not a \(kind), so it is left alone; choose another name for -o")
        }
        guard mayReplace else {
            throw CommandFailure(.usage, "\(target) is there already; --force replaces it, or choose another name with -o")
        }
    }
}
