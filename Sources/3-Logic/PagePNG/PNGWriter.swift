import CDeflate
import CPixels
public import Model

/// Assembles a PNG from bands, each in an IDAT chunk of its own. If a new image differs from another in one band, the other bands'
/// bytes can be reused.
///
/// No band refers to earlier data. The head and the end of the compressed stream have chunks of their own, too.
public final class PNGWriter {
    private let packer: OpaquePointer
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    private var count = 0
    private var layout = ImageLayout(width: 1, height: 1, isGray: true)
    private var sums: [UInt32] = []
    /// The colour of the paper, which does not count as ink.
    private var paper = Color.white
    /// The box around the ink in each band so far; `nil` if the file will not state it.
    private var ink: [PixelBox]?
    /// The box around all marks. No mark has ink outside it.
    private var marks = PixelBox.none
    /// The rows of a band after filtering.
    private let filtered = Scratch()
    /// The rows of a band, converted to the form that the image has, if `PackedRows` stores them in another form.
    private let wide = Scratch()

    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// A private, ancillary chunk, whose last letter forbids copying it to a changed image. It contains the image's key, the height
    /// of the bands and the Adler-32 of each band.
    static let keyChunk = "wsKY"
    /// A similar chunk with the boxes around all ink and around all marks. It has a fixed length and is the last before the end, so it is
    /// found without reading the whole file. A file with this chunk also has each band's box after its key, for images that reuse bands.
    static let inkChunk = "wsIN"
    /// A similar chunk with the music of the page. It stands before the pixels, and is the same in all images of a page.
    static let musicChunk = "wsMU"
    /// One bit for each pixel: the index in a palette whose only colour, white, has the index 0. A row's filter byte is 0, too, so
    /// all bytes are 0.
    static let whiteForm: [UInt8] = [1, 3]
    static let white: [UInt8] = [0xff, 0xff, 0xff]
    /// The header of the zlib format.
    static let streamHead: [UInt8] = [0x78, 0x01]
    /// An empty block that is marked as the last one.
    static let streamEnd: [UInt8] = [0x03, 0x00]

    public init() {
        guard let packer = woodshed_band_packer_create() else { fatalError("out of memory") }
        self.packer = packer
    }

    deinit {
        woodshed_band_packer_destroy(packer)
        memory.deallocate()
    }

    /// Makes a complete image. The file states where the image has ink on paper of this colour, and which music the page has.
    public func image(of rows: PackedRows, key: ImageKey, paper: Color = .white, music: [UInt8] = []) -> [UInt8] {
        guard let layout = rows.layout else { preconditionFailure("nothing to write") }
        begin(layout, paper: paper, music: music)
        for band in 0..<layout.bandCount { append(band, of: rows) }
        return finish(key: key)
    }

    /// Begins an image on paper of this colour. `marks` is the box around all marks, empty by default. With `statesInk`, the file
    /// states where the ink and the marks are, unless a band comes from an image that does not state this.
    public func begin(
        _ layout: ImageLayout, paper: Color = .white, music: [UInt8] = [], statesInk: Bool = true,
        marks: (columns: Range<Int>, rows: Range<Int>) = (0..<0, 0..<0)
    ) {
        self.marks = marks.columns.isEmpty || marks.rows.isEmpty ? .none : PixelBox(columns: marks.columns, rows: marks.rows)
        self.layout = layout
        self.paper = paper
        ink = statesInk ? [] : nil
        count = 0
        sums.removeAll(keepingCapacity: true)
        reserve(256)
        append(Self.signature)
        chunk("IHDR") {
            $0.append(UInt32(layout.width))
            $0.append(UInt32(layout.height))
            // Bits per channel, gray or RGB; then the numbers of the only compression, filter method and interlacing that we use.
            $0.append(layout.isWhite ? Self.whiteForm : [8, layout.isGray ? 0 : 2])
            $0.append([0, 0, 0])
        }
        if layout.isWhite { chunk("PLTE") { $0.append(Self.white) } }
        if !music.isEmpty {
            reserve(music.count + 64)
            chunk(Self.musicChunk) { $0.append(music) }
        }
        chunk("IDAT") { $0.append(Self.streamHead) }
    }

    /// Packs the next band. This sets the filter bytes of its rows. The same pixels always give the same bytes.
    public func append(_ band: Int, of rows: PackedRows) {
        precondition(band == sums.count && rows.layout == layout, "bands come in order")
        let form = rows.form(ofBand: band)
        let bytes = layout.bytes(ofBand: band)
        ink?.append(findInk(in: band, of: rows))
        let (source, isFiltered) = layout.isWhite ? (white(band), false) : filter(rows, band, form)
        let packed = form == layout || layout.isWhite ? source : widen(source, band, form)
        reserve(woodshed_band_bound(bytes) + 12)
        sums.append(libdeflate_adler32(1, packed, bytes))
        chunk("IDAT") { writer in
            let written = woodshed_band_pack(
                packer, packed, bytes, layout.rowBytes, layout.channels, isFiltered, writer.memory.baseAddress! + writer.count)
            precondition(written > 0, "out of memory")
            writer.count += written
        }
    }

