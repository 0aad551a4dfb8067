import CFontconfig
import Glibc

/// Where fontconfig is told to look for fonts.
public enum FontFolders {
    /// The folders that its rules name and that exist, with every link followed; folders within these may be among them.
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
