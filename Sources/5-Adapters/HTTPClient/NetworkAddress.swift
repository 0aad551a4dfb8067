import Glibc

/// The IP address of a host, and whether it belongs to the internet or to a private network.
struct NetworkAddress: Hashable, Sendable {
    /// Four or sixteen bytes.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads an IP address as people write it, IPv6 also in brackets and with a zone; `nil` for a name.
    init?(_ text: String) {
        var text = text[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
        var four = in_addr()
        var sixteen = in6_addr()
        if inet_pton(AF_INET, String(text), &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, String(text), &sixteen) == 1 {
            bytes = withUnsafeBytes(of: sixteen) { Array($0) }
        } else {
            return nil
        }
    }

    /// Takes the IP address from a socket's address; `nil` for other families.
    init?(_ address: UnsafeRawPointer, family: Int32) {
        switch family {
        case AF_INET:
            bytes = withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6:
            bytes = withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default:
            return nil
        }
    }

    /// True if no host on the internet can have the address. Such an address belongs to this machine, its own or its provider's
    /// network, a multicast group, or no machine.
    var isPrivate: Bool { bytes.count == 4 ? Self.isPrivate(four: bytes[...]) : Self.isPrivate(sixteen: bytes) }

    private static func isPrivate(four: ArraySlice<UInt8>) -> Bool {
        let (first, second) = (four[four.startIndex], four[four.startIndex + 1])
        return switch first {
        case 0, 10, 127: true
        // Shared by the customers of a provider or an overlay network.
        case 100: (64...127).contains(second)
        case 169: second == 254
        case 172: (16...31).contains(second)
        case 192: second == 168
        // Multicast groups, reserved addresses, and broadcast.
        case 224...255: true
        default: false
        }
    }

    private static func isPrivate(sixteen: [UInt8]) -> Bool {
        let zeroes = sixteen.prefix { $0 == 0 }.count
        // Unspecified, loopback, and IPv4 addresses within IPv6: first those written as ::a.b.c.d, then those written as
        // ::ffff:a.b.c.d.
        if zeroes >= 12 { return isPrivate(four: sixteen[12...]) || zeroes >= 15 }
        if zeroes == 10, sixteen[10] == 0xff, sixteen[11] == 0xff { return isPrivate(four: sixteen[12...]) }
        // Addresses that contain an IPv4 address, to which a gateway somewhere passes the packets on: NAT64, then 6to4.
        if sixteen.starts(with: [0x00, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8)) { return isPrivate(four: sixteen[12...]) }
        if sixteen.starts(with: [0x20, 0x02]) { return isPrivate(four: sixteen[2..<6]) }
        return switch sixteen[0] {
        case 0xfc, 0xfd, 0xff: true
        // Link-local, and site-local, which was used before fc00::/7.
        case 0xfe: sixteen[1] >= 0x80
        default: false
        }
    }
}
