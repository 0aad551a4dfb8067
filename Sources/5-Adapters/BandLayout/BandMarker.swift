import JSON
public import Model

/// The file at the top of a band's place that names the band.
public struct BandMarker: Hashable, Sendable {
    public let id: BandDevice
    public let name: String

    public init(id: BandDevice, name: String) { (self.id, self.name) = (id, BandText.name(name)) }

    public init(reading bytes: [UInt8]) throws(Trouble) {
        struct Form: Decodable {
            let id: String
            let name: String
        }
        let form = try BandText.decode(Form.self, bytes)
        guard let id = BandDevice(checking: form.id) else { throw .malformed("its “id” is not sixteen small letters and digits") }
        self.init(id: id, name: form.name)
    }

    public var bytes: [UInt8] {
        let text: JSONText = ["format": .integer(BandText.format), "id": .text(id.text), "name": .text(name)]
        return text.bytes(forBrowsers: false) + [0x0a]
    }

    /// The most bytes of a marker; a longer file is not a marker.
    public static let limit = 1 << 16
}

extension Trouble {
    /// The trouble with a file of which only a part has arrived. The sentence follows the file's name.
    static let torn = Trouble("has not arrived whole")

    static func malformed(_ what: String) -> Trouble { Trouble("cannot be read: \(what)") }
}

/// The format that a band's marker, door and heads share.
enum BandText {
    static let format = 1

    private struct Version: Decodable { let format: Int }

    static func decode<Form: Decodable>(_ form: Form.Type, _ bytes: [UInt8]) throws(Trouble) -> Form {
        do {
            let value = try JSONReader.whole(bytes, limits: JSONLimits(depth: 8, values: 400_000))
            let version = try value.decoded(as: Version.self).format
            guard version >= Self.format else { throw Trouble.malformed("there is no format \(version)") }
            guard version == Self.format else {
                throw Trouble("was written by a newer woodshed (format \(version)); update yours")
            }
            return try value.decoded(as: form)
        } catch let fault as Trouble {
            throw fault
        } catch let fault as JSONFault {
            throw fault.reason == .unfinished ? .torn : .malformed("\(fault)")
        } catch {
            throw .malformed("a value is missing or has the wrong type")
        }
    }

    /// Makes a name that somebody else chose fit to show: on one line, and short.
    static func name(_ text: String) -> String { text.asShownLine() }
}
