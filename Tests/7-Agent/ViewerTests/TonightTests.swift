import Model
import Platform
import Readiness
import TestSupport
import Testing

@testable import Viewer

/// Tonight's set, as pages change it.
@Suite(.onLoop) struct TonightTests {
    @LoopActor @Test func aChangeNamesTheStateThatItIsMadeOn() async throws {
        let scene = try Scene()
        let bodies = [
            #"{"plan":"p1","number":0,"act":"move","item":"i1","after":null}"#, #"{"plan":"p1","number":1,"act":"leaveOut","item":"i1"}"#,
            #"{"plan":"p1","number":2,"act":"add","chart":"a1","after":"i1"}"#,
            #"{"plan":"p1","number":3,"act":"read","item":"i1","key":"F"}"#, #"{"plan":"p1","number":4,"act":"asPlanned"}"#,
            #"{"plan":"p1","number":5,"act":"offer"}"#, #"{"plan":"p1","number":6,"act":"withdraw"}"#,
            #"{"plan":"p1","number":7,"act":"use","from":"ben","tag":"t"}"#,
        ]
        for body in bodies { #expect(try await scene.post("/api/tonight", body).text.contains(#""plan":"#)) }
        let (plan, item) = (PlanID("p1"), ItemID("i1"))
        #expect(
            scene.source.tonight == [
                TonightRequest(.move(after: nil), of: item, in: plan, at: 0), TonightRequest(.leaveOut(true), of: item, in: plan, at: 1),
                TonightRequest(.add(AttachmentID("a1"), after: item), in: plan, at: 2),
                TonightRequest(.read(key: "F"), of: item, in: plan, at: 3), TonightRequest(.asPlanned, in: plan, at: 4),
                TonightRequest(.offer(true), in: plan, at: 5), TonightRequest(.offer(false), in: plan, at: 6),
                TonightRequest(.use(from: "ben", tag: "t"), in: plan, at: 7),
            ])
        #expect(try await scene.post("/api/tonight", bodies[0]).status == 409)
    }

    @LoopActor @Test func aSongWithinABookHasItsPageAndItsTitle() async throws {
        let scene = try Scene()
        var song = TonightRequest(.add(AttachmentID("a1"), after: nil), in: PlanID("p1"), at: 0)
        (song.page, song.title) = (PageIndex(11), "So What")
        _ = try await scene.post("/api/tonight", #"{"plan":"p1","number":0,"act":"add","chart":"a1","page":11,"title":"So What"}"#)
        #expect(scene.source.tonight == [song])
    }

    @LoopActor @Test func aPlanSaysWhatOthersInTheBandOffer() async throws {
        let scene = try Scene()
        let contents = try await scene.source.plan(PlanID("p1")).outlook.contents
        let item = try #require(contents.items.first?.id)
        /// Has Ben offer a remark. Returns what makes an open page read the plan again.
        func offer(_ remark: String) async throws -> String {
            let offer = try #require(TonightOffer(of: "p1", [TonightOffer.Row(item, remark: remark)]))
            let offered = OfferedTonight(
                offer, from: "ben", name: "Ben", tag: remark, in: contents, after: TonightSet(), finding: [:])
            scene.source.offers = [try #require(offered)]
            return try await scene.source.plan(PlanID("p1")).worded
        }
        #expect(try await !scene.get("/api/plan/p1").text.contains(#""offers""#), "there is no band")
        let alone = try await scene.source.plan(PlanID("p1")).worded
        scene.source.offers = []
        #expect(try await scene.get("/api/plan/p1").text.contains(#""offers":[]"#))
        let slowly = try await offer("slowly")
        let words = #""offers":[{"from":"ben","name":"Ben","tag":"slowly","state":"new","changes":1,"words":"1 with a remark","items":["#
        #expect(try await scene.get("/api/plan/p1").text.contains(words))
        #expect(try await offer("softly") != slowly && slowly != alone)
    }

    @LoopActor
    @Test(arguments: [
        "{}", #"{"plan":"p1","act":"asPlanned"}"#, #"{"plan":"p1","number":0,"act":"move"}"#, #"{"plan":"p1","number":0,"act":"add"}"#,
        #"{"plan":"p1","number":0,"act":"burn","item":"i1"}"#, #"{"plan":"p1","number":0,"act":"remark","item":"i1"}"#,
        #"{"plan":"p1","number":0,"act":"add","chart":"a1","page":-1}"#,
        #"{"plan":"p1","number":0,"act":"use","from":"ben"}"#, #"{"plan":"p1","number":0,"act":"use","tag":"t"}"#,
    ])
    func whatMakesNoSenseIsRefused(body: String) async throws {
        let scene = try Scene()
        #expect(try await scene.post("/api/tonight", body).status == 400)
        #expect(scene.source.tonight.isEmpty)
    }
}
