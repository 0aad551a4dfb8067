package import Model
package import Platform

/// How the charts' files are named, in the one folder where they are.
package enum ChartFileName {
    /// Whether a path is that of a chart in `chartsFolder`.
    package static func isChartPath(_ path: String, in chartsFolder: String) -> Bool {
        path.hasPrefix(chartsFolder + "/") && chartHash(ofFile: String(path.dropFirst(chartsFolder.count + 1))) != nil
    }

    /// The chart that a file in the charts' folder is, by its name.
    package static func chartHash(ofFile name: String) -> ChartHash? {
        guard name.hasSuffix(".pdf"), let digest = Digest(hex: String(name.dropLast(4))) else { return nil }
        // Only as we write them: another spelling is another file.
        return digest.hex + ".pdf" == name ? ChartHash(digest) : nil
    }

    /// The charts whose files are in a folder, by their names.
    package static func charts(in folder: String) throws(SystemError) -> [ChartHash] {
        try Folder.namesIfThere(in: folder).compactMap(chartHash(ofFile:))
    }
}
