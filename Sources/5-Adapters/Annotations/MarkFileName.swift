import Glibc

/// Recognises mark files by their names. Case does not matter: other systems write names as they like.
public enum MarkFileName {
    private static let xournal = [".xopp", ".xoj"].map { Array($0.utf8) }
    private static let native = [".marks.json"].map { Array($0.utf8) }
    private static let json = Array(".json".utf8)
    private static let marks = Array(".marks".utf8)
    /// Appended by rclone, with a number.
    private static let counted = [".conflict", "..path"].map { Array($0.utf8) }
    /// Endings that mail programs, browsers and editors append by themselves. Backups have other endings, and attachments of Xournal++ have
    /// those of pictures and PDFs.
    private static let appended = [".txt", ".xml", ".gz", ".zip"].map { Array($0.utf8) }

    /// Returns whether a file's name or path is one that is read.
    public static func isOfMarks(_ name: UnsafeRawBufferPointer) -> Bool {
        ends(name, in: xournal) || ends(name, in: native) || isOfPartAlone(name)
    }

    /// Returns whether the file is one of Xournal++'s or Xournal's.
    public static func isOfXournal(_ name: String) -> Bool { bytes(of: name) { ends($0, in: xournal) } }

    /// Returns whether the file is a native layer.
    public static func isNative(_ name: String) -> Bool { bytes(of: name) { ends($0, in: native) } }

    /// The ending that a file's name needs in order to be read, if the user may think that the name has it, as in `a.xopp.txt`. `nil` for
    /// all other names.
    public static func intendedEnding(_ name: UnsafeRawBufferPointer) -> String? {
        for ending in appended where ends(name, with: ending) {
            let rest = UnsafeRawBufferPointer(rebasing: name.dropLast(ending.count))
            return (xournal + native).first { ends(rest, with: $0) }.map { String(decoding: $0, as: UTF8.self) }
        }
        return nil
    }

    /// Returns whether it is one of the names that programs which sync or copy files give to a second state of a native layer, as in
    /// `a.marks (copy).json`, `a.marks.sync-conflict-20261127-101500-ABCDEFG.json` or `a.marks.json.conflict1`. Under such a name, only
    /// a part of a layer is read.
    public static func isOfPartAlone(_ name: String) -> Bool { bytes(of: name, isOfPartAlone) }

    static func isOfPartAlone(_ name: UnsafeRawBufferPointer) -> Bool {
        guard !ends(name, in: native) else { return false }
        let digits = name.reversed().prefix { isdigit(Int32($0)) != 0 }.count
        let stem = UnsafeRawBufferPointer(rebasing: name.dropLast(digits))
        if digits > 0, let added = counted.first(where: { ends(stem, with: $0) }) {
            return ends(UnsafeRawBufferPointer(rebasing: stem.dropLast(added.count)), in: native)
        }
        guard ends(name, with: json) else { return false }
        // Followed by a letter or digit, it would be another word.
        return name.indices.dropFirst().dropLast(marks.count).contains { place in
            zip(name[place...], marks).allSatisfy { small($0) == $1 } && isalnum(Int32(name[place + marks.count])) == 0
        }
    }

    private static func bytes(of name: String, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var name = name
        return name.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    private static func ends(_ name: UnsafeRawBufferPointer, in endings: [[UInt8]]) -> Bool { endings.contains { ends(name, with: $0) } }

    /// Returns whether the name has `ending`, which is in lower case, and something before it.
    private static func ends(_ name: UnsafeRawBufferPointer, with ending: [UInt8]) -> Bool {
        guard name.count > ending.count else { return false }
        let start = name.count - ending.count
        return ending.indices.reversed().allSatisfy { small(name[start + $0]) == ending[$0] }
    }

    private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte + 0x20 : byte }
}
