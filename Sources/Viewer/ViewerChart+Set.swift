import Model

extension ViewerChart {
    /// A digest of everything that a musician sees of it, but for what is there yet and what comes before and after: equal text,
    /// nothing to announce.
    public var set: String {
        var parts = [title, key ?? "", name, hash.digest.hex, order.map { "\($0.value)" }.joined(separator: " ")] + flags
        for layer in layers {
            parts += [layer.id.text, layer.name, layer.person ?? "", layer.isVisible ? "visible" : "hidden"]
            parts.append(layer.pages.map { "\($0.value)" }.joined(separator: " "))
        }
        for page in pages { parts += [page.plain.name.key, page.annotated.name.key, page.thumbnail.name.key] }
        // Lengths keep any two lists apart, whatever titles hold.
        return SHA256.digest(of: parts.map { "\($0.utf8.count) \($0)" }.joined(separator: "\n")).shortHex
    }
}
