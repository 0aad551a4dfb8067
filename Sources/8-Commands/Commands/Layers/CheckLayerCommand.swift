import Annotations
import Catalogue
import ChartFiles
import CommandLine
import Configuration
import Host
import Library
import Manual
import Marks
import Model
import Platform

extension Command {
    /// `woodshed layers check FILE`, for people or programs that write marks.
    static let checkLayer = Command(
        name: "check",
        summary: "Checks a .marks.json file: which marks would be left out, in which line, and what to write instead",
        details: """
            Prints each as FILE:LINE: message, and ends with code 1 if there is one. It also says if the file is for no chart that is \
            here, or is never read because of its name or folder; the wrong folder alone is no fault. Nothing is written.
            """,
        parameters: [Parameter("file", "a .marks.json file, wherever it is", type: .path)],
        examples: [Example("woodshed layers check bowings.marks.json", "See whether all marks of a file would be drawn.")],
        settings: Options.flags,
        run: { invocation, context in
            let path: String = invocation.argument("file") ?? ""
            let found: [UInt8]?
            do throws(SystemError) {
                found = try await SideThread().run(within: Configuration.patience, context.clock) { () throws(SystemError) in
                    try AtomicFile.read(path, limit: MarkFileLimits().fileBytes + 1)
                }
            } catch {
                throw CommandFailure(.failed, "\(error)")
            }
            guard let bytes = found else { throw CommandFailure(.notReady, FolderReach.word(Folder.parent(of: path))) }
            let configuration = await (try context.configuration(invocation)).asking(by: context.clock)
            let chart = try await MarkedChart(of: bytes, at: path, configuration, now: context.clock.timestamp)
            let (drawn, findings) = LayerCheck.examine(bytes, for: chart.found)
            var lines = findings.map { "\($0.line): \($0.mark.map { "mark \($0): " } ?? "")\($0.sentence)" }
            let obstacles = configuration.markSettings.roots.obstacles(to: path)
            if let words = obstacles.name { lines.insert("1: \(words)", at: 0) }
            for line in lines { context.output.result("\(path):\(line)".printable) }
            if lines.isEmpty {
                let isRead = obstacles.folder == nil && chart.isRead
                let verb =
                    isRead ? "drawn" : obstacles.folder == nil ? "can be drawn; '\(Model.woodshed("sync"))' draws them" : "would be drawn"
                context.output.result("\(path): \(drawn.counted("mark")), all \(verb)\(chart.remark)".printable)
            }
            if let words = obstacles.folder { context.output.result("\(path): \(words)".printable) }
            return lines.isEmpty ? .fine : .failed
        })
}

/// The chart that a mark file is for.
@LoopActor
private struct MarkedChart {
    let found: LayerCheck.Chart
    /// The end of a sentence about the file. If the library could not be opened to look for the chart, explains that; otherwise empty.
    var remark = ""
    /// Whether the library has marks of the file at this path, perhaps from an earlier version of the file.
    var isRead = false

    init(of bytes: [UInt8], at path: String, _ configuration: Configuration, now: Timestamp) async throws {
        // If the file is not a valid mark file, only its faults are reported, so do not look for its chart.
        guard let reference = (try? NativeLayerReader.read(bytes))?.reference else {
            found = .notLookedFor
            return
        }
        let library: Library
        do throws(LibraryError) {
            library = try Library(readingFrom: configuration.paths.data)
        } catch {
            found = reference == MarkFile.Reference() ? .missing : .notLookedFor
            remark = "; whether its chart is here is not known: \(error)"
            return
        }
        defer { library.close() }
        isRead = try library.markFiles.file(at: MarkFileIndex.joined("/", path))?.content != nil
        let finder = MarkedChartFinder(library: library, roots: configuration.markSettings.roots, side: SideThread()) { now }
        let path = MarkFileIndex.joined("/", path)
        guard let match = try await finder.chart(path, reference, library.matches.index(), isThorough: false) else {
            found = .missing
            return
        }
        guard let hash = try? ChartFinder(library).find(match.attachment.text).hash else {
            found = .found(pages: nil)
            return
        }
        found = .found(pages: try library.charts.description(of: hash)?.pages.count)
    }
}

/// The JSON Schema of a layer's file, for programs that write such files.
enum LayerSchema {
    static var text: String {
        String(decoding: UnsafeBufferPointer(start: layer_schema.bytes, count: layer_schema.length), as: UTF8.self)
    }
}
