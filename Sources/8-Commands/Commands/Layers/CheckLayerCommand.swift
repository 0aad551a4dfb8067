import Annotations
import CommandLine
import Manual
import Model
import Platform

extension Command {
    /// `woodshed layers check FILE`, for whoever writes marks by hand or with a program.
    static let checkLayer = Command(
        name: "check",
        summary: "Checks a .marks.json file: which marks would be left out, in which line, and what to write instead",
        details: "Prints each as FILE:LINE: message, and ends with code 1 if there is one. Nothing is written, and no library is needed.",
        parameters: [Parameter("file", "a .marks.json file, wherever it is", type: .path)],
        examples: [Example("woodshed layers check bowings.marks.json", "See whether all marks of a file would be drawn.")],
        run: { invocation, context in
            let path: String = invocation.argument("file") ?? ""
            let bytes: [UInt8]
            do throws(SystemError) {
                bytes = try AtomicFile.read(path, limit: MarkFileLimits().fileBytes + 1)
            } catch {
                throw CommandFailure(.failed, "\(error)")
            }
            let (drawn, findings) = LayerCheck.look(at: bytes)
            for finding in findings {
                let mark = finding.mark.map { "mark \($0): " } ?? ""
                context.output.result("\(path):\(finding.line): \(mark)\(finding.sentence)".printable)
            }
            if findings.isEmpty { context.output.result("\(path): \(drawn.counted("mark")), all drawn".printable) }
            return findings.isEmpty ? .fine : .failed
        })
}

/// The form of a layer's file, for programs that write one.
enum LayerSchema {
    static var text: String {
        String(decoding: UnsafeBufferPointer(start: layer_schema.bytes, count: layer_schema.length), as: UTF8.self)
    }
}
