import Model

extension Color {
    /// A colour as Xournal writes it: `#RRGGBBAA`, or one of eleven names.
    init?(xournal text: String) {
        if let color = Color(text) {
            self = color
        } else if let color = Self.xournalNames[text].flatMap({ Color($0) }) {
            self = color
        } else {
            return nil
        }
    }

    private static let xournalNames = [
        "black": "#000000", "blue": "#3333cc", "red": "#ff0000", "green": "#008000", "gray": "#808080", "lightblue": "#00c0ff",
        "lightgreen": "#00ff00", "magenta": "#ff00ff", "orange": "#ff8000", "yellow": "#ffff00", "white": "#ffffff",
    ]
}
