import Model
import Songs

/// A text above or below a song. Lengths are in points.
struct Label: Hashable {
    enum Tone: Hashable {
        case ink, quiet
    }

    enum Side: Hashable {
        case left, right
    }

    var text: String
    var x: Double
    var baseline: Double
    var side = Side.left
    var face = Face.words
    var size: Double
    var tone = Tone.ink
}

/// The labels around a song: title, key, capo, author, tempo, meter, order of the parts, copyright. They take the same room in every key.
struct SheetLabels {
    private(set) var frame: PageFrame
    private(set) var first: [Label] = []
    /// The position of the line below the title and the other labels.
    private(set) var rule: Double

    private let title: String
    private let key: String
    private let measure: any TextMeasure

    private static let margin = 34.0
    private static let top = 36.0
    /// The widths kept free next to the title for the key and next to the rows below it for the capo.
    private static let keyRoom = 110.0
    private static let capoRoom = 195.0
    private static let capoSize = 12.5
    private static let infoSize = 10.5
    private static let subtitleSize = 12.5
    /// The order of the parts, if given, always gets this many rows. It differs from plan to plan, but must never move the words.
    private static let orderRows = 2
    /// The width kept free for the key and the capo on later pages, in ems.
    private static let keyWords = 19.0

    init(_ text: SongText, _ copies: SongCopies, measure: any TextMeasure) {
        let (width, height) = text.paper == .a4 ? (595.276, 841.89) : (612.0, 792.0)
        frame = PageFrame(
            width: width, height: height, firstTop: 0, top: 62, firstBottom: height - Self.margin, bottom: height - Self.margin)
        title = (copies.own.title.flatMap { $0.isEmpty ? nil : $0 } ?? text.title).plainLine
        self.measure = measure
        let capo = copies.isMoved ? copies.shown.capo : 0
        let shapes = capo == 0 ? nil : copies.shown.key?.name(in: copies.shown.naming)
        let capoText = capo == 0 ? nil : "Capo \(capo)" + (shapes.map { " · shapes in \($0)" } ?? "")
        key = [copies.sounding.map { "Key \($0)" }, capoText].compactMap(\.self).joined(separator: " · ")
        rule = 0
        var baseline = addTitle()
        for subtitle in copies.own.details("subtitle").prefix(2) {
            baseline += Self.subtitleSize * 1.35
            let row = cut(copies.shown.expanding(subtitle).plainLine, to: (frame.textWidth - Self.keyRoom) / Self.subtitleSize, in: .words)
            first.append(Label(text: row, x: PageFrame.side, baseline: baseline, size: Self.subtitleSize))
        }
        if let key = copies.sounding {
            let size = 18.0
            let place = frame.width - PageFrame.side
            first.append(
                Label(
                    text: key, x: place, baseline: Self.top + size * 0.95, side: .right, face: Face(isBold: true), size: size)
            )
            first.append(
                Label(
                    text: "Key", x: place - measure.width(of: key, in: Face(isBold: true)) * size - 6, baseline: Self.top + size * 0.95,
                    side: .right, size: Self.infoSize, tone: .quiet))
        } else if let likely = copies.likely {
            let place = frame.width - PageFrame.side
            first.append(
                Label(text: likely, x: place, baseline: Self.top + Self.infoSize, side: .right, size: Self.infoSize, tone: .quiet))
        }
        var y = baseline + Self.infoSize * 1.6
        if let capoText {
            first.append(
                Label(
                    text: capoText, x: frame.width - PageFrame.side, baseline: y, side: .right, face: Face(isBold: true),
                    size: Self.capoSize))
        }
        y = addInfo(text, copies.own, from: y)
        rule = y + 7
        frame.firstTop = rule + 13
        addFoot(Self.rights(text, copies.own), size: 8, isShown: true)
        if !copies.unmoved.isEmpty {
            let names = copies.unmoved.map(\.plainLine).joined(separator: "; ")
            addFoot("Not moved to this key: \(names)", size: 9, isShown: copies.namesUnmoved)
        }
    }

    /// The copyright and the licence's number, which must be on the page, then the song's album and year.
    private static func rights(_ text: SongText, _ song: Song) -> String {
        let copyright = text.copyright.map { [$0] } ?? song.details("copyright")
        let rest = song.details("ccli").map { "CCLI \($0)" } + song.details("album") + song.details("year")
        return (copyright + rest).joined(separator: " · ")
    }

    /// The labels of a page after the first.
    func later(_ page: Int, of pages: Int) -> [Label] {
        let (size, baseline) = (10.0, Self.top + 8)
        let number = "Page \(page + 1) of \(pages)"
        let room = frame.textWidth / size - measure.width(of: number, in: .words) - 8
        let name = cut(title, to: room - (key.isEmpty ? 0 : Self.keyWords), in: Face(isBold: true)) + (key.isEmpty ? "" : " · \(key)")
        return [
            Label(text: name, x: PageFrame.side, baseline: baseline, face: Face(isBold: true), size: size),
            Label(text: number, x: frame.width - PageFrame.side, baseline: baseline, side: .right, size: size, tone: .quiet),
        ]
    }

