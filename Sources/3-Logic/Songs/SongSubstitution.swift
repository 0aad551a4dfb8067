extension Song {
    /// The text with the song's details in place of `%{key}`, `%{artist|by %{}|by nobody}` and the like, as in ChordPro.
    public func expanding(_ text: String) -> String {
        guard text.contains("%{") else { return text }
        return Substitution(song: self).expand(Array(text.unicodeScalars)[...], value: nil, depth: 0).text
    }
}

private struct Substitution {
    let song: Song

    /// `value` is what `%{}` stands for.
    func expand(_ text: ArraySlice<Unicode.Scalar>, value: String?, depth: Int) -> [Unicode.Scalar] {
        var (result, place): ([Unicode.Scalar], Int) = ([], text.startIndex)
        while place < text.endIndex {
            guard text[place] == "%", depth < 4, let end = Self.end(text, at: place) else {
                result.append(text[place])
                place += 1
                continue
            }
            result += replaced(text[(place + 2)..<end], value, depth)
            place = end + 1
        }
        return result
    }

    private func replaced(_ inside: ArraySlice<Unicode.Scalar>, _ value: String?, _ depth: Int) -> [Unicode.Scalar] {
        let parts = Self.parts(of: inside)
        let name = parts[0].trimmed().text
        let found = name.isEmpty ? value ?? "" : detail(name)
        guard parts.count > 1 else { return Array(found.unicodeScalars) }
        return expand(!found.isEmpty ? parts[1] : parts.count > 2 ? parts[2] : [], value: found, depth: depth + 1)
    }

    private func detail(_ name: String) -> String {
        ["key_actual", "key_print"].contains(name) ? song.detail("key") ?? "" : song.details(name).joined(separator: ", ")
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
