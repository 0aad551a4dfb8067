extension Song {
    /// The text with the song's details in place of `%{key}`, `%{artist|by %{}|by nobody}` and the like, as in ChordPro.
    public func expanding(_ text: String) -> String { Self.expanding(text, with: details, except: []) }

    /// The text with these details. Substitutions of the details in `kept` stay as they are.
    static func expanding(_ text: String, with details: [Detail], except kept: Set<String>) -> String {
        guard text.contains("%{") else { return text }
        var values: [String: String] = [:]
        for detail in details where !detail.value.isEmpty {
            let former = values[detail.name].map { $0 + ", " } ?? ""
            values[detail.name] = String((former + detail.value).prefix(Substitution.longestValue))
        }
        for other in ["key_actual", "key_print"] { values[other] = values["key"] }
        let kept = kept.contains("key") ? kept.union(["key_actual", "key_print"]) : kept
        return Substitution(values: values, kept: kept).expand(Array(text.unicodeScalars)[...], value: nil, depth: 0).text
    }
}

private struct Substitution {
    let values: [String: String]
    let kept: Set<String>

    /// The most letters of a value, and scalars of a result. A longer result is no note any more, and the text is left as it stands.
    static let longestValue = 200
    private static let longest = 2000

    /// `value` is what `%{}` stands for.
    func expand(_ text: ArraySlice<Unicode.Scalar>, value: String?, depth: Int) -> [Unicode.Scalar] {
        var (result, place): ([Unicode.Scalar], Int) = ([], text.startIndex)
        while place < text.endIndex {
            if text[place] == "%", depth < 4, result.count < Self.longest, let end = Self.end(text, at: place) {
                result += replaced(text[(place + 2)..<end], value, depth) ?? Array(text[place...end])
                place = end + 1
            } else {
                result.append(text[place])
                place += 1
            }
        }
        return result
    }

    /// The text in place of a substitution; `nil` if it stays.
    private func replaced(_ inside: ArraySlice<Unicode.Scalar>, _ value: String?, _ depth: Int) -> [Unicode.Scalar]? {
        let parts = Self.parts(of: inside)
        let name = parts[0].trimmed().text
        guard !kept.contains(name) else { return nil }
        let found = name.isEmpty ? value ?? "" : values[name] ?? ""
        guard parts.count > 1 else { return Array(found.unicodeScalars) }
        return expand(!found.isEmpty ? parts[1] : parts.count > 2 ? parts[2] : [], value: found, depth: depth + 1)
    }

    /// The index of the brace that ends the `%{` at `place`.
    private static func end(_ text: ArraySlice<Unicode.Scalar>, at place: Int) -> Int? {
        guard text[(place + 1)...].first == "{" else { return nil }
        var depth = 0
        for index in (place + 1)..<min(text.endIndex, place + 400) {
            depth += text[index] == "{" ? 1 : text[index] == "}" ? -1 : 0
            if depth == 0 { return index }
        }
        return nil
    }

    /// The name and the texts behind it, divided at bars that are not within another substitution.
    private static func parts(of inside: ArraySlice<Unicode.Scalar>) -> [ArraySlice<Unicode.Scalar>] {
        var (parts, start, depth): ([ArraySlice<Unicode.Scalar>], Int, Int) = ([], inside.startIndex, 0)
        for index in inside.indices {
            depth += inside[index] == "{" ? 1 : inside[index] == "}" ? -1 : 0
            guard inside[index] == "|", depth == 0 else { continue }
            parts.append(inside[start..<index])
            start = index + 1
        }
        return parts + [inside[start...]]
    }
}
