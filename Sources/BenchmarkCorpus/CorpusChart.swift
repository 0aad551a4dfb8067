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
