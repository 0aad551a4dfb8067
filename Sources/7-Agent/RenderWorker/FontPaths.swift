/// Where fonts, their configuration and poppler's tables are: all that a worker may open by itself.
enum FontPaths {
    private static let system = [
        "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/texmf/fonts", "/usr/share/texlive/texmf-dist/fonts", "/etc/fonts",
        "/usr/share/fontconfig", "/usr/share/xml/fontconfig", "/var/cache/fontconfig", "/usr/share/poppler",
        // Pango needs it to break lines of Thai.
        "/usr/share/libthai",
    ]

    /// Folders that fontconfig's rules name but that are not among `paths`, one sentence for each: the fonts in them are not used.
    static func gaps(named folders: [String], within paths: [String]) -> [String] {
        func isBelow(_ folder: String, _ others: [String]) -> Bool { others.contains { folder.hasPrefix($0 + "/") } }
        return folders.filter { !paths.contains($0) && !isBelow($0, paths) && !isBelow($0, folders) }.map {
            "fonts in \($0) are not used, since the renderer only looks in the usual folders"
        }
    }

    /// All of these paths, whether they exist or not, as the environment sets them.
    static func all(environment: (String) -> String?) -> [String] {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        var paths = system
        let home = value("HOME")
        if let home { paths += ["/.fonts", "/.fonts.conf", "/.fonts.conf.d", "/.fontconfig"].map { home + $0 } }
        for (variable, usual, place) in [
            ("XDG_DATA_HOME", "/.local/share", "/fonts"), ("XDG_CACHE_HOME", "/.cache", "/fontconfig"),
            ("XDG_CONFIG_HOME", "/.config", "/fontconfig"),
        ] {
            if let base = value(variable) ?? home.map({ $0 + usual }) { paths.append(base + place) }
        }
        paths += (environment("FONTCONFIG_PATH") ?? "").split(separator: ":").map(String.init)
        if let file = environment("FONTCONFIG_FILE") { paths.append(file) }
        // If it is set, fontconfig looks for everything below it.
        if let root = value("FONTCONFIG_SYSROOT") { paths += paths.map { root + $0 } }
        return paths.filter { $0.hasPrefix("/") && $0 != "/" }
    }
}
