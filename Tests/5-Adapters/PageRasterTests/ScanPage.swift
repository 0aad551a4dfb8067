import TestSupport

/// A page that shows one image, with parts that tests can change.
struct ScanPage {
    /// The image's samples, row by row; with one bit per sample, each row begins with a new byte.
    var samples: [UInt8]
    var width: Int
    var height: Int
    var bits = 8
    /// The entries of the image's dictionary except its size.
    var entries = "/ColorSpace /DeviceGray"
    var filter = "/ASCIIHexDecode"
    /// Where the unit square lies on the page; the whole page by default.
    var matrix: String?
    var page: (width: Double, height: Double) = (200, 300)
    var crop: TestPDF.Box?
    var rotation = 0
    /// Content before and after the image.
    var before = ""
    var after = ""
    /// Page resources in addition to the image, whose name is Scan.
    var resources = ""
    var objects = ""

    /// An image of blocks of random grays: all of its corners differ, and so do the areas on both sides of a block's edge.
    static func blocks(_ width: Int, _ height: Int, seed: UInt64) -> ScanPage {
        let side = 8
        var numbers = SeededGenerator(seed: seed)
        let across = width / side + 1
        let blocks = (0..<across * (height / side + 1)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let samples = (0..<width * height).map { blocks[$0 / width / side * across + $0 % width / side] }
        return ScanPage(samples: samples, width: width, height: height)
    }

    /// The same picture in black and white.
    var bilevel: ScanPage {
        var page = self
        page.bits = 1
        page.samples = (0..<height).flatMap { y in
            stride(from: 0, to: width, by: 8).map { start in
                (0..<8).reduce(0) { byte, bit in
                    let x = start + bit
                    return byte << 1 | (x < width && samples[y * width + x] >= 128 ? 1 : 0)
                }
            }
        }
        return page
    }

    /// A sample as an 8-bit gray: single bits become 0 or 255.
    func gray(_ x: Int, _ y: Int) -> UInt8 {
        if bits == 8 { return samples[y * width + x] }
        return samples[y * ((width + 7) / 8) + x / 8] >> UInt8(7 - x % 8) & 1 == 1 ? 255 : 0
    }

    var pdf: TestPDF {
        var pdf = TestPDF()
        // Bytes instead of characters, which are slow in a debug build.
        let digits = Array("0123456789abcdef".utf8)
        var data = [UInt8](repeating: 0, count: samples.count * 2)
        for index in samples.indices {
            data[index * 2] = digits[Int(samples[index] >> 4)]
            data[index * 2 + 1] = digits[Int(samples[index] & 15)]
        }
        data.append(UInt8(ascii: ">"))
        let image = pdf.add(
            """
            << /Type /XObject /Subtype /Image /Width \(width) /Height \(height) /BitsPerComponent \(bits) \(entries) \
            /Filter [\(filter)] /Length \(data.count) >>
            stream
            \(String(decoding: data, as: UTF8.self))
            endstream
            """)
        let matrix = matrix ?? "\(page.width) 0 0 \(page.height) 0 0"
        pdf.addPage(
            width: page.width, height: page.height, crop: crop, rotation: rotation,
            resources: "/XObject << /Scan \(image) 0 R \(objects) >> \(resources)",
            "\(before)\nq \(matrix) cm /Scan Do Q\n\(after)")
        return pdf
    }
}
