import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct LayersTests {
    private static let answer = #"""
        {"data":[{"type":"AnnotationLayer","id":"7f0c","attributes":{"attachment_id":79073923,"person_id":"104","person_name":"A. Player",
        "name":"bowings","shared":true,"revision":12,"updated_at":"2026-11-18T20:31:31.25Z","deleted_at":null,"marks":[
        {"id":"m1","page":0,"kind":"pen","color":"#ff0000","width":0.003,"points":[[0.1,0.2],[0.3,0.4,0.002]]},
        {"id":"m2","page":"first","kind":"pen"},
        {"page":0,"kind":"pen"},
        {"id":"m3","page":1,"kind":"hologram","depth":3}]}},
        {"type":"AnnotationLayer","id":"7f0d","attributes":{"attachment_id":"1","revision":1,"deleted_at":"2026-11-18T20:31:31Z","marks":null}}],
        "links":{"self":"x"},"included":[],"meta":{"total_count":2,"count":2}}
        """#

    @Test @LoopActor func oneUnreadableMarkDoesNotCostTheLayer() async throws {
        let service = Service()
        service.network.route(.get, Service.layers, Self.answer)
        let list = try #require(try await service.client.layers(of: Service.plan))
        let layers = list.layers
        let layer = try #require(layers.first)
        #expect(layers.count == 2)
        #expect(layer.attachment == AttachmentID("79073923"))
        #expect(layer.revision == 12)
        #expect(layer.updatedAt == Timestamp("2026-11-18T20:31:31.25Z"))
        #expect(layer.deletedAt == nil)
        #expect(layer.marks.map(\.id) == ["m1", "m3"])
        #expect(layer.marks.last?.kind == .unknown("hologram"))
        #expect(layers.last?.deletedAt != nil)
        #expect(list.faults == [LayerID("7f0c"): "2 of its 4 marks cannot be read"])
        #expect(service.network.requests.first?.credentials != nil)
    }

    @Test(arguments: [
        "band:aaaaaaaaaaaaaaaa:x:1": "service:band:aaaaaaaaaaaaaaaa:x:1", "file:/x.xopp": "service:file:/x.xopp",
        "service:1": "service:service:1", "a:1": "a:1",
    ])
    @LoopActor func noneIsTakenForAFilesOrTheBands(id: String, kept: String) async throws {
        let service = Service()
        let layer = #"{"type":"AnnotationLayer","id":"\#(id)","attributes":{"attachment_id":"1","marks":[]}}"#
        service.network.route(.get, Service.layers, #"{"data":[\#(layer)]}"#)
        #expect(try await service.client.layers(of: Service.plan)?.layers.map(\.id) == [LayerID(kept)])
    }

    @Test @LoopActor func aServiceWithoutThemIsNoErrorAndSaidOnce() async throws {
        let service = Service()
        for _ in 0..<3 { #expect(try await service.client.layers(of: Service.plan) == nil) }
        #expect(service.lines.all.count { $0.contains("has no marks of others at") } == 1)
        service.network.route(.get, Service.layers, Service.nothing)
        #expect(try await service.client.layers(of: Service.plan)?.layers == [])
    }

    @Test @LoopActor func nothingIsAskedWhereNothingIsConfigured() async throws {
        let service = Service(annotationsURL: nil)
        #expect(try await service.client.layers(of: Service.plan) == nil)
        #expect(service.network.requests.isEmpty)
    }

    @Test @LoopActor func anotherHostDoesNotGetTheToken() async throws {
        let service = Service(annotationsURL: "https://marks.example.org/v1/")
        _ = try await service.client.layers(of: Service.plan)
        let request = try #require(service.network.requests.first)
        #expect(request.url.hasPrefix("https://marks.example.org/v1/layers?"))
        #expect(request.credentials == nil)
    }

    @Test @LoopActor func aLayerWithoutItsAttachmentIsNotUnderstood() async throws {
        let service = Service()
        service.network.route(.get, Service.layers, #"{"data":[{"type":"AnnotationLayer","id":"x","attributes":{"marks":[]}}]}"#)
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.layers(of: Service.plan) }
        #expect(failure?.description.contains("data[0].attributes.attachment_id is missing") == true)
    }

    /// A list with one layer that has these attributes.
    private static func list(_ attributes: String) -> String {
        #"{"data":[{"type":"AnnotationLayer","id":"l","attributes":{"attachment_id":"1","revision":2,\#(attributes)}}]}"#
    }

    @Test(arguments: [
        #""name":"x""#, #""marks":null"#, #""marks":"none""#, #""marks":{}"#, #""marks":7,"deleted_at":null"#, #""marks":[{"page":"?"}]"#,
        #""marks":[1,2,3],"deleted_at":"""#, #""marks":"x","deleted_at":false"#,
    ])
    @LoopActor func aLivingLayerWhoseMarksCannotBeReadIsNamed(attributes: String) async throws {
        let service = Service()
        service.network.route(.get, Service.layers, Self.list(attributes))
        let list = try #require(try await service.client.layers(of: Service.plan))
        #expect(list.layers.map(\.marks) == [[]])
        #expect(list.layers.map(\.deletedAt) == [nil])
        #expect(list.faults[LayerID("l")] != nil)
    }

    @Test @LoopActor func noMarksAreAWordOfTheirOwn() async throws {
        let service = Service()
        service.network.route(.get, Service.layers, Self.list(#""marks":[]"#))
        #expect(try await service.client.layers(of: Service.plan)?.faults == [:])
    }

    @Test(arguments: [#""deleted_at":"yesterday""#, #""deleted_at":true,"marks":[]"#, #""deleted_at":12,"marks":null"#]) @LoopActor
    func aDeletionOfWhichNobodyKnowsWhenIsToldAsLongAgo(attributes: String) async throws {
        let service = Service()
        service.network.route(.get, Service.layers, Self.list(attributes))
        #expect(try await service.client.layers(of: Service.plan)?.layers.map(\.deletedAt) == [Timestamp(nanoseconds: 0)])
    }

    /// An absurdly high revision would make every real revision look older.
    @Test(arguments: [("999999999", 999_999_999), ("1000000000", 0), ("9007199254740993", 0), ("1e300", 0), ("-7", 0), ("\"9\"", 0)])
    @LoopActor func aRevisionThatNobodyReachesSaysNothing(told: String, revision: Int) async throws {
        let service = Service()
        let layer = #"{"type":"AnnotationLayer","id":"l","attributes":{"attachment_id":"1","revision":\#(told),"marks":[]}}"#
        service.network.route(.get, Service.layers, #"{"data":[\#(layer)]}"#)
        #expect(try await service.client.layers(of: Service.plan)?.layers.map(\.revision) == [revision])
    }

    @Test @LoopActor func aListThatLacksAPageIsNotAShortList() async throws {
        let service = Service()
        service.network.route(
            .get, Service.layers,
            #"{"data":[{"type":"AnnotationLayer","id":"l","attributes":{"attachment_id":"1","marks":[]}}],"links":{},"meta":{"total_count":2}}"#
        )
        let failure = await #expect(throws: ServiceFailure.self) { try await service.client.layers(of: Service.plan) }
        #expect(failure?.description.contains("only 1 of its 2 entries arrived") == true)
    }
}
