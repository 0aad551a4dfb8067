import Glibc

/// A path as a socket address.
public struct UnixAddress {
    private var raw = sockaddr_un()

    /// How many bytes a path may have: the system's space for it, without the zero at its end.
    public static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// `nil` if the path is too long or empty.
    public init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= Self.longestPath, !bytes.contains(0) else { return nil }
        raw.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &raw.sun_path) { $0.copyBytes(from: bytes) }
    }

    /// Connects a socket; returns whether anybody listens there.
    public func connect(_ socket: Int32) -> Bool { call(Glibc.connect, socket) == 0 }

    /// Calls `bind` or `connect`.
    func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32) -> Int32 {
        withUnsafePointer(to: raw) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
