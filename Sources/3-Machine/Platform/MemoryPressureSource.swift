import Glibc

/// The open file that reports when memory is short: one of the kernel's pressure files, a pipe or a socket.
final class MemoryPressureSource: Sendable {
    /// Why there is none.
    struct Unavailable: Error {
        let reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    /// The meaning of a wake-up.
    enum News {
        case nothing
        case pressure
        /// Nothing comes after this.
        case end(pressure: Bool)
    }

    let path: String
    let descriptor: Descriptor
    /// What to wait for.
    let interest: Readiness
    private let isPipe: Bool
    private let trigger: [UInt8]

    /// When something waited for memory for at least a fifth of a second within two seconds: this is what systemd sets, and the shortest
    /// window that the kernel allows ordinary users. The kernel takes the last byte as an end mark.
    static let usualTrigger = Array("some 200000 2000000\0".utf8)

    /// Opens `path` and tells the other side when to wake us.
    init(path: String, trigger: [UInt8]) throws(Unavailable) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Unavailable("\(SystemError("find", path: path))") }
        let type = status.st_mode & S_IFMT
        guard [S_IFREG, S_IFIFO, S_IFSOCK].contains(type) else {
            throw Unavailable("\(path) is neither a kernel pressure file nor a pipe nor a socket")
        }
        do throws(SystemError) {
            // A pipe is opened for writing as well, so that it does not end whenever its last writer goes away.
            descriptor =
                type == S_IFSOCK ? try Self.connect(path) : try Descriptor.open(path, O_RDWR | O_NONBLOCK | O_NOCTTY)
            // In a single write: the kernel does not accept a trigger in parts.
            guard trigger.isEmpty || write(descriptor.number, trigger, trigger.count) == trigger.count else {
                throw SystemError("write", path: path)
            }
        } catch {
            throw Unavailable("\(error)")
        }
        interest = type == S_IFREG ? .priority : .read
        isPipe = type == S_IFIFO
        self.path = path
        self.trigger = trigger
    }

    /// Finds out why we were woken.
    func hear(_ readiness: Readiness) -> News {
        guard interest == .read else {
            // The kernel reports a control group that is gone as an error, again and again.
            if readiness.contains(.read) || readiness.contains(.write) { return .end(pressure: false) }
            return readiness.contains(.priority) ? .pressure : .nothing
        }
        var heard: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor.number, &chunk, chunk.count)
            if count > 0 {
                // It does not matter how much came, only whether it is more than what we wrote ourselves.
                if heard.count <= trigger.count { heard += chunk[..<count] }
            } else if count < 0, errno == EINTR {
                continue
            } else {
                // A pipe gives us back what we wrote if nobody else has read it.
                let isPressure = !heard.isEmpty && !(isPipe && heard == trigger)
                if count == 0 || errno != EAGAIN { return .end(pressure: isPressure) }
                return isPressure ? .pressure : .nothing
            }
        }
    }

    /// The pressure file of the control group that this process is in, if the system has the unified hierarchy.
    static func ownControlGroup(cgroups: String, root: String) -> String? {
        guard let bytes = try? AtomicFile.read(cgroups, limit: 65536) else { return nil }
        let group = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3)
        guard let group else { return nil }
        let path = root + (group == "/" ? "" : group) + "/memory.pressure"
        return access(path, F_OK) == 0 ? path : nil
    }

    private static func connect(_ path: String) throws(SystemError) -> Descriptor {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw SystemError("connect to", path: path) }
        let descriptor = Descriptor(owning: number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError("connect to", path: path, code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw SystemError("connect to", path: path) }
        return descriptor
    }
}
