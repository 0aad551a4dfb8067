import JSON
public import Model

/// The latest newcomers to a band whose place cannot be listed. The next newcomer asks these devices first, and members find
/// newcomers here.
///
/// This is the only file that many devices write, and one device may overwrite another's entry. So the file is only a hint: a
/// device that can no longer be found through it adds itself again.
public struct BandDoor: Hashable, Sendable {
    public private(set) var devices: [BandDevice]

    public init(devices: [BandDevice] = []) { self.devices = Array(devices.suffix(Self.mostDevices)) }

    public init(reading bytes: [UInt8]) throws(Trouble) {
        struct Form: Decodable { let devices: [String] }
        var seen: Set<BandDevice> = []
        self.init(
            devices: try BandText.decode(Form.self, bytes).devices.compactMap { BandDevice(checking: $0) }.filter {
                seen.insert($0).inserted
            })
    }

    /// The door with this device as the latest. Beyond 64 devices, the earliest are dropped, since many others know them by then.
    public func adding(_ device: BandDevice) -> BandDoor { BandDoor(devices: devices.filter { $0 != device } + [device]) }

    public var bytes: [UInt8] {
        let text: JSONText = ["format": .integer(BandText.format), "devices": .texts(devices.map(\.text))]
        return text.bytes(forBrowsers: false) + [0x0a]
    }

    /// The most bytes of a door; a longer file is not a door.
    public static let limit = 1 << 16
    private static let mostDevices = 64
}
