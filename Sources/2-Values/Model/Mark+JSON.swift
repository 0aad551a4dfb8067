import JSON

extension Mark: Codable {
    private enum Field: String, CaseIterable {
        case id, page, kind, color, width, points, fill, dash, cap, text, size, font, point, wrap, align, justify, image
        case key, leads, pass, on
        case createdAt = "created_at"
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
        init(_ field: Field) { stringValue = field.rawValue }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func optional<Value: Decodable>(_ type: Value.Type, _ field: Field) throws -> Value? {
            try container.decodeIfPresent(type, forKey: Key(field))
        }
        self.init(
            id: try container.decode(String.self, forKey: Key(.id)),
            page: try container.decode(PageIndex.self, forKey: Key(.page)),
            kind: try container.decode(Kind.self, forKey: Key(.kind)),
            color: try optional(Color.self, .color) ?? .black,
            width: try optional(Double.self, .width) ?? 0.002,
            points: try optional([Point].self, .points) ?? [],
            fill: try optional(Double.self, .fill),
            dash: try optional([Double].self, .dash) ?? [],
            cap: (try? optional(Cap.self, .cap)) ?? .round,
            text: try optional(String.self, .text),
            setting: Setting(size: try optional(Double.self, .size), font: try optional(String.self, .font)),
            image: try optional(String.self, .image),
            createdAt: try optional(Timestamp.self, .createdAt))
        key = try? optional(String.self, .key)
        leads = try? optional(String.self, .leads)
        pass = (try? optional(Int.self, .pass)).flatMap { Self.passes.contains($0) ? $0 : nil }
        on = (try? optional(String.self, .on)).flatMap { boundChart($0) }
        // If one of these fields is of another type, or does not belong to these points, keep its value for other programs.
        for (field, isRead) in [(Field.key, key != nil), (.leads, leads != nil), (.pass, pass != nil), (.on, on != nil)] where !isRead {
            unknown[field.rawValue] = try optional(JSONValue.self, field)
        }
        setting.point = try optional(Double.self, .point)
        setting.wrap = try optional(Double.self, .wrap)
        setting.alignment = (try? optional(Alignment.self, .align)) ?? .left
        setting.isJustified = (try? optional(Bool.self, .justify)) ?? false
        for key in container.allKeys where Field(rawValue: key.stringValue) == nil {
            unknown[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: Key(.id))
        try container.encode(page, forKey: Key(.page))
        try container.encode(kind, forKey: Key(.kind))
        try container.encode(color, forKey: Key(.color))
        try container.encode(width, forKey: Key(.width))
        try container.encode(points, forKey: Key(.points))
        try container.encodeIfPresent(fill, forKey: Key(.fill))
        if !dash.isEmpty { try container.encode(dash, forKey: Key(.dash)) }
        if cap != .round { try container.encode(cap, forKey: Key(.cap)) }
        try container.encodeIfPresent(text, forKey: Key(.text))
        try container.encodeIfPresent(setting.size, forKey: Key(.size))
        try container.encodeIfPresent(setting.font, forKey: Key(.font))
        try container.encodeIfPresent(setting.point, forKey: Key(.point))
        try container.encodeIfPresent(setting.wrap, forKey: Key(.wrap))
        if setting.alignment != .left { try container.encode(setting.alignment, forKey: Key(.align)) }
        if setting.isJustified { try container.encode(true, forKey: Key(.justify)) }
        try container.encodeIfPresent(image, forKey: Key(.image))
        try container.encodeIfPresent(createdAt, forKey: Key(.createdAt))
        try container.encodeIfPresent(key, forKey: Key(.key))
        try container.encodeIfPresent(leads, forKey: Key(.leads))
        try container.encodeIfPresent(pass, forKey: Key(.pass))
        try container.encodeIfPresent(on.map { "\($0) \(pointSum)" }, forKey: Key(.on))
        for (name, value) in unknown where name != Field.on.rawValue || on == nil {
            try container.encode(value, forKey: Key(stringValue: name))
        }
    }
}

extension Mark {
    /// The chart in a written `on`; `nil` if it is none, or belongs to other points.
    private func boundChart(_ text: String) -> String? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, ChartHash.isBeginning(String(parts[0])), parts[1] == pointSum else { return nil }
        return String(parts[0])
    }
}

extension Mark.Point: Codable {
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        x = try container.decode(Double.self)
        y = try container.decode(Double.self)
        width = try container.isAtEnd ? nil : container.decode(Double.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(x)
        try container.encode(y)
        if let width { try container.encode(width) }
    }
}
