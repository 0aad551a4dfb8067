import CDeflate
import CPixels
public import Model

/// One of our PNG files, for reading its bands. The bytes are not copied, so they must outlive this value.
public struct BandedPNG {
    public let layout: ImageLayout
    /// The key of the image, as stored in the file.
    public let key: ImageKey
    /// The Adler-32 of each band before compression.
    let sums: [UInt32]
    /// The box around the ink in each band; `nil` if the file does not state it.
    let ink: [PixelBox]?
    private let bytes: UnsafeRawBufferPointer
    /// The complete chunk of each band: length, name, content and checksum.
    private let chunks: [Range<Int>]
    /// The content of the chunk with the page's music; empty if there is none.
    private let musicPlace: Range<Int>

    /// Finds the bands. Fails unless the file has the structure that `PNGWriter` gives it.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 8, bytes[..<8].elementsEqual(PNGWriter.signature) else { return nil }
        var parts: [(name: UInt32, whole: Range<Int>)] = []
        var place = 8
        while place + 12 <= bytes.count {
            let length = Int(Self.number(bytes, place))
            guard length <= bytes.count - place - 12 else { return nil }
            parts.append((Self.number(bytes, place + 4), place..<place + 12 + length))
            place += 12 + length
        }
        guard place == bytes.count, parts.count >= 6 else { return nil }
        let last = parts.count - 1
        let isWhite = parts[1].name == Self.name("PLTE")
        let musicPart = isWhite ? 2 : 1
        let hasMusic = parts[musicPart].name == Self.name(PNGWriter.musicChunk)
        let firstData = hasMusic ? musicPart + 1 : musicPart
        let statesInk = parts[last - 1].name == Self.name(PNGWriter.inkChunk)
        let keyPart = statesInk ? last - 2 : last - 1
        guard firstData < keyPart else { return nil }
        let data = parts[firstData..<keyPart]
        guard parts[0].name == Self.name("IHDR"), parts[last].name == Self.name("IEND"),
            parts[keyPart].name == Self.name(PNGWriter.keyChunk),
            data.allSatisfy({ $0.name == Self.name("IDAT") }),
            // The bands are most of the file, so each band is checked only when it is used.
            (Array(0...firstData) + (keyPart - 1...last)).allSatisfy({ Self.isSound(bytes, parts[$0].whole) })
        else { return nil }
        let header = parts[0].whole
        let keyContent = Self.content(parts[keyPart].whole)
        let bandCount = data.count - 2
        let keyLength = 68 + 4 * bandCount + (statesInk ? PixelBox.length * bandCount : 0)
        let form = Array(bytes[header.lowerBound + 16..<header.lowerBound + 18])
        guard header.count == 25, isWhite ? form == PNGWriter.whiteForm : form == [8, 0] || form == [8, 2],
            !isWhite || bytes[Self.content(parts[1].whole)].elementsEqual(PNGWriter.white),
            bandCount > 0, keyContent.count == keyLength,
            let digest = Digest(hex: String(decoding: bytes[keyContent.prefix(64)], as: UTF8.self))
        else { return nil }
        let width = Int(Self.number(bytes, header.lowerBound + 8))
        let height = Int(Self.number(bytes, header.lowerBound + 12))
        let bandHeight = Int(Self.number(bytes, keyContent.lowerBound + 64))
        guard (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height), (1...Self.longestSide).contains(bandHeight)
        else { return nil }
        layout = ImageLayout(
            width: width, height: height, isGray: isWhite || form[1] == 0, isWhite: isWhite, bandHeight: bandHeight)
        guard layout.bandCount == bandCount else { return nil }
        if statesInk {
            let bands = bytes[keyContent.dropFirst(68 + 4 * bandCount)]
            let ink = (0..<bandCount).compactMap { PixelBox(bands.dropFirst($0 * PixelBox.length)) }
            let boxes = bytes[Self.content(parts[last - 1].whole)]
            guard ink.count == bandCount, boxes.count == 2 * PixelBox.length, boxes.starts(with: PixelBox(around: ink).bytes)
            else { return nil }
            self.ink = ink
        } else {
            ink = nil
        }
        key = ImageKey(digest)
        sums = (0..<bandCount).map { Self.number(bytes, keyContent.lowerBound + 68 + 4 * $0) }
        chunks = data.dropFirst().dropLast().map(\.whole)
        musicPlace = hasMusic ? Self.content(parts[musicPart].whole) : 0..<0
        self.bytes = bytes
    }

    /// Reads an image and checks every byte. Fails unless the file is exactly as `PNGWriter` writes it.
    ///
    /// All bands are unpacked into `rows`, one after the other, without reverting their filters.
    public init?(whole bytes: UnsafeRawBufferPointer, unpackingInto rows: PackedRows) {
        self.init(bytes)
        for band in 0..<layout.bandCount {
            rows.prepare(layout, band: band)
            guard isSound(band), decompress(band, into: rows) else { return nil }
        }
        // The lengths of all parts before and after the bands are known by now, which gives the positions of the compressed stream's two
        // ends.
        let music = musicPlace.isEmpty ? 0 : 12 + musicPlace.count
        let head = 8 + 25 + (layout.isWhite ? 12 + PNGWriter.white.count : 0) + music + 8
        let ink = statesInk ? PixelBox.length * layout.bandCount + 12 + 2 * PixelBox.length : 0
        let tail = bytes.count - 12 - ink - (12 + 68 + 4 * layout.bandCount) - 10
        guard bytes[head..<head + 2].elementsEqual(PNGWriter.streamHead), bytes[tail..<tail + 2].elementsEqual(PNGWriter.streamEnd),
            Self.number(bytes, tail + 2) == layout.checksum(ofBands: sums)
        else { return nil }
    }

    /// Whether the file states where its ink is. Files of an earlier version do not.
    public var statesInk: Bool { ink != nil }

    /// The content of the file's chunk with the page's music; empty if there is none, as in files of an earlier version.
    public var music: [UInt8] { Array(bytes[musicPlace]) }

    /// The greatest length of a side of our images.
    private static let longestSide = 32767

    /// Whether a band's bytes are intact.
    public func isSound(_ band: Int) -> Bool { Self.isSound(bytes, chunks[band]) }

    /// Unpacks a band into rows of the same layout, or of the same layout in colour. Returns whether the band was intact.
    public func unpack(_ band: Int, into rows: PackedRows) -> Bool {
        guard decompress(band, into: rows) else { return false }
        for y in layout.rows(ofBand: band) {
            let row = rows.row(y)
            // The first row of a band was filtered without the row above, so that row is not used, and any row can be passed here.
            let above = y > layout.rows(ofBand: band).lowerBound ? rows.row(y - 1) : row
            woodshed_unfilter(Int32(row[0]), row + 1, above + 1, layout.rowBytes - 1, layout.channels)
            row[0] = 0
        }
        rows.narrow(band)
        return true
    }

    /// Decompresses a band into rows, without reverting the filter. Returns whether the band was intact.
    func decompress(_ band: Int, into rows: PackedRows) -> Bool {
        rows.lay(out: band, as: layout.isWhite ? layout.inGray : layout)
        guard let decompressor = libdeflate_alloc_decompressor() else { return false }
        defer { libdeflate_free_decompressor(decompressor) }
        let content = Self.content(chunks[band])
        let range = layout.rows(ofBand: band)
        let expected = layout.bytes(ofBand: band)
        let target = rows.row(range.lowerBound)
        // A band does not end the compressed stream. With an end appended, it is a stream of its own.
        let isWhole = withUnsafeTemporaryAllocation(byteCount: content.count + 2, alignment: 1) { stream in
            stream.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[content]))
            stream[content.count] = PNGWriter.streamEnd[0]
            stream[content.count + 1] = PNGWriter.streamEnd[1]
            var written = 0
            return libdeflate_deflate_decompress(decompressor, stream.baseAddress, stream.count, target, expected, &written)
                == LIBDEFLATE_SUCCESS && written == expected
        }
        guard isWhole, libdeflate_adler32(1, target, expected) == sums[band] else { return false }
        if layout.isWhite { return fill(band, of: rows, ifWhite: target) }
        return range.allSatisfy { y in
            rows.row(y)[0] <= (y == range.lowerBound ? WOODSHED_FILTER_SUB : WOODSHED_FILTER_PAETH)
        }
    }

    /// Makes gray rows from a band with one bit for each pixel. Returns `false` unless all pixels are white.
    private func fill(_ band: Int, of rows: PackedRows, ifWhite bits: UnsafePointer<UInt8>) -> Bool {
        guard (0..<layout.bytes(ofBand: band)).allSatisfy({ bits[$0] == 0 }) else { return false }
        for y in layout.rows(ofBand: band) {
            rows.row(y)[0] = 0
            (rows.row(y) + 1).update(repeating: 0xff, count: layout.width)
        }
        return true
    }

    func chunk(ofBand band: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[chunks[band]]) }

    private static func isSound(_ bytes: UnsafeRawBufferPointer, _ chunk: Range<Int>) -> Bool {
        libdeflate_crc32(0, bytes.baseAddress! + chunk.lowerBound + 4, chunk.count - 8) == number(bytes, chunk.upperBound - 4)
    }

    private static func content(_ chunk: Range<Int>) -> Range<Int> { chunk.lowerBound + 8..<chunk.upperBound - 4 }

    private static func name(_ name: String) -> UInt32 { name.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }
}
