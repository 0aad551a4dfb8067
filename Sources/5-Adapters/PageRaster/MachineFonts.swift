import CFontconfig
import Glibc
public import Model

extension FontSet {
    /// The fonts that fontconfig offers to this process, from any folder, and everything that decides which of them replaces
    /// another. Takes a few milliseconds.
    ///
    /// A font is identified by its file's name and size, its place in the file, its family, style and version. Reading the files
    /// would take seconds, and we have not seen a font change without a change in one of these facts.
    public static func machine() -> FontSet {
        var facts: Set<String> = []
        // The first set contains the machine's fonts, the second those that a program has added for itself.
        for kind in [FcSetSystem, FcSetApplication] {
            guard let set = FcConfigGetFonts(nil, kind) else { continue }
            for place in 0..<Int(set.pointee.nfont) {
                // A font that is found twice, through a link, counts only once.
                if let pattern = set.pointee.fonts[place] { facts.insert("font " + describe(pattern)) }
            }
        }
        if let rules = FcConfigGetConfigFiles(nil) {
            defer { FcStrListDone(rules) }
            while let path = FcStrListNext(rules) { facts.insert("rules " + file(at: String(cString: path))) }
        }
        addEncodings(in: encodings, to: &facts)
        return FontSet(SHA256.digest(of: "woodshed fonts 1\n" + facts.sorted().joined(separator: "\n")))
    }

    /// Where poppler looks up the characters of East Asian fonts that are not embedded.
    private static let encodings = "/usr/share/poppler"

    /// Adds the files of a folder, and of two levels of folders in it. There are no further levels. Links to folders are not followed.
    private static func addEncodings(in folder: String, levels: Int = 3, to facts: inout Set<String>) {
        guard levels > 0, let listing = opendir(folder) else { return }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name == "." || name == ".." { continue }
            let path = folder + "/" + name
            if entry.pointee.d_type == UInt8(DT_DIR) {
                addEncodings(in: path, levels: levels - 1, to: &facts)
            } else {
                facts.insert("encoding \(folder.dropFirst(encodings.count))/" + file(at: path))
            }
        }
    }

    /// A file's name and size; the size is -1 if the file cannot be accessed.
    private static func file(at path: String) -> String {
        var status = stat()
        let size = stat(path, &status) == 0 ? Int(status.st_size) : -1
        return "\(path.split(separator: "/").last ?? "")|\(size)"
    }

    private static func describe(_ pattern: OpaquePointer) -> String {
        [
            file(at: text(pattern, FC_FILE)), String(integer(pattern, FC_INDEX)), text(pattern, FC_FAMILY), text(pattern, FC_STYLE),
            String(integer(pattern, FC_FONTVERSION)),
        ].joined(separator: "|")
    }

    private static func text(_ pattern: OpaquePointer, _ name: String) -> String {
        var value: UnsafeMutablePointer<FcChar8>?
        guard FcPatternGetString(pattern, name, 0, &value) == FcResultMatch, let value else { return "" }
        return String(cString: value)
    }

    private static func integer(_ pattern: OpaquePointer, _ name: String) -> Int {
        var value: Int32 = 0
        return FcPatternGetInteger(pattern, name, 0, &value) == FcResultMatch ? Int(value) : -1
    }
}

/// The folders in which fontconfig looks for fonts.
public enum FontFolders {
    /// The existing folders that fontconfig's rules name, with every link resolved. Some of them may be inside others.
    public static func named() -> [String] {
        guard let list = FcConfigGetFontDirs(nil) else { return [] }
        defer { FcStrListDone(list) }
        var folders: [String] = []
        while let path = FcStrListNext(list) {
            guard let real = realpath(UnsafeRawPointer(path).assumingMemoryBound(to: CChar.self), nil) else { continue }
            defer { free(real) }
            folders.append(String(cString: real))
        }
        return folders
    }
}
