import Glibc

/// Recognises mark files by their names, in capitals or small letters, because some systems change the case of names.
public enum MarkFileName {
    private static let xournal = [".xopp", ".xoj"].map { Array($0.utf8) }
    private static let native = [".marks.json"].map { Array($0.utf8) }
    private static let json = Array(".json".utf8)
    private static let marks = Array(".marks".utf8)
    /// Endings that rclone appends to the names of conflicting copies; a number follows them.
    private static let counted = [".conflict", "..path"].map { Array($0.utf8) }
    /// Endings that mail programs, browsers and editors append on their own; users are warned that files with these endings are not
    /// read. Backups, and Xournal++'s attachments (pictures and PDFs), end differently, so they cause no warning.
    private static let appended = [".txt", ".xml", ".gz", ".zip"].map { Array($0.utf8) }

    /// Returns whether files with this name or path may be mark files.
    public static func isOfMarks(_ name: UnsafeRawBufferPointer) -> Bool {
        ends(name, in: xournal) || ends(name, in: native) || isOfPartAlone(name)
    }

    /// Returns whether the name is that of a Xournal++ or Xournal file.
    public static func isOfXournal(_ name: String) -> Bool { bytes(of: name) { ends($0, in: xournal) } }

    /// Returns whether the name is that of a native layer.
    public static func isNative(_ name: String) -> Bool { bytes(of: name) { ends($0, in: native) } }

    /// For a name such as `a.xopp.txt`, the ending of a mark file in front of the ending that another program appended; `nil` for
    /// all other names. Users may believe that such a file is read.
    public static func intendedEnding(_ name: UnsafeRawBufferPointer) -> String? {
        for ending in appended where ends(name, with: ending) {
            let rest = UnsafeRawBufferPointer(rebasing: name.dropLast(ending.count))
            return (xournal + native).first { ends(rest, with: $0) }.map { String(decoding: $0, as: UTF8.self) }
        }
        return nil
    }

    /// Returns whether a program that syncs or copies files gave this name to a second state of a native layer, as in
    /// `a.marks (copy).json`, `a.marks.sync-conflict-20261127-101500-ABCDEFG.json` or `a.marks.json.conflict1`. A file with such a
    /// name is read only if this program created it.
    public static func isOfPartAlone(_ name: String) -> Bool { bytes(of: name, isOfPartAlone) }

    static func isOfPartAlone(_ name: UnsafeRawBufferPointer) -> Bool {
        guard !ends(name, in: native) else { return false }
        let digits = name.reversed().prefix { isdigit(Int32($0)) != 0 }.count
        let stem = UnsafeRawBufferPointer(rebasing: name.dropLast(digits))
        if digits > 0, let added = counted.first(where: { ends(stem, with: $0) }) {
            return ends(UnsafeRawBufferPointer(rebasing: stem.dropLast(added.count)), in: native)
        }
        guard ends(name, with: json) else { return false }
        // If a letter or digit follows “.marks”, it is part of another word, and the name is not that of a layer.
        return name.indices.dropFirst().dropLast(marks.count).contains { place in
            zip(name[place...], marks).allSatisfy { small($0) == $1 } && isalnum(Int32(name[place + marks.count])) == 0
        }
    }

    private static func bytes(of name: String, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var name = name
        return name.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    private static func ends(_ name: UnsafeRawBufferPointer, in endings: [[UInt8]]) -> Bool { endings.contains { ends(name, with: $0) } }

    /// Returns whether the name is longer than `ending` and ends in it, regardless of case. `ending` itself is in lower case.
    private static func ends(_ name: UnsafeRawBufferPointer, with ending: [UInt8]) -> Bool {
        guard name.count > ending.count else { return false }
        let start = name.count - ending.count
        return ending.indices.reversed().allSatisfy { small(name[start + $0]) == ending[$0] }
    }

    private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte + 0x20 : byte }
}
