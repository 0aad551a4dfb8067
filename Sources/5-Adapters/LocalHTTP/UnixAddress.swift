import Glibc

/// A path as a socket address; one that begins with "@" is a name that only the kernel knows, and no file.
public struct UnixAddress {
    private var raw = sockaddr_un()
    private let length: socklen_t

    /// How many bytes a path may have: the system's space for it, without the zero at its end.
    public static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// `nil` if the path is too long or empty.
    public init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= Self.longestPath, !bytes.contains(0) else { return nil }
        raw.sun_family = sa_family_t(AF_UNIX)
        let isName = bytes[0] == UInt8(ascii: "@")
        withUnsafeMutableBytes(of: &raw.sun_path) { $0.copyBytes(from: isName ? [0] + bytes.dropFirst() : bytes) }
        // A name goes on to the end of its address, zeros and all.
        length = socklen_t(isName ? MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count : MemoryLayout<sockaddr_un>.size)
    }

    /// Connects a socket; returns whether anybody listens there.
    public func connect(_ socket: Int32) -> Bool { call(Glibc.connect, socket) == 0 }

    /// Sends a datagram; whoever does not take it at once, or within what the socket waits for, misses it.
    public func send(_ bytes: [UInt8], from socket: Int32, waits: Bool) {
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        _ = call({ sendto($0, bytes, bytes.count, flags, $1, $2) < 0 ? -1 : 0 }, socket)
    }

    /// Calls `bind` or `connect`.
    func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32) -> Int32 {
        withUnsafePointer(to: raw) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(socket, $0, length)
            }
        }
    }
}
