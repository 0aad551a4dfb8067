public import JSON
public import Model

/// A browser on the network that was let in, as its musician recognises it.
public struct ViewerBrowser: Hashable, Sendable {
    /// Identifies it among the others, and lets nobody in.
    public let id: String
    /// Such as "Safari on an iPad".
    public let name: String
    public let since: Timestamp

    public var json: JSONText { ["id": .text(id), "name": .text(name), "since": .time(since)] }

    /// A browser's description of itself in few words: unproven, so it only helps to recognise one's own.
    static func name(ofAgent text: String) -> String {
        let devices = [
            ("iPad", "an iPad"), ("iPhone", "an iPhone"), ("Android", text.contains("Mobile") ? "an Android phone" : "an Android tablet"),
            ("CrOS", "a Chromebook"), ("Macintosh", "a Mac or an iPad"), ("Windows", "Windows"), ("Linux", "Linux"),
        ]
        // The names of some of these contain those of later ones, too.
        let browsers = [
            ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Edg", "Edge"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"),
            ("Safari/", "Safari"),
        ]
        let browser = browsers.first { text.contains($0.0) }?.1 ?? "A browser"
        return browser + (devices.first { text.contains($0.0) }.map { " on \($0.1)" } ?? "")
    }
}
