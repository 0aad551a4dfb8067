import Foundation
import Model
import Platform
import TestSupport
import Testing
import Viewer

@testable import Readiness

/// The requests of the pages, and the viewer's answers.
@Suite(.onLoop)
struct AnswerTests {
    /// The part of a request that states which bytes the page belongs to.
    private let bytes = "of=\(ImageName.folder(of: FakeSource.hash))"

    private func object(_ reply: HTTPProbe.Reply) throws -> NSDictionary {
        #expect(reply.headers["content-type"] == "application/json")
        #expect(reply.headers["cache-control"] == "no-store")
        return try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? NSDictionary)
    }

    @LoopActor @Test func stateListsThePlans() async throws {
        let scene = try Scene()
        let state = try object(try await scene.get("/api/state"))
        let expected: NSDictionary = [
            "version": 1, "now": "2026-11-21T09:00:00Z", "lastPoll": NSNull(), "offlineSince": NSNull(), "failingPolls": NSNull(),
            "paused": false, "ownSets": false,
            "plans": [
                [
                    "id": "p1", "title": "Abide with Me", "serviceType": "Sunday", "dates": "22 November",
                    "firstTime": "2026-11-22T09:00:00Z", "allDay": false, "ready": "partly", "pages": 2, "pagesReady": 1,
                    "charts": 1, "chartsReady": 0,
                    "changes": ["New song."], "flags": [String](), "pinned": true, "doubts": NSNull(),
                ] as [String: Any]
            ],
        ]
        #expect(state == expected)
    }

    @LoopActor @Test func chartsOfOtherPlansSayWhatTheyAreAndWhen() async throws {
        let scene = try Scene()
        let expected: NSDictionary = [
            "charts": [
                [
                    "id": "a1", "name": "Chart", "title": "Abide with Me", "key": "D", "dates": "22 November",
                    "firstTime": "2026-11-22T09:00:00Z",
                ]
            ]
        ]
        #expect(try object(try await scene.get("/api/others")) == expected)
    }

    @LoopActor @Test func songsInBooksSayWhereTheyAre() async throws {
        let scene = try Scene()
        scene.source.songs = [ViewerBookSong(chart: AttachmentID("a1"), name: "Real Book", title: "So What", page: PageIndex(11))]
        let songs = try object(try await scene.get("/api/others"))["songs"] as? [NSDictionary]
        #expect(songs == [["chart": "a1", "name": "Real Book", "title": "So What", "page": 11]])
    }

    @LoopActor @Test func aChartSaysWhereItsJumpsLeadAndWhatItsPlacesAreCalled() async throws {
        let scene = try Scene()
        let plain = try object(try await scene.get("/api/chart/a1"))
        #expect(plain["jumps"] == nil && plain["bookmarks"] == nil, "only if there are any")
        let (from, to) = (PagePlace(page: PageIndex(1), x: 0.5, y: 0.75), PagePlace(page: PageIndex(0), x: 0.25, y: 0.5))
        scene.source.places = ChartPlaces(
            jumps: [
                ChartJump(id: "j", from: from, to: to, pass: 2, isOwn: true),
                ChartJump(id: "link-1", from: from, box: [0.25, 0.5, 0.75, 1], to: to),
            ],
            bookmarks: [
                ChartBookmark(id: "b", title: "Verse 2", place: to, isOwn: true),
                ChartBookmark(id: "entry-1", title: "A", level: 1, place: from),
            ])
        let chart = try object(try await scene.get("/api/chart/a1"))
        let place: NSDictionary = ["page": 0, "x": 0.25, "y": 0.5]
        #expect(
            chart["jumps"] as? [NSDictionary] == [
                ["id": "j", "page": 1, "x": 0.5, "y": 0.75, "to": place, "pass": 2, "own": true],
                ["id": "link-1", "page": 1, "x": 0.5, "y": 0.75, "box": [0.25, 0.5, 0.75, 1], "to": place],
            ])
        #expect(
            chart["bookmarks"] as? [NSDictionary] == [
                ["id": "b", "title": "Verse 2", "level": 0, "page": 0, "y": 0.5, "own": true],
                ["id": "entry-1", "title": "A", "level": 1, "page": 1, "y": 0.75],
            ])
        #expect(chart["set"] as? String != plain["set"] as? String, "open viewers are told")
    }

    @LoopActor @Test func planListsItsItems() async throws {
        let scene = try Scene()
        let plan = try object(try await scene.get("/api/plan/p1"))
        let item = try #require((plan["items"] as? [NSDictionary])?.first)
        #expect(item["kind"] as? String == "song" && item["length"] as? Int == 240 && item["arrangement"] is NSNull)
        #expect(item["tempo"] as? Int == 76)
        let chart = try #require((item["charts"] as? [NSDictionary])?.first)
        #expect(chart["state"] as? String == "partly" && chart["reason"] as? String == "1 image of page 1 still to be made.")
        #expect(chart["order"] as? [Int] == [0, 1])
        let thumbnail = try #require((chart["thumbnails"] as? [NSDictionary])?.last)
        #expect(thumbnail["src"] as? String == "/pages/\(FakeSource.name(1, .thumbnail))")
        #expect(thumbnail["here"] as? Bool == true && thumbnail["width"] as? Int == 247 && thumbnail["older"] is NSNull)
        let first = try #require((chart["thumbnails"] as? [NSDictionary])?.first)
        #expect(first["here"] as? Bool == false && first["older"] as? String == "/pages/\(FakeSource.name(0, .plain))")
    }

    @LoopActor @Test func aPlanOrChartIsAFileToBeSaved() async throws {
        let scene = try Scene()
        for path in ["/pdf/plan/p1", "/pdf/chart/a%2F1?plan=p1"] {
            let reply = try await scene.get(path)
            #expect(reply.status == 200 && reply.body == FakeImages.bytes && reply.headers["content-type"] == "application/pdf")
            #expect(reply.headers["content-disposition"] == "attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe%201%2Epdf")
            #expect(reply.headers["x-woodshed-without"] == "Song%20b%2Epdf" && reply.headers["cache-control"] == "no-store")
        }
        let made = scene.source.pdfs.count
        let asked = try await scene.get("/pdf/plan/p1", method: "HEAD")
        #expect(asked.status == 405 && asked.headers["allow"] == "GET")
        #expect(scene.source.pdfs.count == made, "none is made to answer that")
        let refused = try await scene.get("/pdf/plan/p2")
        #expect(refused.status == 503 && refused.text.contains("None of its charts can be exported."))
    }

    /// Ids from the service may contain any character, so an encoded slash in an address must reach the source as part of the id.
    @LoopActor @Test func namesWithSlashesArriveWhole() async throws {
        let scene = try Scene()
        #expect(try await scene.get("/api/plan/p%2F..%2F1").status == 400)
        #expect(try await scene.get("/api/plan/p%2F1").text.contains("There is no plan p/1."))
        #expect(try await scene.get("/live/a%2F1/1?\(bytes)&marked=0&long=500").status == 200)
        #expect(scene.source.lives.first?.page.chart == AttachmentID("a/1"))
    }

    @LoopActor @Test func chartTellsItsPages() async throws {
        let scene = try Scene()
        let chart = try object(try await scene.get("/api/chart/a1?plan=p1&item=i1"))
        #expect(chart["hash"] as? String == FakeSource.hash.description)
        let page = try #require((chart["pages"] as? [NSDictionary])?.last)
        #expect(page["marked"] as? Bool == false)
        #expect((page["plain"] as? NSDictionary)?["ink"] as? [Int] == [993, 260, 9007, 10_000], "upright, too")
        #expect((page["thumbnail"] as? NSDictionary)?["ink"] is NSNull)
        #expect((page["plain"] as? NSDictionary)?["marks"] as? [Int] == [0, 0, 0, 0])
        #expect((page["plain"] as? NSDictionary)?["bands"] as? [Int] == [0, 500, 0, 4000, 4500, 1])
        #expect((page["plain"] as? NSDictionary)?["slant"] as? Int == -52)
        #expect((page["plain"] as? NSDictionary)?["src"] as? String == (page["annotated"] as? NSDictionary)?["src"] as? String)
        #expect(chart["next"] as? NSDictionary == ["chart": "a2", "item": "i1", "title": "p1"])
        #expect(chart["previous"] is NSNull)
        let source = try await scene.source.chart(AttachmentID("a1"), in: nil, item: nil)
        #expect(chart["set"] as? String == source.set)
        #expect(try await scene.get("/api/chart/a9").status == 404)
    }

    @LoopActor @Test func aChartIsToldInAnotherKeyOfItsPlan() async throws {
        let scene = try Scene()
        let chart = try object(try await scene.get("/api/chart/a1?plan=p1&item=i1&key=Eb"))
        #expect(chart["key"] as? String == "Eb")
        #expect(try object(try await scene.get("/api/chart/a1?plan=p1&item=i1"))["key"] as? String != "Eb")
        #expect(scene.source.read.isEmpty, "nobody chose it")
    }

    @LoopActor @Test func setTellsWhatIsShownNotWhatIsRendered() async throws {
        let source = FakeSource()
        let chart = try await source.chart(AttachmentID("a1"), in: nil, item: nil)
        var other = chart
        other.pages[0].plain.isHere.toggle()
        other.pages[0].thumbnail.former = FakeSource.missing
        other.pages[0].annotated.ink = nil
        other.next = ViewerChart.Neighbour(chart: AttachmentID("a3"), item: ItemID("i3"), title: "")
        #expect(other.set == chart.set)
        other.layers[0].isVisible.toggle()
        #expect(other.set != chart.set)
        other = chart
        other.pages[0].annotated.name = FakeSource.name(1, .annotated)
        #expect(other.set != chart.set)
    }

    @LoopActor @Test func imagesThatAreThereNeedNoLoop() async throws {
        let scene = try Scene()
        for variant in [Variant.plain, .annotated] {
            let reply = try await scene.get("/pages/\(FakeSource.name(0, variant))")
            #expect(reply.body == FakeImages.bytes)
            #expect(reply.headers["content-type"] == "image/png")
            #expect(reply.headers["cache-control"] == "private, max-age=31536000, immutable")
        }
        #expect(scene.source.asked.isEmpty)
    }

    @LoopActor @Test func imageThatIsNotThereIsMade() async throws {
        let scene = try Scene()
        let reply = try await scene.get("/pages/\(FakeSource.missing)")
        #expect(reply.text == "made now")
        #expect(reply.headers["cache-control"]?.contains("immutable") == true)
        let gone = try await scene.get("/pages/\(FakeSource.name(1, .annotated))")
        #expect(gone.status == 410)
        #expect(gone.headers["cache-control"] == "no-store")
        #expect(scene.source.asked == [FakeSource.missing, FakeSource.name(1, .annotated)])
    }

    @LoopActor @Test func livePagesAreNotKept() async throws {
        let scene = try Scene()
        let reply = try await scene.get("/live/a1/1?\(bytes)&marked=1&long=5464")
        #expect(reply.text == "live 5464")
        #expect(reply.headers["cache-control"] == "no-store")
        #expect(scene.source.lives.map(\.page) == [ViewerPageChoice(chart: AttachmentID("a1"), page: PageIndex(1), isMarked: true)])
        #expect(try await scene.get("/live/a1/2?\(bytes)&marked=0&long=100").status == 503)
        for wrong in ["a1/1?", "a1/1?long=5", "a1/-1?marked=0&long=5", "a1?marked=0&long=5", "/1?marked=0&long=5", "a1/1?marked=2&long=5"] {
            #expect(try await scene.get("/live/\(wrong)&\(bytes)").status == 404)
        }
        for wrong in ["", "&of=", "&of=..", "&of=\(FakeSource.hash)"] {
            #expect(try await scene.get("/live/a1/1?marked=0&long=5" + wrong).status == 404)
        }
        for long in ["0", "-1"] { #expect(try await scene.get("/live/a1/1?\(bytes)&marked=0&long=" + long).status == 400) }
        #expect(scene.source.lives.count == 2)
        // The requested size is limited to the largest square page that can be drawn.
        #expect(try await scene.get("/live/a1/1?\(bytes)&marked=0&long=12000").text == "live 8192")
        // Each browser counts as a viewer of its own.
        let other = try Scene.cookie(of: scene.viewer)
        #expect(try await scene.get("/live/a1/1?\(bytes)&marked=1&long=100").status == 200)
        #expect(
            try await Scene.send("GET", scene.origin + "/live/a1/1?\(bytes)&marked=1&long=100", headers: [("Cookie", other)]).status == 200)
        #expect(Set(scene.source.viewers.prefix(4)).count == 1 && scene.source.viewers[4] != scene.source.viewers[0])
    }

    /// While a browser shows the former version of a chart, a page of the new version must not appear in its place.
    @LoopActor @Test func livePagesAreOfTheBytesThatAreNamed() async throws {
        let scene = try Scene()
        let other = ImageName.folder(of: ChartHash(SHA256.digest(of: "replaced")))
        #expect(try await scene.get("/live/a1/1?of=\(other)&marked=1&long=5464").status == 410)
    }

    @LoopActor @Test func changesReachTheSource() async throws {
        let scene = try Scene()
        #expect(try await scene.post("/api/look", #"{"plan":"p1"}"#).status == 200)
        #expect(try await scene.post("/api/look", #"{"plan":null}"#).status == 200)
        #expect(scene.source.looked == [PlanID("p1"), nil])
        let selected = try object(
            try await scene.post("/api/select", #"{"chart":"a1","item":"i1","plan":"p1","page":0,"marked":true}"#))
        #expect(selected == ["src": "/pages/\(FakeSource.name(0, .annotated))"])
        let choice = ViewerPageChoice(
            chart: AttachmentID("a1"), plan: PlanID("p1"), item: ItemID("i1"), page: PageIndex(0), isMarked: true)
        #expect(scene.source.selected == [choice])
        let overtaken = try await scene.post("/api/select", #"{"chart":"a1","page":2,"marked":true}"#)
        #expect(overtaken.status == 200)
        #expect(try object(overtaken) == ["overtaken": true])
        let chart = try object(try await scene.post("/api/layers", #"{"chart":"a1","layer":"l1","visible":false}"#))
        #expect((chart["layers"] as? [NSDictionary])?.first?["visible"] as? Bool == false)
        #expect(try await scene.post("/api/layers", #"{"chart":"a1","layer":"l2","visible":false}"#).status == 404)
        for answer in [#""right":true"#, #""right":false"#, #""state":"were""#, #""state":"moved""#] {
            let body = #"{"chart":"a1","of":"\#(FakeSource.hash)",\#(answer)}"#
            let settled = try object(try await scene.post("/api/older", body))
            #expect((settled["layers"] as? [NSDictionary])?.first?["older"] as? [Int] == [])
        }
        let other = String(repeating: "0", count: 64)
        #expect(try await scene.post("/api/older", #"{"chart":"a1","of":"\#(other)","right":true}"#).status == 410)
        #expect(try await scene.post("/api/older", #"{"chart":"a1","of":"\#(FakeSource.hash)","state":"gone"}"#).status == 400)
        #expect(scene.source.settled == [.right, .hide, .were, .moved])
        let mark = #""chart":"a1","of":"\#(FakeSource.hash)","layer":"l1","id":"m""#
        for place in [#""page":2,"x":0.5,"y":0.25"#, #""out":true"#] {
            #expect(try await scene.post("/api/place", "{\(mark),\(place)}").status == 200, "\(place)")
        }
        for place in [#""page":2,"x":7,"y":0"#, #""x":0"#] {
            #expect(try await scene.post("/api/place", "{\(mark),\(place)}").status == 400, "\(place)")
        }
        #expect(scene.source.placed == ["l1 m 2 0.5 0.25", "l1 m out"])
        #expect(try await scene.post("/api/seen", #"{"plan":"p1"}"#).status == 200)
        #expect(scene.source.seen == [PlanID("p1")])
        for body in [#"{"plan":"p1","of":"x"}"#, #"{"chart":"a1","plan":"p1","of":"y"}"#] {
            #expect(try await scene.post("/api/accept", body).status == 200)
        }
        #expect(scene.source.accepted == ["p1 x", "a1 p1 y"])
        #expect(try await scene.post("/api/sync", "{}").status == 200)
        #expect(scene.source.syncs == 1)
    }

    @LoopActor @Test func damagedImagesAreReported() async throws {
        let scene = try Scene()
        let (bad, good) = (FakeSource.name(0, .plain), FakeSource.name(1, .plain))
        #expect(try object(try await scene.post("/api/damaged", #"{"page":"/pages/\#(bad)"}"#)) == ["damaged": true])
        #expect(try object(try await scene.post("/api/damaged", #"{"name":"\#(good)"}"#)) == ["damaged": false])
        #expect(scene.source.reported == [bad, good])
        for wrong in ["{}", #"{"page":7}"#, #"{"page":"/live/a1/1"}"#, #"{"page":"/pages/../x.png"}"#, #"{"name":"/pages/\#(bad)"}"#] {
            #expect(try await scene.post("/api/damaged", wrong).status == 400, "\(wrong)")
        }
        for (name, value) in [("Origin", "http://elsewhere.test"), ("X-Woodshed-Token", "wrong"), ("Cookie", "")] {
            #expect(try await scene.post("/api/damaged", #"{"name":"\#(bad)"}"#, headers: [(name, value)]).status == 403, "\(name)")
        }
        #expect(scene.source.reported.count == 2)
    }

    /// A person accepts only the faults that were shown, so the tag must depend on every fact in a note, and no file's name may make
    /// two notes alike.
    @Test func whatIsAcceptedIsKnownByAllOfIt() {
        let tags = ["b", "c"].map { name in
            let state = FormerMarks(
                number: 1, path: "/m/a; '\(name)'.xopp", vanishedAt: Timestamp(nanoseconds: 0), marks: 3, missing: 2)
            return ReadinessReport.Chart(
                attachment: AttachmentID("1"), filename: "1.pdf", item: "Song", hash: nil, pages: nil, wanted: 0, present: 0, lacks: [],
                notes: [.marksVanished(state, chart: AttachmentID("1"))]
            ).doubts?.tag
        }
        #expect(tags[0] != nil && tags[0] != tags[1])
    }

    @LoopActor
    @Test(arguments: [
        ("/api/select", "{}"), ("/api/select", #"{"chart":"a1","page":-1,"marked":true}"#),
        ("/api/select", #"{"chart":1,"page":0,"marked":true}"#), ("/api/seen", "{}"), ("/api/look", "nonsense"), ("/api/look", ""),
        ("/api/layers", #"{"chart":"a1","visible":true}"#), ("/api/older", #"{"chart":"a1","right":true}"#),
        ("/api/older", #"{"chart":"a1","of":"x","right":true}"#),
        ("/api/look", String(repeating: "[", count: 50_000)),
    ]) func changesWithoutSenseAreRefused(path: String, body: String) async throws {
        let scene = try Scene()
        #expect(try await scene.post(path, body).status == 400)
        #expect(scene.source.looked.isEmpty && scene.source.selected.isEmpty && scene.source.seen.isEmpty)
    }

    @LoopActor @Test func everythingThatThePagesNameIsThere() async throws {
        let scene = try Scene()
        var names: Set<String> = []
        var open: [String] = ["/"]
        while let path = open.popLast() {
            let reply = try await scene.get(path)
            #expect(reply.status == 200, "\(path)")
            #expect(reply.headers["content-security-policy"]?.contains("default-src 'none'") == true)
            for match in reply.text.matches(of: /\/assets\/([A-Za-z0-9._-]+)/) where names.insert(String(match.1)).inserted {
                open.append("/assets/" + match.1)
            }
        }
        #expect(names.count == 8 && names.isSuperset(of: ["icon.svg", "manifest.json", "home-screen.png", "service-worker.js"]))
        #expect(try await scene.get("/assets/none.js").status == 404)
        // The shell contains a token, so it is not served as a file.
        #expect(try await scene.get("/assets/index.html").status == 404)
    }

    @LoopActor @Test func filesAreSentOnceAndAskedAfter() async throws {
        let scene = try Scene()
        let first = try await scene.get("/assets/icon.svg")
        #expect(first.headers["content-type"] == "image/svg+xml")
        let tag = try #require(first.headers["etag"])
        let again = try await scene.get("/assets/icon.svg", headers: [("If-None-Match", tag)])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
    }

    @LoopActor @Test func everyAddressGetsTheShell() async throws {
        let scene = try Scene()
        for (path, status) in [("/", 200), ("/plan/p1", 200), ("/chart/a1?plan=p1", 200), ("/plan/", 404), ("/plans", 404), ("/x/y", 404)] {
            let reply = try await scene.get(path)
            #expect(reply.status == status)
            #expect(reply.text.contains("<main id=\"content\""))
            #expect(!reply.text.contains("{{"))
            #expect(reply.headers["cache-control"] == "no-store")
            #expect(try await scene.get(path, method: "HEAD").status == status)
        }
        #expect(try await scene.get("/api/none").status == 404)
        #expect(try await scene.get("/", method: "PUT").status == 405)
    }
}
