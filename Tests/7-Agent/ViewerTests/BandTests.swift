import Band
import BandLayout
import Foundation
import Model
import Platform
import TestSupport
import Testing
import Viewer

/// The band, as the pages show it to a musician who is in a band.
@Suite(.onLoop)
struct BandTests {
    private func object(_ reply: HTTPProbe.Reply) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? NSDictionary)
    }

    private static let now = Timestamp("2026-11-21T09:00:00Z")!
    private static let plan = PlanID("p1")
    private static let harvest = Plan(id: plan, serviceType: ServiceTypeID("1"), firstTime: now + .seconds(86_400))

    /// A person's head with a report on `plan` that has these `lacks` and was made `hoursAgo` hours ago; without a report if
    /// `lacks` is `nil`.
    private static func head(_ person: String, lacks: [String]? = nil, of plan: PlanID = plan, hoursAgo: Int = 1) -> BandHead {
        let device = BandDevice(String((person.lowercased() + "0000000000000000").prefix(16)))
        let word = lacks.map { lacks in
            BandHead.Readiness(
                plan: plan, title: "Abide with Me", time: nil, isReady: lacks.isEmpty, lacks: lacks, asOf: now - .seconds(hoursAgo * 3600))
        }
        return BandHead(
            device: device, counter: 1, person: person, name: "laptop", readiness: word.map { [$0] } ?? [], asOf: word?.asOf)
    }

    @LoopActor @Test func aPlanSaysWhoIsReadyAndWhoIsNot() async throws {
        let scene = try Scene()
        let heads = [
            Self.head("Dora"), Self.head("Ben", lacks: []), Self.head("Anna", lacks: []),
            Self.head("Chris", lacks: ["Amazing Grace: not downloaded"]),
            Self.head("Eve", lacks: ["Grace: not downloaded", "River: not drawn", "Swing Low: not drawn"]),
            Self.head("Finn", lacks: [], hoursAgo: 30), Self.head("Gwen", lacks: [], of: PlanID("p2")),
        ]
        scene.source.band = BandReadiness(of: Self.harvest, from: heads, at: Self.now)
        let band = try object(try await scene.get("/api/plan/p1"))["band"] as? [[String: String]]
        #expect(
            band == [
                ["state": "ready", "words": "Ready: Anna, Ben."],
                [
                    "state": "not-ready",
                    "words":
                        "Not ready: Chris (Amazing Grace: not downloaded), Eve (Grace: not downloaded; River: not drawn; and more).",
                ],
                ["state": "old", "words": "Nothing said lately: Finn."], ["state": "silent", "words": "Nothing said: Dora."],
                ["state": "without-plan", "words": "Without this plan: Gwen."],
            ])
    }

    @LoopActor @Test func aPlanIsToldAnewOnceSomebodySaysSomethingElse() async throws {
        let source = FakeSource()
        func worded(_ lacks: [String], hoursAgo: Int = 1) async throws -> String {
            source.band = BandReadiness(of: Self.harvest, from: [Self.head("Ben", lacks: lacks, hoursAgo: hoursAgo)], at: Self.now)
            return try await source.plan(Self.plan).worded
        }
        let ready = try await worded([])
        #expect(try await worded([], hoursAgo: 2) == ready, "time alone changes nothing")
        #expect(try await worded(["Grace: not downloaded"]) != ready)
    }

    @LoopActor @Test func aChartSaysWhetherTheBandSeesItAndWhoseMarksItShows() async throws {
        let scene = try Scene()
        scene.source.isShared = false
        scene.source.shared = [
            ViewerLayer(
                id: LayerID("band:ben"), name: "Drawn in Woodshed", person: "Ben", isVisible: true, pages: [PageIndex(0)],
                shared: ViewerLayer.Shared(device: "laptop", marks: 3))
        ]
        let before = try await scene.source.chart(AttachmentID("a1"), in: nil, item: nil).set
        let chart = try object(try await scene.get("/api/chart/a1"))
        #expect(chart["shared"] as? Bool == false)
        let layers = try #require(chart["layers"] as? [NSDictionary])
        #expect(layers[0]["marks"] == nil && layers[0]["device"] == nil)
        #expect(layers[1]["marks"] as? Int == 3 && layers[1]["device"] as? String == "laptop" && layers[1]["person"] as? String == "Ben")

        let told = try object(try await scene.post("/api/share", #"{"chart":"a1","shared":true,"plan":"p1","item":"i1"}"#))
        #expect(told["shared"] as? Bool == true && told["next"] as? NSDictionary == ["chart": "a2", "item": "i1", "title": "p1"])
        #expect(told["set"] as? String != before, "other windows are told")
        #expect(try await scene.post("/api/share", #"{"chart":"a9","shared":true}"#).status == 404)
        #expect(try await scene.post("/api/share", #"{"chart":"a1"}"#).status == 400)
    }

    @LoopActor @Test func whereThereIsNoBandNothingIsSaidOfOne() async throws {
        let scene = try Scene()
        #expect(try object(try await scene.get("/api/plan/p1"))["band"] == nil)
        #expect(try object(try await scene.get("/api/chart/a1"))["shared"] == nil)
        #expect(try await scene.post("/api/share", #"{"chart":"a1","shared":true}"#).status == 503)
    }
}
