import Glibc
import Model
import Platform

/// Folders of small mark files, as they pile up over years of playing: most of them are for charts that are no longer here.
struct MarkTree: Sendable {
    let folder: String
    let count: Int

    /// How many of the files are for a chart that is here.
    static let matched = 3
    /// Ten files per folder, which makes 5,000 folders for 50,000 files.
    private static let filesPerFolder = 10

    /// All files except those for a chart that is here, which come first.
    var others: Range<Int> { Self.matched..<count }

    /// Writes all files; the first few are for `attachment`.
    func fill(for attachment: AttachmentID) throws(SystemError) {
        for file in 0..<count {
            if file % Self.filesPerFolder == 0 { try Folder.create(Folder.parent(of: path(file))) }
            let text = file < Self.matched ? Self.layer(of: attachment, [Self.mark(0)]) : other(file, revision: 0)
            _ = try Self.save(text, to: path(file), inPlace: true)
        }
    }

    /// The path of a file.
    func path(_ file: Int) -> String {
        let place = file / Self.filesPerFolder
        let ending = file < Self.matched || file % 2 == 0 ? ".marks.json" : ".xopp"
        return "\(folder)/\(place / 100)/\(place % 100)/Song \(file)\(ending)"
    }

    /// The contents of a file for a chart that is not here.
    func other(_ file: Int, revision: Int) -> String {
        let place = Double((file * 7 + revision * 13) % 800 + 100) / 1000
        guard !path(file).hasSuffix(".xopp") else {
            return """
                <?xml version="1.0" standalone="no"?>
                <xournal creator="Xournal++ 1.1.3" fileversion="4"><title>Song</title>
                <page width="595.0" height="842.0"><background type="pdf" domain="absolute" filename="Song \(file).pdf" pageno="1"/>
                <layer><stroke tool="pen" color="#ff0000ff" width="1.41">\(place * 595) 100 120 140 160 180</stroke></layer></page>
                </xournal>
                """
        }
        return Self.layer(of: AttachmentID("gone-\(file)"), [Self.mark(Int(place * 1000))])
    }

    /// A native layer with these marks.
    static func layer(of attachment: AttachmentID, _ marks: [String]) -> String {
        #"{"version":1,"attachment_id":"\#(attachment.text)","name":"mine","marks":[\#(marks.joined(separator: ","))]}"#
    }

    /// A stroke on the first page, different for each number.
    static func mark(_ number: Int) -> String {
        let (x, y) = (Double(number % 37 + 1) / 40, Double(number % 41 + 1) / 44)
        return """
            {"id":"m\(number)","page":0,"kind":"pen","color":"#1a5fb4","width":0.003,\
            "points":[[\(x),\(y)],[\(x + 0.02),\(y + 0.01)],[\(x + 0.03),\(y)]],"created_at":"2026-11-18T20:31:31Z"}
            """
    }

    /// Saves a file, in place or by renaming as editors do; returns the time just before it was closed or renamed.
    static func save(_ text: String, to path: String, inPlace: Bool) throws(SystemError) -> Double {
        let target = inPlace ? path : Folder.parent(of: path) + "/.saving"
        let saved: Double
        do {
            let file = try Descriptor.open(target, O_WRONLY | O_CREAT | O_TRUNC)
            let bytes = Array(text.utf8)
            guard write(file.number, bytes, bytes.count) == bytes.count else { throw SystemError("write", path: target) }
            saved = ProcessFigures.wallMilliseconds
        }
        guard !inPlace else { return saved }
        let renamed = ProcessFigures.wallMilliseconds
        guard rename(target, path) == 0 else { throw SystemError("rename", path: path) }
        return renamed
    }
}
