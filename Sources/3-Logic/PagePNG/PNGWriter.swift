import CDeflate
import CPixels
public import Model

/// Puts a PNG together from bands, each an IDAT chunk of its own. So an image that differs in one band is made from the bytes of
/// its predecessor and that band.
///
/// No band refers to anything before it: the stream's head and end are chunks of their own, too.
public final class PNGWriter {
    private let packer: OpaquePointer
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    private var count = 0
    private var layout = ImageLayout(width: 1, height: 1, isGray: true)
    private var sums: [UInt32] = []
    /// What counts as no ink.
    private var paper = Color.white
    /// Where each band has ink; `nil` if the image is not to say that.
    private var ink: [PixelBox]?
    /// Where marks may have left some.
    private var marks = PixelBox.none
    /// The rows of a filtered band.
    private let filtered = Scratch()
    /// The rows of a band as the image has them, if they are kept in another form.
    private let wide = Scratch()

    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    /// Private and ancillary, and its last letter says not to copy it to a changed image: it contains the key of what these pixels were
    /// made from, the height of the bands and the Adler-32 of each.
    static let keyChunk = "wsKY"
    /// Likewise: the box around all ink, and the one around all marks. It is the last chunk but one and always of one length, so that it is found without reading the
    /// file. An image that has it also has the box of each band in the chunk of its key, for images that take over some of its bands.
    static let inkChunk = "wsIN"
    /// One bit a pixel, which is the number of a colour; there is only one. So white is 0, as is a row's filter byte: all bytes are zero.
    static let whiteForm: [UInt8] = [1, 3]
    static let white: [UInt8] = [0xff, 0xff, 0xff]
    /// zlib's header.
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

    /// Makes a complete image, which says where on this paper there is ink.
    public func image(of rows: PackedRows, key: ImageKey, paper: Color = .white) -> [UInt8] {
        guard let layout = rows.layout else { preconditionFailure("nothing to write") }
        begin(layout, paper: paper)
        for band in 0..<layout.bandCount { append(band, of: rows) }
        return finish(key: key)
    }

    /// Begins an image on this paper. It says where there is ink if it is to and all bands taken from other images say so; and then where
    /// its marks are.
    public func begin(
        _ layout: ImageLayout, paper: Color = .white, tellsInk: Bool = true, marks: (columns: Range<Int>, rows: Range<Int>) = (0..<0, 0..<0)
    ) {
        self.marks = marks.columns.isEmpty || marks.rows.isEmpty ? .none : PixelBox(columns: marks.columns, rows: marks.rows)
        self.layout = layout
        self.paper = paper
        ink = tellsInk ? [] : nil
        count = 0
        sums.removeAll(keepingCapacity: true)
        reserve(256)
        append(Self.signature)
        chunk("IHDR") {
            $0.append(UInt32(layout.width))
            $0.append(UInt32(layout.height))
            // Bits a channel, gray or RGB, and then the only compression, filters and interlacing that we use.
            $0.append(layout.isWhite ? Self.whiteForm : [8, layout.isGray ? 0 : 2])
            $0.append([0, 0, 0])
        }
        if layout.isWhite { chunk("PLTE") { $0.append(Self.white) } }
        chunk("IDAT") { $0.append(Self.streamHead) }
    }

    /// Packs the next band. The filter bytes of its rows are set here; the same pixels always give the same bytes.
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

    /// Takes the next band from an image of the same layout, unchanged.
    public func append(_ band: Int, from image: BandedPNG) {
        precondition(band == sums.count && image.layout == layout, "bands come in order")
        let chunk = image.chunk(ofBand: band)
        reserve(chunk.count)
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[count...]).copyMemory(from: chunk)
        count += chunk.count
        sums.append(image.sums[band])
        if let known = image.ink { ink?.append(known[band]) } else { ink = nil }
    }

    /// Ends the image, and writes in it that it was made under `key`.
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

    /// Where a band has ink.
    private func findInk(in band: Int, of rows: PackedRows) -> PixelBox {
        guard !layout.isWhite else { return .none }
        let form = rows.form(ofBand: band)
        let range = form.rows(ofBand: band)
        // No gray is like paper that has a colour.
        guard paper.isGray || !form.isGray else { return PixelBox(columns: 0..<form.width, rows: range) }
        var found = woodshed_ink()
        guard
            woodshed_find_ink(
                rows.row(range.lowerBound), range.count, form.rowBytes, form.channels, [paper.red, paper.green, paper.blue], &found)
        else { return .none }
        return PixelBox(
            columns: found.left..<found.right, rows: range.lowerBound + found.top..<range.lowerBound + found.bottom)
    }

    /// A band, filtered if that makes it shorter, otherwise as it is.
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

    /// A band that is all white.
    private func white(_ band: Int) -> UnsafePointer<UInt8> {
        wide.reserve(layout.bytes(ofBand: band))
        wide.base.update(repeating: 0, count: layout.bytes(ofBand: band))
        return UnsafePointer(wide.base)
    }

    /// A gray band, filtered or not, in the form that an image in colour has it.
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

    /// Writes a chunk whose content `body` writes: its length, name, content and checksum.
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

/// Memory for one band, reused for the next.
private final class Scratch {
    private var memory = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

    deinit { memory.deallocate() }

    var base: UnsafeMutablePointer<UInt8> {
        guard let base = memory.baseAddress else { preconditionFailure("nothing was reserved") }
        return base
    }

    /// Makes room for this many bytes; what was in it is lost.
    func reserve(_ bytes: Int) {
        guard memory.count < bytes else { return }
        memory.deallocate()
        memory = .allocate(capacity: bytes)
    }
}
