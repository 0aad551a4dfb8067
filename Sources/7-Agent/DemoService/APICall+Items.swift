import LocalHTTP

extension APICall {
    /// A plan's running order, including headers.
    func items(of plan: DemoState.Plan) -> WebReply {
        let resources = plan.items.enumerated().map { index, item in resource(item, sequence: index + 1) }
        return page(resources, canInclude: ["song", "arrangement", "key"], parent: ("Plan", plan.id)) { word, shown in
            var seen: Set<String> = []
            return shown.compactMap { included(word, by: plan.items[$0]) }.filter { seen.insert($0["id"]?.string ?? "").inserted }
        }
    }

    private func arrangement(of item: DemoState.Item) -> DemoState.Arrangement? {
        state.arrangements.first { $0.id == item.arrangement }
    }

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
                "service_position": .string(item.position), "key_name": JSON(state.keys.first { $0.id == item.key }?.starting),
                "description": JSON(item.description), "html_details": .null,
                "custom_arrangement_sequence": item.arrangement == nil ? .null : .array([]), "created_at": .string(item.createdAt.text),
                "updated_at": .string(item.updatedAt.text),
            ],
            relationships: [
                ("song", "Song", arrangement(of: item)?.song), ("arrangement", "Arrangement", item.arrangement), ("key", "Key", item.key),
            ])
    }

    private func resource(_ song: DemoState.Song) -> JSON {
        Self.resource(
            "Song", song.id, ["title": .string(song.title), "author": .string(song.author), "updated_at": .string(song.updatedAt.text)])
    }

    private func resource(_ arrangement: DemoState.Arrangement) -> JSON {
        Self.resource(
            "Arrangement", arrangement.id,
            ["name": .string(arrangement.name), "sequence": .null, "updated_at": .string(arrangement.updatedAt.text)],
            relationships: [("song", "Song", arrangement.song)])
    }

    private func resource(_ key: DemoState.Key) -> JSON {
        Self.resource(
            "Key", key.id,
            ["name": .string(key.name), "starting_key": .string(key.starting), "updated_at": .string(key.updatedAt.text)],
            relationships: [("arrangement", "Arrangement", key.arrangement)])
    }
}
