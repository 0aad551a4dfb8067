public import Model
import Platform

extension PlanningCenterClient {
    /// True if a service for marks is configured.
    public var asksForMarks: Bool { account.annotationsURL != nil }

    /// The layers of marks on a plan's charts; `nil` if no service for marks is configured, or if there is none at the configured
    /// address. Neither is an error.
    public func layers(of plan: Plan) async throws(ServiceFailure) -> LayerList? {
        guard var place = account.annotationsURL else { return nil }
        while place.hasSuffix("/") { place.removeLast() }
        let what = "the marks of \(plan.displayName)"
        guard let id = WebAddress.encoded(plan.id.text),
            let address = try? WebAddress("\(place)/layers?where%5Bplan_id%5D=\(id)&per_page=100", .plain)
        else { throw .refused("annotations_url in the configuration cannot be used; it must look like https://host/path") }
        do {
            let found = try await list(LayerResource.self, at: address, what: what).data
            noMarksAt = nil
            let faults = found.compactMap { layer in layer.fault.map { (layer.layer.id, $0) } }
            return LayerList(layers: found.map(\.layer), faults: Dictionary(faults) { _, last in last })
        } catch .missing {
            if noMarksAt == nil { log.info("the service has no marks of others at \(place); only your own are shown") }
            noMarksAt = place
            return nil
        }
    }
}

/// A layer of marks as the annotation extension sends it.
struct LayerResource: Decodable, Sendable {
    /// The readable part of the layer.
    let layer: Layer
    /// Why part of the layer could not be read, in a sentence; `nil` if all of it was read.
    let fault: String?

    /// More revisions than any layer has. A larger number is a mistake, and must not outrank all true numbers.
    private static let greatestRevision = 1_000_000_000

    private enum Key: String, CodingKey { case attributes }
    private enum Attribute: String, CodingKey {
        case name, revision, marks
        case attachment = "attachment_id"
        case personName = "person_name"
        case updatedAt = "updated_at"
        case deletedAt = "deleted_at"
    }

    /// A mark, or `nil` if it is unreadable; the other marks of the layer are kept.
    private struct Lenient: Decodable {
        let mark: Mark?
        init(from decoder: any Decoder) throws { mark = try? Mark(from: decoder) }
    }

    init(from decoder: any Decoder) throws {
        let id = try Reference(from: decoder).id
        let values = try decoder.container(keyedBy: Key.self).nestedContainer(keyedBy: Attribute.self, forKey: .attributes)
        func text(_ attribute: Attribute) -> String? { try? values.decodeIfPresent(String.self, forKey: attribute) }
        let deletedAt = Self.deletion(values)
        // A deleted layer needs no marks. In any other layer, an empty list means no marks, but a missing list is a fault.
        let sent = try? values.decode([Lenient].self, forKey: .marks)
        let marks = (sent ?? []).compactMap(\.mark)
        let unreadable = (sent ?? []).count - marks.count
        if deletedAt != nil {
            fault = nil
        } else if let sent {
            fault = unreadable == 0 ? nil : "\(unreadable) of its \(sent.count) marks cannot be read"
        } else {
            fault = "it has no list of marks"
        }
        layer = Layer(
            id: LayerID(atService: id), attachment: AttachmentID(try values.decode(Identifier.self, forKey: .attachment).text),
            personName: text(.personName) ?? "", name: text(.name) ?? "",
            revision: (try? values.decodeIfPresent(Double.self, forKey: .revision)).map(Self.revision) ?? 0,
            updatedAt: text(.updatedAt).flatMap { Timestamp($0) }, deletedAt: deletedAt, marks: marks)
    }

    private static func revision(_ sent: Double) -> Int {
        let number = OutsideNumber(sent).whole(in: 0...greatestRevision)
        return number == greatestRevision ? 0 : number
    }

    /// When the layer was deleted; `nil` if it was not deleted, and 1970 if it was deleted at an unknown time.
    private static func deletion(_ values: KeyedDecodingContainer<Attribute>) -> Timestamp? {
        guard values.contains(.deletedAt), (try? values.decodeNil(forKey: .deletedAt)) == false else { return nil }
        if (try? values.decode(Bool.self, forKey: .deletedAt)) == false { return nil }
        let text = try? values.decode(String.self, forKey: .deletedAt)
        if text?.isEmpty == true { return nil }
        return text.flatMap { Timestamp($0) } ?? Timestamp(nanoseconds: 0)
    }
}

/// The layers of marks on a plan, as far as they could be read.
public struct LayerList: Hashable, Sendable {
    public var layers: [Layer]
    /// Why a layer could not be read completely, in a sentence; its readable part is in `layers`.
    public var faults: [LayerID: String]
}
