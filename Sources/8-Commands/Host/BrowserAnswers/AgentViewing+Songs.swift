import Agent
import Catalogue
import Library
import Model
import Platform
import Readiness
import Songs
import Viewer

/// Songs drawn by this program: their possible keys, and their current ones.
extension AgentViewing {
    func read(
        _ song: SongID, as view: SongView?, in plan: PlanID, item: ItemID?, isEverywhere: Bool
    ) async throws(Trouble) -> AttachmentID {
        if let key = [view?.key, view?.from].compactMap(\.self).first(where: { Key($0) == nil || $0.contains(" ") }) {
            throw Trouble(.senseless(because: nil), "'\(key)' is no key; a key is written as in G or F#m.")
        }
        if let trouble = try reading({ () throws(LibraryError) in try objection(to: view, of: song, in: plan) }) {
            throw Trouble(.senseless(because: nil), trouble.asSentence)
        }
        let trouble = try await agent.read(song, as: view, in: plan, isEverywhere: isEverywhere)
        news.checkPlansSoon()
        let drawn = AttachmentID(drawnFrom: song)
        let items = try reading { () throws(LibraryError) in try library.plans.plan(plan)?.items.filter { $0.song?.id == song } ?? [] }
        // The song's other charts say as well in which key it is drawn.
        news.receive(.reconciled(changed: Set(items.flatMap(\.attachments).map(\.id)).union([drawn])))
        if let trouble { throw Trouble("The song could not be drawn: \(trouble)".asSentence) }
        guard view == nil, let shown = items.first(where: { $0.id == item }) ?? items.first, shown.song?.isShown == false else {
            return drawn
        }
        return shown.attachments.first?.id ?? drawn
    }

    /// Why a song cannot be shown in the key of `view`: one key is major, the other minor. Nil if it can.
    private func objection(to view: SongView?, of song: SongID, in plan: PlanID) throws(LibraryError) -> String? {
        guard let wanted = view?.key.flatMap({ Key($0) }),
            let item = try library.plans.plan(plan)?.items.first(where: { $0.song?.id == song }),
            let own = try statedKey(of: item, as: view).flatMap({ Key($0) }), own.isMinor != wanted.isMinor
        else { return nil }
        return "\(Trouble.otherMode(own, wanted))"
    }

    /// What the text of an item's song says; nil until the song has been drawn.
    private func facts(of item: PlanItem) throws(LibraryError) -> SongFacts? {
        guard let song = item.song, let use = item.attachments.first(where: { $0.origin?.song == song.text })?.use,
            let chart = try library.charts.chart(of: use)
        else { return nil }
        return try library.songs.facts(of: chart.hash)
    }

    /// The key in which an item's chords are written: from the service, from the text or, if neither says, from the musician.
    private func statedKey(of item: PlanItem, as view: SongView?) throws(LibraryError) -> String? {
        guard let song = item.song, let text = try library.songs.text(song.text) else { return nil }
        let facts = try facts(of: item)
        return text.key ?? facts?.key ?? view?.from
    }

    func chart(_ id: AttachmentID, in plan: PlanID, item: ItemID?, as key: String) async throws(Trouble) -> ViewerChart {
        var chart = try await read(id, in: plan, item: item)
        guard let song = chart.item.song?.id, id == AttachmentID(drawnFrom: song), let origin = chart.attachment.origin, Key(key) != nil,
            try reading({ () throws(LibraryError) in try objection(to: SongView(key: key), of: song, in: plan) }) == nil
        else { throw .unknownChart }
        let present = chart.attachment
        var view = origin.view
        // For the plan's own key, use the service's spelling.
        view.key = Key(chart.item.keyName)?.description == key ? chart.item.keyName : key
        chart.attachment.generatedFrom = SheetOrigin(song: origin.song, view).text
        let (attachment, outlook) = (chart.attachment, chart.outlook)
        let (ahead, pages) = try await agent.pages(of: attachment, insteadOf: present, outlook.pages)
        (chart.hash, chart.chords, chart.pages) = (ahead.hash, ahead.key, pages)
        if let at = chart.item.attachments.firstIndex(where: { $0.id == id }) { chart.item.attachments[at] = attachment }
        chart.song?.view = view
        chart.song?.sounding = key
        chart.places = try reading { () throws(LibraryError) in try places(of: chart, in: ahead.key.flatMap { ChordKey($0) }) }
        return chart
    }

