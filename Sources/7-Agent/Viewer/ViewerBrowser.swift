public import JSON
public import Model

/// A signed-in browser on the network, described so its musician recognises it.
public struct ViewerBrowser: Hashable, Sendable {
    /// Identifies the browser among the others; not a secret.
    public let id: String
    /// Such as "Safari on an iPad".
    public let name: String
    public let since: Timestamp

    public var json: JSONText { ["id": .text(id), "name": .text(name), "since": .time(since)] }

    /// A browser's description of itself in a few words. It is unproven, and only helps users to recognise their own browsers.
    static func name(ofAgent text: String) -> String {
        let devices = [
            ("iPad", "an iPad"), ("iPhone", "an iPhone"), ("Android", text.contains("Mobile") ? "an Android phone" : "an Android tablet"),
            ("CrOS", "a Chromebook"), ("Macintosh", "a Mac or an iPad"), ("Windows", "Windows"), ("Linux", "Linux"),
        ]
        // Some browsers' descriptions also contain the names of later ones in this list.
        let browsers = [
            ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Edg", "Edge"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"),
            ("Safari/", "Safari"),
        ]
        let browser = browsers.first { text.contains($0.0) }?.1 ?? "A browser"
        return browser + (devices.first { text.contains($0.0) }.map { " on \($0.1)" } ?? "")
    }
}
