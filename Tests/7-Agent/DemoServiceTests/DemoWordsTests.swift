import Foundation
import Songs
import StandInSupport
import TestSupport
import Testing

/// The words and chords of the demo's songs.
@Suite(.timeLimit(.minutes(5)))
struct DemoWordsTests {
    /// All songs, each with its only arrangement and the keys of that arrangement.
    static func songs(_ stand: Stand) throws -> [(song: Answer, arrangement: Answer, keys: [String])] {
        try stand.api("GET", "/songs?per_page=100").json["data"].list.map { song in
            let arrangements = try stand.api("GET", "/songs/\(song.id)/arrangements?include=keys").json
            let arrangement = try #require(arrangements["data"].list.first)
            return (song, arrangement, arrangements["included"].list.compactMap { $0["attributes"]["starting_key"].text })
        }
    }

    @Test func everySongHasWordsThatReadersUnderstand() throws {
        let songs = try Self.songs(Stand())
        #expect(songs.count >= 8)
        for (song, arrangement, keys) in songs {
            let title = try #require(song["attributes"]["title"].text)
            let words = arrangement["attributes"]
            let text = try #require(words["chord_chart"].text, "\(title)")
            let key = words["chord_chart_key"].text
            let reading = try SongReading(service: text, title: title, key: key)
            #expect(reading.remarks == [], "\(title)")
            #expect(!reading.song.sections.compactMap(\.heading).isEmpty, "\(title)")
            // A text's key is one of the song's keys; a text without chords has no key.
            let hasChords = !reading.song.chords.isEmpty
            #expect(words["has_chords"].value as? Bool == hasChords, "\(title)")
            #expect(hasChords ? key.map(keys.contains) == true && reading.song.key != nil : key == nil, "\(title)")
            #expect(words["has_chord_chart"].value as? Bool == true)
            #expect(song["attributes"]["copyright"].text == "Public Domain")
        }
        #expect(songs.contains { $0.arrangement["attributes"]["has_chords"].value as? Bool == false })
    }

    @Test func lyricsHaveNoChordsAndSequencesNoOtherPartsThanTheText() throws {
        for (_, arrangement, _) in try Self.songs(Stand()) {
            let words = arrangement["attributes"]
            let lyrics = try #require(words["lyrics"].text)
            let reading = try SongReading(service: lyrics)
            #expect(reading.song.chords.isEmpty && !lyrics.contains("{") && !lyrics.contains("TRANSPOSE"), "\(lyrics)")
            let headings = try SongReading(service: #require(words["chord_chart"].text)).song.sections.compactMap(\.heading?.name)
            let sequence = words["sequence"].list.compactMap(\.text)
            #expect(Set(sequence.map { $0.uppercased() }) == Set(headings))
        }
    }

    /// Songs whose only chart is drawn from the text.
    @Test func twoSongsThatAreToComeHaveWordsAndNoFile() throws {
        let stand = try Stand()
        var without: [String] = []
        for plan in ["501001/plans/67810002", "501002/plans/67820001", "501001/plans/67810003"] {
            let path = "/service_types/\(plan)"
            let files = try stand.api("GET", path + "/all_attachments?per_page=100").json["data"].list
            let owners = Set(files.map { $0["relationships"]["attachable"]["data"].id })
            for item in try stand.api("GET", path + "/items?per_page=100").json["data"].list
            where item["attributes"]["item_type"].text == "song" {
                let ids = [item.id] + ["song", "arrangement", "key"].map { item["relationships"][$0]["data"].id }
                if owners.isDisjoint(with: ids) { without.append(try #require(item["attributes"]["title"].text)) }
            }
        }
        #expect(without == ["Shall We Gather at the River", "O Come, O Come, Emmanuel"])
    }

    @Test func itemsNameTheArrangementThatIsServedAlone() throws {
        let stand = try Stand()
        let reply = try stand.api("GET", "/service_types/501001/plans/67810002/items?include=song,arrangement&per_page=100")
        for kind in ["Song", "Arrangement"] {
            let included = reply.json["included"].list.filter { $0["type"].text == kind }
            #expect(included.count == 3)
            for one in included {
                let song = one["relationships"]["song"]["data"].id
                let path = kind == "Song" ? "/songs/\(one.id)" : "/songs/\(song)/arrangements/\(one.id)"
                let alone = try stand.api("GET", path).json["data"]
                #expect(alone.value as? NSDictionary == one.value as? NSDictionary)
            }
        }
        let grace = try #require(try Self.songs(stand).first)
        let path = "/songs/\(grace.song.id)/arrangements/\(grace.arrangement.id)"
        #expect(try stand.api("GET", path + "/keys").json["data"].list.map { $0["attributes"]["starting_key"].text } == ["G"])
        #expect(try stand.api("GET", "/songs/1").status == 404)
        #expect(try stand.api("GET", "/songs/\(grace.song.id)/arrangements/1").status == 404)
        #expect(try stand.api("GET", path + "/nothing").status == 404)
    }
}