    func song(of item: PlanItem, in plan: PlanID) throws(LibraryError) -> ViewerSong? {
        guard let song = item.song, try library.songs.text(song.text) != nil else { return nil }
        let drawn = item.attachments.first { $0.id == AttachmentID(drawnFrom: song.id) }?.origin?.view
        let isBeside = !song.isShown && item.attachments.contains { $0.id != AttachmentID(drawnFrom: song.id) }
        var scope: ViewerSong.Scope?
        if try library.songs.view(of: song.id, in: nil) != nil { scope = .everywhere }
        if try library.songs.view(of: song.id, in: plan) != nil { scope = .plan }
        let facts = try facts(of: item)
        let written = try statedKey(of: item, as: drawn)
        let sound = facts?.sound(of: written) ?? written
        var row = KeyRow(writtenIn: written, wanted: item.keyName)
        if written == nil, drawn != nil, facts == nil {
            row.reason = "Woodshed draws this song anew with the next sync, and then knows its keys."
        }
        var remarks: [String] = []
        if let use = item.attachments.first(where: { $0.origin?.song == song.text })?.use, let chart = try library.charts.chart(of: use) {
            remarks = try library.songs.remarks(on: chart.hash)
        }
        return ViewerSong(
            song.id, in: plan, usualWriting: isBeside ? song.writing : nil, keys: row.keys, reason: row.reason, written: row.written,
            wanted: row.wanted, view: drawn,
            sounding: drawn.flatMap { row.name(of: $0.key ?? sound) }, scope: scope, remarks: remarks,
            likely: written == nil ? facts?.likely : nil)
    }
}

extension SongFacts {
    /// The key in which a song in this key sounds by default, with the capo that its text gives.
    func sound(of written: String?) -> String? { written.flatMap { Key($0) }.map { "\($0.moved(semitones: capo))" } }

    fileprivate var likely: ViewerSong.Likely? { likelyKey.map { .init(key: $0, reason: likelyReason ?? "") } }
}

/// The twelve keys of a song, each under one name: the plan's or the song's own spelling if either uses that key. Empty if the
/// song's key is not known.
struct KeyRow {
    private(set) var keys: [ViewerSong.Key] = []
    fileprivate(set) var reason: String?
    private(set) var written: String?
    private(set) var wanted: String?

    /// The row's name for a key; nil if the key is not in the row. A nil `key` stands for the key in which the song is written.
    func name(of key: String?) -> String? {
        guard let key = key.flatMap({ Key($0) }) else { return key == nil ? written : nil }
        return keys.first { Key($0.name).map { $0.isMinor == key.isMinor && $0.tonic.pitch == key.tonic.pitch } ?? false }?.name
    }

    init(writtenIn text: String?, wanted name: String) {
        guard let text else {
            reason = "Nobody says which key it is written in; set {key} in its file, or the key of its chord chart."
            return
        }
        guard let key = Key(text) else {
            reason = "It says that it is written in '\(text)', which is no key."
            return
        }
        if let other = Key(name), other.isMinor != key.isMinor {
            reason =
                "The plan has it in \(name), and its text is in \(text), which is \(key.isMinor ? "minor" : "major"): it stays in \(text)."
        }
        let plans = Key(name).flatMap { $0.isMinor == key.isMinor ? $0 : nil }
        // The row starts at C, or at A minor.
        let first = Key(tonic: Note(fifths: key.isMinor ? 3 : 0), isMinor: key.isMinor)
        let row = (0..<12).map { steps in
            let usual = first.moved(semitones: steps)
            return [plans, key].compactMap(\.self).first { $0.tonic.pitch == usual.tonic.pitch } ?? usual
        }
        keys = row.map { key in
            ViewerSong.Key(name: key.description, shapes: SongView.frets.map { key.shapes(capo: $0).description })
        }
        written = row.first { $0.tonic.pitch == key.tonic.pitch }?.description
        wanted = plans.flatMap { plans in row.first { $0.tonic.pitch == plans.tonic.pitch }?.description }
    }
}
