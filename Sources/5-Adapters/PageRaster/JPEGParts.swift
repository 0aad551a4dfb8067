/// A JPEG as far as a PDF needs to know it. Its pixels are not decoded.
struct JPEGParts {
    private(set) var width = 0
    private(set) var height = 0
    /// How the picture must be turned and mirrored: Exif's number, from 1 to 8.
    private(set) var orientation = 1
    /// The picture without Exif, XMP, IPTC and remarks, and without data that cameras append. Because of its Exif, some programs would turn
    /// the picture once more, and Exif may reveal where the picture was taken.
    private(set) var bytes: [UInt8] = [0xFF, 0xD8]

    private static let restarts: ClosedRange<UInt8> = 0xD0...0xD7

    init(_ file: [UInt8]) throws(RasterFailure) {
        guard file.starts(with: [0xFF, 0xD8]) else { throw Self.damaged }
        var place = 2
        var hasPixels = false
        while true {
            let marker = try Self.marker(in: file, at: &place)
            if marker == 0xD9 { break }
            guard place + 2 <= file.count else { throw Self.cut }
            let end = place + Self.number(file, place)
            guard end >= place + 2 else { throw Self.damaged }
            guard end <= file.count else { throw Self.cut }
            let content = file[(place + 2)..<end]
            switch marker {
            case 0xE1, 0xED, 0xFE:
                if orientation == 1 { orientation = Self.orientation(content) }
                place = end
                continue
            case 0xC4: break
            case 0xC0...0xCF: try readFrame(content, marker)
            case 0xDA:
                guard width > 0 else { throw Self.damaged }
                hasPixels = true
            default: break
            }
            bytes += [0xFF, marker]
            bytes += file[place..<end]
            place = end
            guard marker == 0xDA else { continue }
            // After this segment, the pixels go on until the next marker.
            while place + 1 < file.count, !Self.isMarker(file[place], file[place + 1]) { place += 1 }
            guard place + 1 < file.count else { throw Self.cut }
            bytes += file[end..<place]
        }
        guard hasPixels else { throw Self.damaged }
        bytes += [0xFF, 0xD9]
    }

    /// Reads the size, and refuses pictures that PDF readers cannot decode, or would show in wrong colours.
    private mutating func readFrame(_ frame: ArraySlice<UInt8>, _ marker: UInt8) throws(RasterFailure) {
        let frame = Array(frame)
        guard frame.count >= 6, width == 0 else { throw Self.damaged }
        guard (0xC0...0xC2).contains(marker), frame[0] == 8 else {
            throw .drawing("it is a JPEG of a rare kind: lossless, arithmetic or with 12 bits; save it as a usual JPEG")
        }
        guard frame[5] == 1 || frame[5] == 3 else { throw .drawing("it is a JPEG in the colours of printers (CMYK); save it as RGB") }
        (height, width) = (Self.number(frame, 1), Self.number(frame, 3))
        guard width > 0, height > 0 else { throw Self.damaged }
    }

    /// Reads a marker, and moves `place` behind it.
    private static func marker(in file: [UInt8], at place: inout Int) throws(RasterFailure) -> UInt8 {
        while true {
            guard place + 1 < file.count else { throw cut }
            guard file[place] == 0xFF else { throw damaged }
            // Before a marker, there may be more bytes of 0xFF.
            while place < file.count, file[place] == 0xFF { place += 1 }
            guard place < file.count else { throw cut }
            place += 1
            // These markers stand alone, and mean nothing outside of the pixels.
            if restarts.contains(file[place - 1]) { continue }
            guard file[place - 1] > 1, file[place - 1] != 0xD8 else { throw damaged }
            return file[place - 1]
        }
    }

    /// Whether two bytes end the pixels. Among the pixels, 0xFF is followed by 0 or by the number of a restart marker.
    private static func isMarker(_ byte: UInt8, _ next: UInt8) -> Bool {
        byte == 0xFF && next != 0 && next != 0xFF && !restarts.contains(next)
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

    private static let cut = RasterFailure.drawing("the picture ends too early; copy it again")
    private static let damaged = RasterFailure.drawing("it is a damaged JPEG; copy it again, or save it anew")

    /// The orientation that Exif, which is a TIFF inside, states in its first table; 1 if it cannot be read.
    private static func orientation(_ segment: ArraySlice<UInt8>) -> Int {
        guard segment.starts(with: Array("Exif\0\0".utf8)) else { return 1 }
        let tiff = Array(segment.dropFirst(6))
        let isBigFirst = tiff.starts(with: Array("MM".utf8))
        guard isBigFirst || tiff.starts(with: Array("II".utf8)) else { return 1 }
        func number(_ place: Int, _ count: Int) -> Int? {
            guard place >= 0, place <= tiff.count - count else { return nil }
            return (0..<count).reduce(0) { $0 << 8 | Int(tiff[isBigFirst ? place + $1 : place + count - 1 - $1]) }
        }
        guard let table = number(4, 4), let entries = number(table, 2) else { return 1 }
        for entry in 0..<entries {
            guard let tag = number(table + 2 + 12 * entry, 2) else { break }
            if tag == 0x112, let value = number(table + 10 + 12 * entry, 2), (1...8).contains(value) { return value }
        }
        return 1
    }
}
