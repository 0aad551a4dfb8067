import Annotations
import Glibc
package import Model
import Platform

/// Writes marks that vanished from one of the user's files to a file of their own.
package enum RestoredMarks {
    /// Writes `marks` under an unused name in the folder of the file at `path`. Returns the new path.
    package static func write(_ marks: MarkFile, beside path: String) throws -> String {
        let stem = stem(ofFile: path)
        var layer = marks
        layer.name = "\(stem) (restored)"
        let bytes = try NativeLayerWriter.write(layer)
        // When a plan moves to another day, the folder of its former day is removed, so it may have to be created again.
        try Folder.create(Folder.parent(of: path), mode: 0o755)
        let file = try TemporaryFile.create(inFolderOf: path, mode: 0o644)
        try bytes.withUnsafeBytes { try file.write($0) }
        for number in 1...mostOfOneName {
            let name = "\(stem).restored\(number == 1 ? "" : " \(number)").marks.json"
            let target = Folder.parent(of: path) + "/" + name
            if try file.publishWhereFree(as: target) { return target }
        }
        throw SystemError("restore marks beside", path: path, code: EEXIST)
    }

    private static let mostOfOneName = 10_000

    private static func stem(ofFile path: String) -> String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
        if MarkFileName.isNative(name) { return String(name.dropLast(".marks.json".count)) }
        return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }
}
