import Glibc
import Platform

/// The name in the viewer's addresses, such as `woodshed-2f….localhost`, which browsers resolve to this machine by themselves.
///
/// Browsers send a cookie to every port of a host, so one for 127.0.0.1 would also go to a port where another user of this machine
/// listens; a name that nobody can guess keeps it here. The name does not change, since browsers store their data under it, unless the
/// pages have to go to another port: then bookmarks and open tabs still ask at the former one, where somebody else listens now.
struct OwnName: Sendable {
    let host: String
    /// The port that the name goes with; `nil` if none was chosen for it yet.
    let port: UInt16?

    private static let file = "viewer-name"
    private static let start = "woodshed-"
    private static let ending = ".localhost"
    private static let digits = 24

    /// Reads the name from a folder, or makes one and stores it there.
    init(folder: String) throws(SystemError) {
        let path = folder + "/" + Self.file
        let kept = (try? AtomicFile.read(path, limit: 256)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = kept.split(separator: "\n", omittingEmptySubsequences: false)
        if let label = lines.first, Self.isName(label) {
            self.init(host: label + Self.ending, port: lines.count > 1 ? UInt16(lines[1]) : nil)
            return
        }
        self.init(port: nil)
        try Folder.create(folder)
        try keep(in: folder)
    }

    /// A new name.
    private init(port: UInt16?) {
        self.init(host: Self.start + Secret.random().revealed.prefix(Self.digits) + Self.ending, port: port)
    }

    private init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
    }

    /// The name for this port: another one if this name went with another port.
    func going(with port: UInt16) -> OwnName {
        self.port == nil ? OwnName(host: host, port: port) : self.port == port ? self : OwnName(port: port)
    }

    /// Stores the name, with its port on a second line.
    func keep(in folder: String) throws(SystemError) {
        let lines = [String(host.dropLast(Self.ending.count))] + [port.map { "\($0)" }].compactMap(\.self)
        try AtomicFile.write(lines.map { $0 + "\n" }.joined(), to: folder + "/" + Self.file, mode: 0o600)
    }

    private static func isName(_ text: Substring) -> Bool {
        guard text.hasPrefix(start) else { return false }
        let rest = text.utf8.dropFirst(start.utf8.count)
        return rest.count == digits
            && rest.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Keeps others from listening at this port of `::1`, where browsers try such a name first, for as long as the reservation exists.
    ///
    /// The socket is bound but does not listen: a browser that connects is refused and goes on to 127.0.0.1. `nil` if another
    /// program is there already. On a machine without IPv6, nobody can be there.
    static func reserve(port: UInt16) -> Reservation? {
        let number = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return Reservation(descriptor: nil) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
        }
        let reason = errno
        if code == 0 { return Reservation(descriptor: number) }
        close(number)
        return reason == EADDRINUSE ? nil : Reservation(descriptor: nil)
    }

    /// A port that is kept from others.
    final class Reservation: Sendable {
        private let descriptor: Int32?

        fileprivate init(descriptor: Int32?) {
            self.descriptor = descriptor
        }

        deinit {
            if let descriptor { close(descriptor) }
        }
    }
}
