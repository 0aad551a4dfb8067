import Glibc
public import Platform
import Testing

/// A program at a terminal, with a simulated user who reads and types: one of ours, or any program given by its absolute path.
@LoopActor
public final class TypedProgram {
    private let terminal: Descriptor
    private let home = TemporaryFolder()
    public let child: Child
    /// Everything that ever appeared on the screen.
    public private(set) var screen = ""

    public init(_ name: String, _ arguments: [String], environment: [String] = []) throws(SystemError) {
        terminal = try Descriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        var (unlocked, number) = (Int32(0), UInt32(0))
        guard ioctl(terminal.number, Self.setLock, &unlocked) == 0, ioctl(terminal.number, Self.getNumber, &number) == 0 else {
            throw SystemError("open a terminal")
        }
        let end = try Descriptor.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        child = try Child.startTied(
            name.hasPrefix("/") ? name : Program.folder + "/" + name, arguments: arguments,
            environment: ["PATH=/usr/bin:/bin", "HOME=" + home.path, "WOODSHED_ETC=" + home.path + "/etc", "TERM=dumb"] + environment,
            descriptors: [end.number, end.number, end.number])
    }

    /// TIOCSPTLCK and TIOCGPTN, macros that Swift does not import.
    private nonisolated static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    /// Types a line once `question` appears on the screen below the last answer.
    public func answer(_ question: String, _ line: String) async throws {
        try await waitUntil { self.sees(question) }
        screen += "\n"
        asked = screen.utf8.count
        let bytes = Array((line + "\n").utf8)
        try bytes.withUnsafeBytes { try terminal.write($0) }
    }

    /// Whether a text has appeared on the screen since the last answer.
    public func sees(_ text: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(terminal.number, &bytes, bytes.count)
            guard count > 0 else { break }
            screen += String(decoding: bytes[..<count], as: UTF8.self)
        }
        return String(decoding: screen.utf8.dropFirst(asked), as: UTF8.self).contains(text)
    }

    private var asked = 0
}