    /// Adds the title, in smaller letters or in up to three rows if it is long. Returns the baseline of its last row.
    private mutating func addTitle() -> Double {
        let face = Face(isBold: true)
        let room = frame.textWidth - Self.keyRoom
        let size = min(21, max(15, room / max(measure.width(of: title, in: face), 1)))
        var baseline = Self.top + size * 0.95
        for (number, row) in rows(title, room / size, face, most: 3).enumerated() {
            if number > 0 { baseline += size * 1.2 }
            first.append(Label(text: row, x: PageFrame.side, baseline: baseline, face: face, size: size))
        }
        return baseline
    }

    /// Adds the rows below the title. Returns the baseline of the last row, including the rows that are kept free for the order of the
    /// parts.
    private mutating func addInfo(_ text: SongText, _ song: Song, from start: Double) -> Double {
        let tempo = text.tempo.map(String.init) ?? song.detail("tempo")
        let people = text.author.map { [$0] } ?? Self.people(of: song)
        let pace = [tempo.map { "\($0) bpm" }, text.meter ?? song.detail("time"), song.detail("duration")].compactMap(\.self)
        let info = (people + pace).filter { !$0.isEmpty }
        var y = start
        let room = (frame.textWidth - Self.capoRoom) / Self.infoSize
        for (number, row) in rows(info.joined(separator: " · ").plainLine, room, .words, most: 2).enumerated() {
            if number > 0 { y += Self.infoSize * 1.35 }
            first.append(Label(text: row, x: PageFrame.side, baseline: y, size: Self.infoSize, tone: .quiet))
        }
        let order = text.order.map(\.plainLine).filter { !$0.isEmpty }
        // Non-breaking spaces keep each name of a part in one row.
        let names = order.map { $0.split(separator: " ").joined(separator: "\u{A0}") }.joined(separator: " · ")
        for (number, row) in rows(names, frame.textWidth / Self.infoSize, .words, most: Self.orderRows).enumerated() {
            let row = row.split(separator: "\u{A0}").joined(separator: " ")
            let baseline = y + Double(number + 1) * Self.infoSize * 1.45
            first.append(Label(text: row, x: PageFrame.side, baseline: baseline, size: Self.infoSize))
        }
        return order.isEmpty ? y : y + Double(Self.orderRows) * Self.infoSize * 1.45
    }

    /// Everybody who made the song. A person who is named in several roles is listed once, in the first of them.
    private static func people(of song: Song) -> [String] {
        let roles = [("artist", ""), ("composer", "music: "), ("lyricist", "words: "), ("arranger", "arr. ")]
        var known: Set<String> = []
        return roles.flatMap { name, role in
            let names = song.details(name).filter { known.insert($0).inserted }
            return names.isEmpty ? [] : [role + names.joined(separator: ", ")]
        }
    }

    /// Adds small print at the foot of the first page, above earlier small print. If the text is not shown, its room stays free: the words
    /// have to be in the same places in every key.
    private mutating func addFoot(_ text: String, size: Double, isShown: Bool) {
        let rows = rows(text.plainLine, frame.textWidth / size, .words, most: 3)
        guard !rows.isEmpty else { return }
        for (number, row) in rows.enumerated() where isShown {
            let baseline = frame.firstBottom + 6 - Double(rows.count - 1 - number) * size * 1.3
            first.append(Label(text: row, x: PageFrame.side, baseline: baseline, size: size, tone: .quiet))
        }
        frame.firstBottom -= Double(rows.count) * size * 1.3 + 2
    }

    /// Breaks a text into rows of this width in ems, at most `most`. Rows that are too long are cut off, with "…" at the end.
    private func rows(_ text: String, _ width: Double, _ face: Face, most: Int) -> [String] {
        var rows: [String] = []
        for word in text.split(separator: " ") {
            if let last = rows.last, rows.count == most || measure.width(of: last + " " + word, in: face) <= width {
                rows[rows.count - 1] = last + " " + word
            } else {
                rows.append(String(word))
            }
            // No real title is longer, so ignore the rest of the text.
            if rows.count == most, rows[most - 1].utf8.count > 400 { break }
        }
        return rows.map { cut($0, to: width, in: face) }
    }

    private func cut(_ text: String, to width: Double, in face: Face) -> String {
        guard measure.width(of: text, in: face) > width else { return text }
        var letters = text.prefix(400)
        while !letters.isEmpty, measure.width(of: letters + "…", in: face) > width { letters.removeLast(max(1, letters.count / 16)) }
        return letters + "…"
    }
}
