import LocalHTTP
import Model

extension APICall {
    func items(of plan: DemoState.Plan) -> WebReply {
        let resources = plan.items.enumerated().map { index, item in resource(item, sequence: index + 1) }
        return page(resources, canInclude: ["song", "arrangement", "key"], parent: ("Plan", plan.id)) { word, shown in
            var seen: Set<String> = []
            return shown.compactMap { included(word, by: plan.items[$0]) }.filter { seen.insert($0["id"]?.string ?? "").inserted }
        }
    }

    private func arrangement(of item: DemoState.Item) -> DemoState.Arrangement? { state.arrangements.first { $0.id == item.arrangement } }

    private func included(_ word: String, by item: DemoState.Item) -> JSON? {
        switch word {
        case "song": state.songs.first { $0.id == arrangement(of: item)?.song }.map(resource)
        case "arrangement": arrangement(of: item).map(resource)
        default: state.keys.first { $0.id == item.key }.map(resource)
        }
    }

    private func resource(_ item: DemoState.Item, sequence: Int) -> JSON {
        Self.resource(
            "Item", item.id,
            [
                "title": .string(item.title), "sequence": .int(sequence), "length": .int(item.length), "item_type": .string(item.kind),
                "service_position": .string(item.position), "key_name": JSON(item.keyName),
                "description": JSON(item.description), "html_details": .null,
                "custom_arrangement_sequence": item.arrangement == nil ? .null : .array([]), "created_at": .string(item.createdAt.text),
                "updated_at": .string(item.updatedAt.text),
            ],
            relationships: [
                ("song", "Song", arrangement(of: item)?.song), ("arrangement", "Arrangement", item.arrangement), ("key", "Key", item.key),
            ])
    }
}

extension APICall {
    /// The attachments of a plan, its service type, its items, and their songs, arrangements and keys.
    func attachments(of plan: DemoState.Plan) -> WebReply {
        page(state.attachments(of: plan).map(resource), canInclude: [], parent: ("Plan", plan.id))
    }

    private func resource(_ attachment: DemoState.Attachment) -> JSON {
        let page = "https://services.planningcenteronline.com/attachments/\(attachment.id.percentEncoded)"
        let isFile = attachment.pcoType == "AttachmentS3"
        return Self.resource(
            "Attachment", attachment.id,
            [
                "filename": .string(attachment.filename), "display_name": .string(attachment.filename),
                "content_type": JSON(attachment.contentType),
                // Only uploaded files have a size: that of a file made on demand is unknown in advance.
                "file_size": .int(isFile ? attachment.bytes?.count ?? 0 : 0), "filetype": .string(Self.fileType(attachment)),
                "pco_type": .string(attachment.pcoType), "page_order": attachment.pageOrder,
                "downloadable": .bool(attachment.bytes != nil), "has_preview": .bool(isFile), "streamable": .bool(!isFile),
                "url": .string(page), "linked_url": JSON(attachment.elsewhere), "thumbnail_url": .null,
                "created_at": .string(attachment.createdAt.text), "updated_at": .string(attachment.updatedAt.text), "deleted_at": .null,
            ],
            relationships: [Self.relation(attachment.owner)])
    }

    private static func fileType(_ attachment: DemoState.Attachment) -> String {
        switch attachment.contentType {
        case "application/pdf": "pdf"
        case "audio/mpeg": "audio"
        case nil: attachment.isGenerated ? "chart" : "link"
        default: "file"
        }
    }

    private static func relation(_ owner: DemoState.Owner) -> (name: String, type: String, id: String?) {
        switch owner {
        case .plan(let id): ("attachable", "Plan", id)
        case .item(let id): ("attachable", "Item", id)
        case .song(let id): ("attachable", "Song", id)
        case .arrangement(let id): ("attachable", "Arrangement", id)
        case .key(let id): ("attachable", "Key", id)
        case .serviceType(let id): ("attachable", "ServiceType", id)
        }
    }
}
