import JSON
import Model

/// Who came to a band last, for those that cannot list its place: whom a newcomer asks first, and where the others find a newcomer.
///
/// It is the one file that many write, so it is only a hint: whoever is not found through it any more writes it again.
public struct BandDoor: Hashable, Sendable {
    public private(set) var devices: [BandDevice]

    public init(devices: [BandDevice] = []) { self.devices = Array(devices.suffix(Self.mostDevices)) }

    public init(reading bytes: [UInt8]) throws(BandFault) {
        struct Form: Decodable { let devices: [String] }
        var seen: Set<BandDevice> = []
        self.init(
            devices: try BandText.decode(Form.self, bytes).devices.compactMap { BandDevice(checking: $0) }.filter {
                seen.insert($0).inserted
            })
    }

    /// Whoever came first goes when there are too many: by then many others know them.
    public func adding(_ device: BandDevice) -> BandDoor { BandDoor(devices: devices.filter { $0 != device } + [device]) }

    public var bytes: [UInt8] {
        let text: JSONText = ["format": .integer(BandText.format), "devices": .texts(devices.map(\.text))]
        return text.bytes(forBrowsers: false) + [0x0a]
    }

    /// More bytes are none.
    public static let limit = 1 << 16
    private static let mostDevices = 64
}