    /// Copies the next band from an image of the same layout.
    public func append(_ band: Int, from image: BandedPNG) {
        precondition(band == sums.count && image.layout == layout, "bands come in order")
        let chunk = image.chunk(ofBand: band)
        reserve(chunk.count)
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[count...]).copyMemory(from: chunk)
        count += chunk.count
        sums.append(image.sums[band])
        if let known = image.ink { ink?.append(known[band]) } else { ink = nil }
    }

    /// Ends the image, and stores `key` in the file.
    public func finish(key: ImageKey) -> [UInt8] {
        precondition(sums.count == layout.bandCount, "an image has all its bands")
        reserve(256 + (4 + PixelBox.length) * sums.count)
        chunk("IDAT") {
            $0.append(Self.streamEnd)
            $0.append(layout.checksum(ofBands: sums))
        }
        chunk(Self.keyChunk) {
            $0.append(Array(key.digest.hex.utf8))
            $0.append(UInt32(layout.bandHeight))
            for sum in $0.sums { $0.append(sum) }
            for box in $0.ink ?? [] { $0.append(box.bytes) }
        }
        if let ink { chunk(Self.inkChunk) { $0.append(PixelBox(around: ink).bytes + $0.marks.bytes) } }
        chunk("IEND") { _ in }
        return Array(memory[..<count])
    }

    /// The box around a band's ink; empty if the band has none.
    private func findInk(in band: Int, of rows: PackedRows) -> PixelBox {
        guard !layout.isWhite else { return .none }
        let form = rows.form(ofBand: band)
        let range = form.rows(ofBand: band)
        // On coloured paper, every gray pixel is ink, and so is all of a gray band.
        guard paper.isGray || !form.isGray else { return PixelBox(columns: 0..<form.width, rows: range) }
        var found = woodshed_ink()
        guard
            woodshed_find_ink(
                rows.row(range.lowerBound), range.count, form.rowBytes, form.channels, [paper.red, paper.green, paper.blue], &found)
        else { return .none }
        return PixelBox(
            columns: found.left..<found.right, rows: range.lowerBound + found.top..<range.lowerBound + found.bottom)
    }

    /// Returns a band's rows, filtered if this is expected to make the packed band shorter.
    private func filter(_ rows: PackedRows, _ band: Int, _ form: ImageLayout) -> (source: UnsafePointer<UInt8>, isFiltered: Bool) {
        let range = form.rows(ofBand: band)
        let source = rows.row(range.lowerBound)
        let best = woodshed_best_filter(source, range.count, form.rowBytes, form.channels)
        guard best != WOODSHED_FILTER_NONE else {
            for y in range { rows.row(y)[0] = 0 }
            return (UnsafePointer(source), false)
        }
        filtered.reserve(range.count * form.rowBytes)
        woodshed_filter_band(best, source, range.count, form.rowBytes, form.channels, filtered.base)
        return (UnsafePointer(filtered.base), true)
    }

    /// The bytes of an all-white band.
    private func white(_ band: Int) -> UnsafePointer<UInt8> {
        wide.reserve(layout.bytes(ofBand: band))
        wide.base.update(repeating: 0, count: layout.bytes(ofBand: band))
        return UnsafePointer(wide.base)
    }

    /// Converts a gray band, filtered or not, to the form of an image in colour.
    private func widen(_ gray: UnsafePointer<UInt8>, _ band: Int, _ form: ImageLayout) -> UnsafePointer<UInt8> {
        wide.reserve(layout.bytes(ofBand: band))
        for y in 0..<form.rows(ofBand: band).count {
            let (from, to) = (gray + y * form.rowBytes, wide.base + y * layout.rowBytes)
            to[0] = from[0]
            woodshed_gray_to_rgb(from + 1, form.width, to + 1)
        }
        return UnsafePointer(wide.base)
    }

    // MARK: - Bytes

    private func reserve(_ more: Int) {
        guard memory.count - count < more else { return }
        let grown = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(2 * memory.count, count + more))
        if count > 0 { _ = grown.update(fromContentsOf: memory[..<count]) }
        memory.deallocate()
        memory = grown
    }

    private func append(_ bytes: [UInt8]) {
        for byte in bytes {
            memory[count] = byte
            count += 1
        }
    }

    private func append(_ number: UInt32) { append([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }) }

    /// Writes a chunk: its length, its name, the content that `body` writes, and its checksum.
    private func chunk(_ name: String, _ body: (PNGWriter) -> Void) {
        let start = count
        append(UInt32(0))
        append(Array(name.utf8))
        body(self)
        let end = count
        count = start
        append(UInt32(end - start - 8))
        count = end
        append(libdeflate_crc32(0, memory.baseAddress! + start + 4, end - start - 4))
    }
}

/// Memory for the rows of one band, which is reused for the next band.
private final class Scratch {
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

    deinit { memory.deallocate() }

    var base: UnsafeMutablePointer<UInt8> {
        guard let base = memory.baseAddress else { preconditionFailure("nothing was reserved") }
        return base
    }

    /// Makes room for this many bytes. The former content is lost.
    func reserve(_ bytes: Int) {
        guard memory.count < bytes else { return }
        memory.deallocate()
        memory = .allocate(capacity: bytes)
    }
}
