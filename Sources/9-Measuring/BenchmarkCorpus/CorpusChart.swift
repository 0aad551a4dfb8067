import DemoScores
import Glibc
package import Model
package import Platform

/// A PDF to measure with.
package struct CorpusChart: Hashable, Sendable {
    /// Its file's name without the extension.
    package let name: String
    package let path: String
    package let hash: ChartHash
    package let images: [EmbeddedImage]
    /// Whether it was made to measure photographs of pages.
    package let isPhotograph: Bool

    private static let mostBytes = 1 << 30

    package init(path: String, isPhotograph: Bool = false) throws(SystemError) {
        let bytes = try AtomicFile.read(path, limit: Self.mostBytes)
        self.path = path
        self.isPhotograph = isPhotograph
        name = String(path.split(separator: "/").last?.dropLast(4) ?? "")
        hash = ChartHash(SHA256.digest(of: bytes))
        images = EmbeddedImage.all(in: bytes)
    }

    /// The stand-in's scores, written to `folder`.
    package static func demo(in folder: String) throws(SystemError) -> [CorpusChart] {
        var charts: [CorpusChart] = []
        for score in UnsafeBufferPointer(start: woodshed_demo_scores(), count: demo_scores_count)
        where String(cString: score.kind) == "chart" {
            let path = folder + "/" + String(cString: score.name) + ".pdf"
            try AtomicFile.write(UnsafeRawBufferPointer(start: score.bytes, count: score.length), to: path, durability: .none)
            charts.append(try CorpusChart(path: path))
        }
        return charts
    }

    /// Every PDF in a folder and the folders in it, sorted by path.
    package static func all(below folder: String) throws(SystemError) -> [CorpusChart] {
        var charts: [CorpusChart] = []
        for name in try Folder.names(in: folder) {
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                charts += try all(below: path)
            } else if status.st_mode & S_IFMT == S_IFREG, name.lowercased().hasSuffix(".pdf") {
                charts.append(try CorpusChart(path: path))
            }
        }
        return charts
    }
}

/// What kind of page it is, which decides more than anything else how much it costs a renderer.
package enum PageClass: String, Hashable, Sendable, CaseIterable {
    /// Drawn with fonts and lines, all in gray.
    case engraved
    /// A photograph of a page, in gray.
    case grayScan = "8-bit scan"
    /// A photograph of a page, in colour.
    case colourScan = "colour scan"
    /// A photograph of a page, in black and white.
    case bilevelScan = "bilevel scan"
    /// Everything else: pages with colour, and pages of charts that combine pictures with notes.
    case other

    /// Classifies a page by the images in its chart's bytes, and by whether it was drawn in gray.
    package init(images: [EmbeddedImage], pageCount: Int, isGray: Bool) {
        let pageSized = images.filter(\.isPageSized)
        if images.isEmpty {
            self = isGray ? .engraved : .other
        } else if pageSized.count < pageCount {
            self = .other
        } else if !isGray {
            self = images.contains(where: \.isBilevel) ? .other : .colourScan
        } else if images.allSatisfy(\.isBilevel) {
            self = .bilevelScan
        } else {
            self = pageSized.contains(where: \.isBilevel) ? .other : .grayScan
        }
    }
}

/// What a PDF's bytes say about one image in it.
///
/// An image is a stream, and a stream's dictionary is never compressed: the PDF need not be parsed to find it.
package struct EmbeddedImage: Hashable, Sendable {
    var width: Int
    var height: Int
    /// Whether every pixel has one of two colours.
    var isBilevel: Bool

    /// Whether it has enough pixels to be a whole page: half of those of A4 at 100 dpi; a logo has fewer.
    var isPageSized: Bool { width * height >= 480_000 }
}

extension EmbeddedImage {
    /// More bytes than any image's dictionary has.
    private static let longestDictionary = 4096

    /// All images in a PDF's bytes.
    package static func all(in pdf: [UInt8]) -> [EmbeddedImage] {
        pdf.withUnsafeBytes { bytes in
            var images: [EmbeddedImage] = []
            var start = 0
            while let end = bytes.offset(of: "stream", from: start) {
                let before = UnsafeRawBufferPointer(rebasing: bytes[max(start, end - longestDictionary)..<end])
                // Most streams are no images, and most of what is between them is data.
                if before.offset(of: "/Image", from: 0) != nil {
                    let dictionary = String(decoding: before, as: UTF8.self).split(separator: "obj").last ?? ""
                    if let image = EmbeddedImage(dictionary) { images.append(image) }
                }
                start = end + 6
            }
            return images
        }
    }

    private init?(_ dictionary: Substring) {
        func number(_ key: Regex<(Substring, Substring)>) -> Int { dictionary.firstMatch(of: key).flatMap { Int($0.1) } ?? 0 }
        (width, height) = (number(/\/Width\s+(\d{1,6})\b/), number(/\/Height\s+(\d{1,6})\b/))
        guard dictionary.contains(/\/Subtype\s*\/Image\b/), width > 0, height > 0 else { return nil }
        isBilevel = dictionary.contains(/\/BitsPerComponent\s+1\b|\/ImageMask\s+true\b|\/CCITTFaxDecode\b|\/JBIG2Decode\b/)
    }
}

extension UnsafeRawBufferPointer {
    /// The next place where a word occurs.
    fileprivate func offset(of word: StaticString, from start: Int) -> Int? {
        guard let base = baseAddress else { return nil }
        var place = start
        while place + word.utf8CodeUnitCount <= count, let found = memchr(base + place, Int32(word.utf8Start[0]), count - place) {
            place = UnsafeRawPointer(found) - base
            guard place + word.utf8CodeUnitCount <= count else { return nil }
            if memcmp(found, word.utf8Start, word.utf8CodeUnitCount) == 0 { return place }
            place += 1
        }
        return nil
    }
}
