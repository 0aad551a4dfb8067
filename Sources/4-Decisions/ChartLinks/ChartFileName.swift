package import Model
package import Platform

/// How the charts' files are named, in the one folder that they are in.
package enum ChartFileName {
    /// Whether a path is that of a chart in `chartsFolder`.
    package static func isChartPath(_ path: String, in chartsFolder: String) -> Bool {
        path.hasPrefix(chartsFolder + "/") && chartHash(ofFile: String(path.dropFirst(chartsFolder.count + 1))) != nil
    }

    /// The chart in a file of the charts' folder, judging by its name.
    package static func chartHash(ofFile name: String) -> ChartHash? {
        guard name.hasSuffix(".pdf"), let digest = Digest(hex: String(name.dropLast(4))) else { return nil }
        // Only in the spelling that we use: any other spelling is another file.
        return digest.hex + ".pdf" == name ? ChartHash(digest) : nil
    }

    /// The chart that a link leads to, in whichever library's folder.
    static func chart(ofLinkTo target: String) -> ChartHash? {
        let parts = target.split(separator: "/")
        guard parts.count > 1, parts[parts.count - 2] == "charts" else { return nil }
        return chartHash(ofFile: String(parts[parts.count - 1]))
    }

    /// The charts whose files are in a folder, judging by their names.
    package static func charts(in folder: String) throws(SystemError) -> [ChartHash] {
        try Folder.namesIfThere(in: folder).compactMap(chartHash(ofFile:))
    }
}
