import CShims
import Glibc
import Model

/// Calls a handler when the machine is short of memory, so that data which can be loaded again is released.
///
/// The kernel, or `$MEMORY_PRESSURE_WATCH`'s service, sends the reports; nothing is polled (https://systemd.io/MEMORY_PRESSURE/).
@LoopActor
public final class MemoryPressure {
    /// Whether the system can report that memory is short.
    public enum State: Hashable, Sendable, CustomStringConvertible {
        /// Reports come from this file.
        case watching(path: String)
        /// No reports can come, for this reason; everything works without them.
        case off(reason: String)

        public var description: String {
            switch self {
            case .watching(let path): "memory is released when \(path) says that it is short"
            case .off(let reason): "nothing reports when memory is short: \(reason)"
            }
        }
    }

    public private(set) var state = State.off(reason: "not watched yet")
    private let watch: String?
    private let write: String?
    private let cgroups: String
    private let cgroupRoot: String
    private var source: MemoryPressureSource?
    private var subscription: DescriptorWatch?

    /// Watches the file that `$MEMORY_PRESSURE_WATCH` and `$MEMORY_PRESSURE_WRITE` describe, or else the process's control group.
    public init(watch: String?, write: String?, cgroups: String = "/proc/self/cgroup", cgroupRoot: String = "/sys/fs/cgroup") {
        (self.watch, self.write, self.cgroups, self.cgroupRoot) = (watch, write, cgroups, cgroupRoot)
    }

    /// Calls `handler` on the loop whenever memory is short, at most every few seconds. Call `stop` before this object is released.
    public func start(_ handler: @escaping @LoopActor () -> Void) {
        stop()
        do throws(Trouble) {
            let source = try open()
            do throws(SystemError) {
                subscription = try Loop.shared.watch(source.descriptor.number, for: source.interest) { [weak self] readiness in
                    self?.receive(readiness, handler)
                }
            } catch {
                // Watching fails for files that are not the kernel's pressure files; they would never report anything.
                throw Trouble("\(source.path) cannot be watched")
            }
            state = .watching(path: source.path)
            self.source = source
        } catch {
            state = .off(reason: error.description)
        }
    }

    public func stop() {
        end(because: "not watched")
    }

    private func open() throws(Trouble) -> MemoryPressureSource {
        guard let watch, !watch.isEmpty else {
            guard let path = MemoryPressureSource.ownControlGroup(cgroups: cgroups, root: cgroupRoot) else {
                throw Trouble("this system has no control group for it")
            }
            return try MemoryPressureSource(path: path, trigger: MemoryPressureSource.usualTrigger)
        }
        guard watch != "/dev/null" else { throw Trouble("MEMORY_PRESSURE_WATCH turns it off") }
        guard watch.hasPrefix("/") else { throw Trouble("MEMORY_PRESSURE_WATCH is not an absolute path") }
        guard let trigger = Base64.decode(write ?? "") else {
            throw Trouble("MEMORY_PRESSURE_WRITE is not Base64")
        }
        return try MemoryPressureSource(path: watch, trigger: trigger)
    }

    private func receive(_ readiness: Readiness, _ handler: @LoopActor () -> Void) {
        guard let source else { return }
        switch source.receive(readiness) {
        case .nothing: break
        case .pressure: handler()
        case .end(let pressure):
            end(because: "\(source.path) was closed")
            if pressure { handler() }
        }
    }

    private func end(because reason: String) {
        if let subscription { Loop.shared.cancel(subscription) }
        subscription = nil
        source = nil
        state = .off(reason: reason)
    }
}

/// The open file that reports when memory is short: one of the kernel's pressure files, a pipe or a socket.
final class MemoryPressureSource: Sendable {
    enum News {
        case nothing
        case pressure
        /// No more reports can follow.
        case end(pressure: Bool)
    }

    let path: String
    let descriptor: Descriptor
    let interest: Readiness
    private let isPipe: Bool
    private let trigger: [UInt8]

    /// Reports when some task has waited for memory for a fifth of a second within two seconds: the values that systemd uses, and
    /// the shortest window that the kernel allows ordinary users. The kernel requires a final zero byte.
    static let usualTrigger = Array("some 200000 2000000\0".utf8)

    /// Opens `path` and writes the trigger, which requests reports from the other side.
    init(path: String, trigger: [UInt8]) throws(Trouble) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Trouble("\(SystemError("find", path: path))") }
        let type = status.st_mode & S_IFMT
        guard [S_IFREG, S_IFIFO, S_IFSOCK].contains(type) else {
            throw Trouble("\(path) is neither a kernel pressure file nor a pipe nor a socket")
        }
        do throws(SystemError) {
            // Open a pipe for writing as well, so that it does not end whenever its last writer closes it.
            descriptor =
                type == S_IFSOCK ? try Self.connect(path) : try Descriptor.open(path, O_RDWR | O_NONBLOCK | O_NOCTTY)
            // Use a single write: the kernel rejects a trigger in parts.
            guard trigger.isEmpty || write(descriptor.number, trigger, trigger.count) == trigger.count else {
                throw SystemError("write", path: path)
            }
        } catch {
            throw Trouble("\(error)")
        }
        interest = type == S_IFREG ? .priority : .read
        isPipe = type == S_IFIFO
        self.path = path
        self.trigger = trigger
    }

    func receive(_ readiness: Readiness) -> News {
        guard interest == .read else {
            // If the control group is gone, the kernel keeps reporting an error.
            if readiness.contains(.read) || readiness.contains(.write) { return .end(pressure: false) }
            return readiness.contains(.priority) ? .pressure : .nothing
        }
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor.number, &chunk, chunk.count)
            if count > 0 {
                // Keep just enough bytes to detect more than the trigger.
                if received.count <= trigger.count { received += chunk[..<count] }
            } else if count < 0, errno == EINTR {
                continue
            } else {
                // A pipe returns this process's own bytes if nobody else has read them.
                let isPressure = !received.isEmpty && !(isPipe && received == trigger)
                if count == 0 || errno != EAGAIN { return .end(pressure: isPressure) }
                return isPressure ? .pressure : .nothing
            }
        }
    }

    /// The pressure file of this process's control group, if the system has the unified hierarchy.
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

public enum ProcessMemory {
    /// Returns to the system memory that was freed but kept for reuse.
    public static func giveBack() { woodshed_give_memory_back() }
}
