package import Model
import PagePNG

/// Real images to fill caches with: a few pictures that differ only in their keys, so that none is compressed twice.
package final class SampleImages {
    /// How large the files are.
    package enum Kind: Hashable, Sendable {
        /// One to four blocks of 4 KiB: a hundred thousand must fit on a disk, and cost the same to list and remove as large ones.
        case small
        /// Pages of 2,200 pixels with 150 to 400 kB, and thumbnails with about 12 kB.
        case fullSize
    }

    private let writer: PNGWriter
    private let pages: [[UInt8]]
    private let thumbnails: [[UInt8]]

    package init(_ kind: Kind) {
        let writer = PNGWriter()
        self.writer = writer
        var generator = SampleGenerator(seed: 1)
        switch kind {
        case .small:
            pages = [48, 112, 176, 230].map { Self.image(width: 64, height: $0, ink: 1, &generator, writer) }
            thumbnails = [Self.image(width: 48, height: 60, ink: 1, &generator, writer)]
        case .fullSize:
            pages = [0.015, 0.025, 0.035, 0.045].map { Self.image(width: 1700, height: 2200, ink: $0, &generator, writer) }
            thumbnails = [Self.image(width: 232, height: 300, ink: 0.07, &generator, writer)]
        }
    }

    /// An image of a page, with a given key.
    package func image(of page: PageIndex, _ variant: Variant, key: ImageKey) -> [UInt8] {
        let samples = variant == .thumbnail ? thumbnails : pages
        return samples[page.value % samples.count].withUnsafeBytes { bytes in
            guard let image = BandedPNG(bytes) else { preconditionFailure("a sample is whole") }
            writer.begin(image.layout)
            for band in 0..<image.layout.bandCount { writer.append(band, from: image) }
            return writer.finish(key: key)
        }
    }

    /// White with this share of gray dots, at random places and in random shades.
    private static func image(width: Int, height: Int, ink: Double, _ generator: inout SampleGenerator, _ writer: PNGWriter) -> [UInt8] {
        let pixels = (0..<width * height).map { _ -> UInt32 in
            Double.random(in: 0..<1, using: &generator) < ink ? UInt32.random(in: 0...255, using: &generator) * 0x01_0101 : 0xff_ffff
        }
        let rows = PackedRows()
        pixels.withUnsafeBufferPointer { rows.pack($0.baseAddress!, width: width, height: height) }
        return writer.image(of: rows, key: ImageKey(SHA256.digest(of: "")))
    }
}

/// Random numbers that repeat for the same seed (SplitMix64), so that every run has the same work to do.
package struct SampleGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
