package import Model
import Platform

/// A symbolic link to a chart, in the folder that people open.
package struct ChartLink: Hashable {
    package var path: String
    package var attachment: AttachmentID
    /// The path of the chart's file.
    package var target: String
    /// True if the link's attachment is known, which is not so for links from an earlier catalogue.
    package var hasKnownAttachment: Bool { !attachment.text.isEmpty }
    /// True if the link should exist; the catalogue also remembers former links.
    package var stands = true

    package init(path: String, attachment: AttachmentID, target: String, stands: Bool = true) {
        (self.path, self.attachment, self.target, self.stands) = (path, attachment, target, stands)
    }

    package var folder: String { Folder.parent(of: path) }
    /// The folder that people open.
    package var root: String { Folder.parent(of: folder) }
    package var name: String { String(path.dropFirst(folder.count + 1)) }
}

extension ChartLink {
    /// The links that `plans` should have in `root`: `<date> <plan>/<nn> <title>.pdf`.
    ///
    /// `target` returns the file of a chart, or `nil` if the chart is not stored. `reserved` holds folded paths that belong to an
    /// attachment because one of the user's files is next to them or names them: no other chart gets such a path. `date` returns
    /// the musician's local date of a time: in the west, the time of an evening service is already on the next day in UTC.
    package static func wanted(
        for plans: [PlanContents], in root: String, reserved: [String: AttachmentID],
        date: (Timestamp) -> String = { LocalTime.date(nanosecondsSinceEpoch: $0.nanoseconds) }, target: (ChartUse) -> String?
    ) -> [ChartLink] {
        var links: [ChartLink] = []
        var folders: Set<String> = []
        for contents in plans {
            let charts = named(contents).compactMap { chart in target(chart.use).map { (chart.use.attachment, chart.name, $0) } }
            guard !charts.isEmpty else { continue }
            let day = contents.plan.mainTime.map { date($0) + " " } ?? ""
            let folder = unique(FileName.sanitised(day + contents.plan.displayName), among: &folders) { _ in true }
            var names: Set<String> = []
            for (attachment, title, target) in charts {
                let name = unique(title, among: &names) { name in
                    let owner = reserved[FileName.folded("\(root)/\(folder)/\(name).pdf")]
                    return owner == nil || owner == attachment
                }
                links.append(ChartLink(path: "\(root)/\(folder)/\(name).pdf", attachment: attachment, target: target))
            }
        }
        return links
    }

    /// Each chart of a plan once, at its first place, with the name that it gets if the name is free.
    private static func named(_ contents: PlanContents) -> [(use: ChartUse, name: String)] {
        var seen: Set<ChartUse> = []
        var charts: [(use: ChartUse, name: String)] = []
        for (place, item) in contents.items.enumerated() {
            let number = place < 9 ? "0\(place + 1)" : "\(place + 1)"
            for chart in item.attachments where seen.insert(chart.use).inserted {
                // Several charts of one song are distinguished by their file names.
                let title = item.attachments.count > 1 ? chart.displayName : item.title
                charts.append((chart.use, FileName.sanitised("\(number) \(FileName.sanitised(title))")))
            }
        }
        return charts
    }

    private static func unique(_ name: String, among taken: inout Set<String>, _ isFree: (String) -> Bool) -> String {
        var number = 1
        while true {
            let candidate = FileName.numbered(name, number)
            if isFree(candidate), taken.insert(FileName.folded(candidate)).inserted { return candidate }
            number += 1
        }
    }
}

/// Names for people to read, made from titles that anybody may have typed.
package enum FileName {
    /// A file system allows 255 bytes; the rest is for what PDF readers add, as in `.01 Grace.autosave.xopp`.
    package static let limit = 240

    /// `text` as a name without a suffix: one line of at most `limit` bytes, with nothing that leads to another folder, hides the
    /// file or reverses the text. If nothing remains, the name is "untitled".
    package static func sanitised(_ text: String, limit: Int = limit) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case _ where scalar == "/" || scalar == "\\": scalars.append("-")
            case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator:
                if let last = scalars.last, last != " " { scalars.append(" ") }
            case _ where scalar.properties.isBidiControl || scalar == "\u{FEFF}": break
            default: scalars.append(scalar)
            }
        }
        let trimmed = String(scalars).drop { $0 == "." || $0 == " " }
        let name = cut(trimmed, to: limit)
        return name.isEmpty ? "untitled" : name
    }

    /// The name for the `number`th of several equal names, at most `limit` bytes with the number; the first one stays unchanged.
    package static func numbered(_ name: String, _ number: Int, limit: Int = limit) -> String {
        guard number > 1 else { return name }
        let suffix = " (\(number))"
        return cut(name[...], to: limit - suffix.utf8.count) + suffix
    }

    /// A name for any file system: USB sticks and Windows forbid more characters and names, and encrypted disks allow only short names.
    package static func portable(_ text: String, number: Int = 1) -> String {
        let limit = 120
        let name = sanitised(String(text.map { "<>:\"|?*".contains($0) ? "-" : $0 }), limit: limit)
        let device = name.prefix { $0 != "." && $0 != " " }.uppercased()
        let isDevice =
            ["CON", "PRN", "AUX", "NUL"].contains(device)
            || device.count == 4 && ["COM", "LPT"].contains(device.prefix(3)) && device.last?.isNumber == true
        return numbered(isDevice ? "_" + name : name, number, limit: limit)
    }

    /// Equal for two names that a disk may treat as one: Swift ignores differences in Unicode form, and this function ignores case.
    package static func folded(_ name: String) -> String { name.lowercased() }

    private static func cut(_ text: Substring, to limit: Int) -> String {
        var rest = text
        while rest.utf8.count > limit { rest.unicodeScalars.removeLast() }
        while rest.last == "." || rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
