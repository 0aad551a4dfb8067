import CDeflate
public import Model

/// A box of pixels, usually the smallest one around all ink in an image or a band.
struct PixelBox: Hashable {
    private(set) var columns = 0..<0
    private(set) var rows = 0..<0

    /// The box of an image without ink.
    static let none = PixelBox()

    private init() {}

    init(columns: Range<Int>, rows: Range<Int>) { (self.columns, self.rows) = (columns, rows) }

    /// The smallest box around all of these boxes; empty ones do not count.
    init(around boxes: [PixelBox]) {
        for box in boxes where !box.columns.isEmpty {
            guard !columns.isEmpty else {
                self = box
                continue
            }
            columns = min(columns.lowerBound, box.columns.lowerBound)..<max(columns.upperBound, box.columns.upperBound)
            rows = min(rows.lowerBound, box.rows.lowerBound)..<max(rows.upperBound, box.rows.upperBound)
        }
    }

    // MARK: - In a file

    /// The bytes that a box takes in a file.
    static let length = 8

    /// The box as four numbers of two bytes, which hold any position in our images.
    var bytes: [UInt8] {
        [columns.lowerBound, rows.lowerBound, columns.upperBound, rows.upperBound].flatMap {
            [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
        }
    }

    /// Reads the box from the first bytes. Fails if they are too few or not a box.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.length))
        guard bytes.count == Self.length else { return nil }
        let numbers = stride(from: 0, to: Self.length, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        guard numbers[0] <= numbers[2], numbers[1] <= numbers[3] else { return nil }
        columns = numbers[0]..<numbers[2]
        rows = numbers[1]..<numbers[3]
    }
}

extension PageInk {
    /// How many bytes from the beginning of a file are needed to find its ink, if the music is not wanted.
    public static let headLength = 24
    /// How many bytes from the beginning of a file are needed to find its music, too, if the file has any.
    public static let headLengthWithMusic = musicBegins + 12 + longestMusic
    /// The music follows the signature and the first chunk. In an all-white image, the palette is at that place, so no music is found.
    private static let musicBegins = 8 + 25
    private static let longestMusic = 12_288
    /// How many bytes from the end of a file are needed: those of the chunk with the two boxes and of the closing chunk.
    public static let tailLength = 12 + 2 * PixelBox.length + 12

    /// Reads the ink of one of our images from its first and last bytes, and the music if it is in them. Fails if the file does not
    /// state its ink.
    public init?(head: [UInt8], tail: [UInt8]) {
        guard head.count >= Self.headLength, tail.count == Self.tailLength else { return nil }
        func number(_ bytes: some Collection<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
        let content = 8..<8 + 2 * PixelBox.length
        let named = 4..<content.upperBound
        guard number(tail[..<4]) == content.count, tail[4..<8].elementsEqual(PNGWriter.inkChunk.utf8),
            tail[named].withUnsafeBytes({ libdeflate_crc32(0, $0.baseAddress, $0.count) })
                == number(tail[content.upperBound..<content.upperBound + 4])
        else { return nil }
        func box(_ bytes: some Collection<UInt8>) -> InkBox? {
            PixelBox(bytes).flatMap {
                InkBox(columns: $0.columns, rows: $0.rows, width: Int(number(head[16..<20])), height: Int(number(head[20..<24])))
            }
        }
        guard let all = box(tail[content]), let marks = box(tail[content].dropFirst(PixelBox.length)) else { return nil }
        self.init(all: all, marks: marks, music: Self.music(in: head))
    }

    private static func music(in head: [UInt8]) -> PageMusic? {
        let part = head.dropFirst(musicBegins)
        guard part.count > 12 else { return nil }
        let length = part.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let named = part.dropFirst(4).prefix(4 + length)
        let sum = part.dropFirst(8 + length).prefix(4)
        guard length <= longestMusic, sum.count == 4, named.prefix(4).elementsEqual(PNGWriter.musicChunk.utf8),
            named.withUnsafeBytes({ libdeflate_crc32(0, $0.baseAddress, $0.count) }) == sum.reduce(0, { $0 << 8 | UInt32($1) })
        else { return nil }
        return PageMusic(named.dropFirst(4))
    }
}
