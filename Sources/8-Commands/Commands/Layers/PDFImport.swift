import Annotations
import CommandLine
import Configuration
import Glibc
import Host
import Model
import Platform
import Rendering

/// A PDF's annotations as marks, to be copied into a layer. A process in a sandbox finds the annotations. A malicious PDF may
/// control that process, so its answer is checked like a mark file from a stranger.
@LoopActor
struct PDFImport {
    let marks: [Mark]
    private let path: String
    private let pages: [PageGeometry]
    private let leftOut: [String: Int]

    /// Whether `name` is the path of an existing PDF.
    static func isPDF(_ name: String) -> Bool { name.lowercased().hasSuffix(OutputFile.pdf.ending) && access(name, F_OK) == 0 }

    init(_ path: String, _ configuration: Configuration, clock: any TimeKeeper) async throws {
        do {
            (pages, marks, leftOut) = try await configuration.options.withRenderer(clock: clock) { pool in
                let found = try await pool.annotations(of: path, in: .live)
                let pages = try await pool.describe(chart: path).pages
                let marks = try NativeLayerReader.read(try NativeLayerWriter.write(MarkFile(marks: found.marks))).marks
                return (pages, marks, found.leftOut)
            }
        } catch let failure as RenderFailure {
            throw CommandFailure(.failed, "nothing was copied from \(path): \(Self.reason(failure))")
        } catch let fault as MarkFileFault {
            throw CommandFailure(.failed, "nothing was copied: \(path) \(fault)")
        }
        self.path = path
    }

    static func reason(_ failure: RenderFailure) -> String {
        switch failure {
        case .drawing(let reason): reason
        case .timedOut(let seconds): "reading it took more than \(seconds) s of CPU time"
        case .heldUp(let seconds): "it was not read within \(seconds) s, perhaps because the machine was busy; try again later"
        default: "\(failure)"
        }
    }

    /// Remarks on the import for people, a sentence each: if there was nothing to copy, if pages of the two PDFs have different
    /// shapes, and on annotations that were left out.
    func remarks(on chart: String, of chartPages: [PageGeometry]) -> [String] {
        var remarks: [String] = []
        if marks.isEmpty { remarks.append("\(path) has no annotations to copy; what is painted on its pages cannot be told from them.") }
        let reshaped = Set(marks.map(\.page)).filter { page in
            chartPages.indices.contains(page.value) && pages.indices.contains(page.value)
                && !pages[page.value].isShaped(like: chartPages[page.value])
        }
        if !reshaped.isEmpty {
            remarks.append(
                "\(PageIndex.words(reshaped.sorted())) of \(path) \(reshaped.count == 1 ? "has" : "have") another shape than in \(chart): "
                    + "perhaps it is another edition, and the marks are not where they belong.")
        }
        var others = leftOut
        let hidden = others.removeValue(forKey: ImportedMarks.hidden) ?? 0
        let kinds = others.sorted { $0.key < $1.key }.map { kind, count in
            "\(count.counted(Self.nouns[kind] ?? "annotation")) (\(kind))"
        }
        if let last = kinds.last {
            let all = kinds.count == 1 ? last : kinds.dropLast().joined(separator: ", ") + " and " + last
            let isOne = others.values.reduce(0, +) == 1
            remarks.append("\(all) cannot be drawn and \(isOne ? "was" : "were") left out.")
        }
        if hidden > 0 {
            let (verb, ending) = hidden == 1 ? ("is", "was") : ("are", "were")
            remarks.append("\(hidden.counted("annotation")) that \(verb) hidden there \(ending) left out.")
        }
        return remarks
    }

    private static let nouns = [
        "Text": "note", "FreeText": "text", "Stamp": "stamp", "Ink": "drawing", "Highlight": "highlight", "Line": "line",
        "Square": "rectangle", "Circle": "ellipse", "FileAttachment": "attachment",
    ]
}

extension PageGeometry {
    /// Whether both pages have the same proportions, to within 2 %.
    fileprivate func isShaped(like other: PageGeometry) -> Bool {
        let ratio = (width * other.height) / (height * other.width)
        return (1 / 1.02...1.02).contains(ratio)
    }
}
