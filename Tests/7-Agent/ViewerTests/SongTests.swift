import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import Viewer

/// The ways of reading a song that browsers can request.
@Suite(.onLoop) struct SongTests {
    @LoopActor @Test func aViewIsForOnePlanUnlessItIsForAll() async throws {
        let scene = try Scene()
        _ = try await scene.post("/api/song", #"{"plan":"p1","item":"i1","song":"77","view":{"key":"E","capo":3,"writing":"numbers"}}"#)
        _ = try await scene.post("/api/song", #"{"plan":"p1","song":"77","view":{"capo":0,"writing":"letters"},"everywhere":true}"#)
        let gone = try await scene.post("/api/song", #"{"plan":"p1","song":"77","view":null}"#)
        #expect(scene.source.read.map(\.song.text) == ["77", "77", "77"])
        #expect(scene.source.read.map(\.view) == [SongView(key: "E", capo: 3, writing: .numbers), SongView(writing: .letters), nil])
        #expect(scene.source.read.map(\.plan) == [PlanID("p1"), nil, PlanID("p1")])
        #expect(gone.status == 200 && gone.text == #"{"chart":null}"#, "the plan shows another chart of it again")
    }

    @LoopActor @Test func whoTakesAChoiceBackGetsTheChartThatThePlanHas() async throws {
        let scene = try Scene()
        let chart = try await scene.post("/api/song", #"{"plan":"p1","item":"hymn","song":"77","view":null}"#)
        #expect(chart.status == 200 && chart.text.contains(#""id":"a1""#), "\(chart.text)")
    }

    @LoopActor
    @Test(arguments: [
        #"{"song":"77"}"#, #"{"plan":"p1"}"#, #"{"plan":"p1","song":"77","view":{"capo":10,"writing":"letters"}}"#,
        #"{"plan":"p1","song":"77","view":{"capo":-1,"writing":"letters"}}"#,
        #"{"plan":"p1","song":"77","view":{"capo":0,"writing":"runes"}}"#,
        #"{"plan":"p1","song":"77","view":{"capo":1e99,"writing":"letters"}}"#,
    ])
    func whatMakesNoSenseIsRefused(body: String) async throws {
        let scene = try Scene()
        #expect(try await scene.post("/api/song", body).status == 400)
        #expect(scene.source.read.isEmpty)
    }
}
