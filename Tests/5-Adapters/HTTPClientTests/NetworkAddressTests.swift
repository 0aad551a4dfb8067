import TestSupport
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(5)))
struct NetworkAddressTests {
    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.168.0.1", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255",
        "::", "::1", "[::1]", "fe80::1", "fe80::1%2", "febf::1", "fec0::1", "fc00::1", "fdff::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:192.168.1.1", "::ffff:10.0.0.1", "::127.0.0.1", "::2", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1",
        "2002:7f00:1::", "2002:c0a8:101::1",
    ])
    func nobodysOnTheInternet(text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPrivate)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.0.0.1", "128.0.0.1", "169.253.0.1", "169.255.0.1",
        "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "223.255.255.255", "2606:4700::1111", "2a00::1",
        "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::1",
    ])
    func onTheInternet(text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPrivate == false)
    }

    @Test(arguments: ["localhost", "", "1.2.3", "1.2.3.4.5", "files.example.net", "[::1", "0x7f.1"])
    func aNameIsNoNumber(text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    /// States the ranges a second time, as masks over whole numbers.
    @Test func everyFourByteNumberIsJudgedByTheRanges() {
        let ranges: [(UInt32, UInt32)] = [
            (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12),
            (0xc0a8_0000, 16),
            (0xe000_0000, 3),
        ]
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            // About half of the numbers are near an end of a range.
            var number = UInt32.random(in: 0...UInt32.max, using: &random)
            if Bool.random(using: &random), let range = ranges.randomElement(using: &random) {
                let end = Bool.random(using: &random) ? range.0 : range.0 &+ UInt32(truncatingIfNeeded: UInt64(1) << (32 - range.1))
                number = end &+ UInt32.random(in: 0...4, using: &random) &- 2
            }
            let expected = ranges.contains { number >> (32 - $0.1) == $0.0 >> (32 - $0.1) }
            let four = withUnsafeBytes(of: number.bigEndian) { Array($0) }
            #expect(NetworkAddress(bytes: four).isPrivate == expected, "\(four)")
            let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + four
            #expect(NetworkAddress(bytes: mapped).isPrivate == expected, "\(mapped)")
        }
    }

    @Test func aProxyIsFoundAsTheEnvironmentNamesIt() {
        func isNamed(_ scheme: String, _ variables: [String: String]) -> Bool { Proxy(for: scheme) { variables[$0] } != nil }
        #expect(!isNamed("https", [:]))
        #expect(isNamed("https", ["https_proxy": "http://proxy:3128"]))
        #expect(isNamed("https", ["HTTPS_PROXY": "http://proxy:3128"]))
        #expect(isNamed("https", ["ALL_PROXY": "socks5h://proxy"]))
        #expect(!isNamed("https", ["http_proxy": "http://proxy:3128", "https_proxy": ""]))
        #expect(!isNamed("http", ["HTTP_PROXY": "http://proxy:3128"]))
        #expect(!isNamed("https", ["https_proxy": "http://proxy:3128", "no_proxy": "*"]))
    }
}
