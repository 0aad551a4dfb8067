import Model
import Platform
import Sets
import TestSupport
import Testing

@testable import Viewer

/// Lists of songs that are made and edited in browsers.
@Suite(.onLoop) struct SetTests {
    private static let path = "/api/set/set%2F2026-12-06.txt"

    @LoopActor @Test func aListIsToldWithTheStateOfItsFile() async throws {
        let scene = try Scene()
        let reply = try await scene.get(Self.path)
        let lines =
            #"[{"kind":"remark","title":"softly"},{"kind":"song","title":"Grace","key":"G","capo":2},{"kind":"pause","title":"Pause"},"#
            + #"{"kind":"song","title":"Abide","key":null,"capo":null}]"#
        #expect(reply.text == #"{"name":"2026-12-06 Advent","of":"\#(FakeSource.list.digest.hex)","lines":\#(lines)}"#)
        #expect(try await scene.get("/api/set/p1").status == 404)
    }

    @LoopActor @Test func aNewSetNamesADayAndSongsAndNoFile() async throws {
        let scene = try Scene()
        let song = #"{"kind":"song","title":"Grace","key":"G","capo":2}"#
        let reply = try await scene.post(
            "/api/set", #"{"day":"2026-12-06","time":"10:30","title":"Advent","path":"/etc/passwd","lines":[\#(song),{"kind":"pause"}]}"#)
        #expect(reply.text == #"{"name":"2026-12-06 Advent","listed":true}"#)
        #expect(
            scene.source.drafts == [
                SetDraft(
                    .new(day: "2026-12-06", time: "10:30", title: "Advent"),
                    [.song(SongTitle(title: "Grace", key: "G", capo: 2)), .pause])
            ])
    }

    @LoopActor @Test func aListThatSomebodyElseChangedIsTold() async throws {
        let scene = try Scene()
        func save(_ digest: Digest) async throws -> HTTPProbe.Reply {
            try await scene.post(
                "/api/set",
                #"{"plan":"set/2026-12-06.txt","of":"\#(digest.hex)","lines":[{"kind":"song","title":"Vision","key":null,"capo":null}]}"#)
        }
        #expect(try await save(FakeSource.list.digest).text.contains(#""listed":true"#))
        let changed = try await save(SHA256.digest(of: "before"))
        #expect(changed.status == 409 && changed.text.hasPrefix(#"{"error":"Somebody has changed this list."#))
        #expect(changed.text.contains(#""changed":{"name":"2026-12-06 Advent""#) && changed.text.contains("softly"))
    }

    @LoopActor @Test func aLongListIsTakenAndOneThatIsTooLongIsToldTheLimit() async throws {
        let scene = try Scene()
        func save(_ count: Int, letters: Int) async throws -> HTTPProbe.Reply {
            let song = #"{"kind":"song","title":"\#(String(repeating: "é", count: letters))","key":"F#m","capo":2}"#
            let songs = Array(repeating: song, count: count).joined(separator: ",")
            return try await scene.post("/api/set", #"{"day":"2026-12-06","lines":[\#(songs)]}"#)
        }
        #expect(try await save(SetList.mostEntries, letters: SetList.longestLine).status == 200)
        let refused = try await save(15_000, letters: 1)
        #expect(refused.status == 413 && refused.text.contains("at most 500 lines"))
    }

    @LoopActor
    @Test(arguments: [
        "{}", #"{"day":"2026-12-06"}"#, #"{"lines":[]}"#, #"{"plan":"p","lines":[]}"#, #"{"plan":"p","of":"xyz","lines":[]}"#,
        #"{"day":"2026-12-06","lines":[{"kind":"file","title":"x"}]}"#, #"{"day":"2026-12-06","lines":[{"kind":"song"}]}"#,
        #"{"day":"2026-12-06","lines":[{"kind":"song","title":"x","capo":1e99}]}"#,
    ])
    func whatMakesNoSenseIsRefused(body: String) async throws {
        let scene = try Scene()
        let reply = try await scene.post("/api/set", body)
        #expect(reply.status == 400 && reply.text.contains("A set has a day"))
        #expect(scene.source.drafts.isEmpty)
    }
}
