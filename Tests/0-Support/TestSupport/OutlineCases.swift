public import Model

/// A mark, and the shapes that must be painted to draw it on a page of 200 by 400 pixels. The agent and the browser's script compute the
/// shapes before they paint, and must both pass this case.
public struct OutlineCase: Decodable, Sendable, CustomStringConvertible {
    /// A shape that is painted in one operation.
    public struct Piece: Decodable, Hashable, Sendable {
        /// The points of a line; a corner and the sides of a box or an oval; the origin of a text.
        public var line, box, oval, text: [[Double]]?
        public var color: String
        public var alpha: Double
        /// The width of a line, or the font size; nil for a filled piece.
        public var width: Double?
        public var dash: [Double]?
        /// How far into the dash pattern the line starts.
        public var offset: Double?
        public var cap: String?

        public init(color: String, alpha: Double) { (self.color, self.alpha) = (color, alpha) }
    }

    public let name: String
    public let mark: Mark
    public let pieces: [Piece]

    public var description: String { name }

    /// The cases as JSON, which the agent's and the browser's tests both read. A piece omits the fields that it lacks.
    public static let json = """
        [
          {"name": "a stroke without pressure is one line",
           "mark": {"id": "m", "page": 0, "kind": "pen", "color": "#c8102e", "width": 0.02, "points": [[0.25, 0.5], [0.5, 0.25], [0.75, 0.5]]},
           "pieces": [{"line": [[50, 200], [100, 100], [150, 200]], "color": "#c8102e", "alpha": 1, "width": 4, "cap": "round"}]},
          {"name": "what is not said of a stroke is black, and thin",
           "mark": {"id": "m", "page": 0, "kind": "pen", "points": [[0.25, 0.5], [0.5, 0.5]]},
           "pieces": [{"line": [[50, 200], [100, 200]], "color": "#000000", "alpha": 1, "width": 0.4, "cap": "round"}]},
          {"name": "the pressure of all points is that of the line, apart from the last",
           "mark": {"id": "m", "page": 0, "kind": "pen", "width": 0.02, "points": [[0.25, 0.5, 0.03], [0.5, 0.5, 0.03], [0.75, 0.5, 0.2]]},
           "pieces": [{"line": [[50, 200], [100, 200], [150, 200]], "color": "#000000", "alpha": 1, "width": 6, "cap": "round"}]},
          {"name": "a line has the width of the point that it begins at",
           "mark": {"id": "m", "page": 0, "kind": "pen", "width": 0.02, "points": [[0.25, 0.5, 0.03], [0.5, 0.5], [0.75, 0.5, 0.1]]},
           "pieces": [{"line": [[50, 200], [100, 200]], "color": "#000000", "alpha": 1, "width": 6, "cap": "round"},
                      {"line": [[100, 200], [150, 200]], "color": "#000000", "alpha": 1, "width": 4, "cap": "round"}]},
          {"name": "a stamp is a pen that is lifted now and then",
           "mark": {"id": "m", "page": 0, "kind": "pen", "color": "#1f4fbf", "width": 0.01, "stamp": "caesura",
                    "points": [[0.25, 0.5, 0.02], [0.5, 0.25, 0], [0.5, 0.5, 0.02], [0.75, 0.25, 0.02]]},
           "pieces": [{"line": [[50, 200], [100, 100]], "color": "#1f4fbf", "alpha": 1, "width": 4, "cap": "round"},
                      {"line": [[100, 200], [150, 100]], "color": "#1f4fbf", "alpha": 1, "width": 4, "cap": "round"}]},
          {"name": "an arrow goes back to its point",
           "mark": {"id": "m", "page": 0, "kind": "pen", "width": 0.02,
                    "points": [[0.25, 0.5], [0.75, 0.5], [0.7, 0.48], [0.75, 0.5], [0.7, 0.52]]},
           "pieces": [{"line": [[50, 200], [150, 200], [140, 192], [150, 200], [140, 208]], "color": "#000000", "alpha": 1, "width": 4,
                       "cap": "round"}]},
          {"name": "one place is a dot, as wide as it was pressed most",
           "mark": {"id": "m", "page": 0, "kind": "pen", "width": 0.02, "points": [[0.25, 0.5, 0.05], [0.25, 0.5, 0.1], [0.25, 0.5]]},
           "pieces": [{"line": [[50, 200]], "color": "#000000", "alpha": 1, "width": 20}]},
          {"name": "a dashed stroke",
           "mark": {"id": "m", "page": 0, "kind": "pen", "width": 0.02, "dash": [0.05, 0.1], "cap": "butt", "points": [[0.25, 0.5], [0.75, 0.5]]},
           "pieces": [{"line": [[50, 200], [150, 200]], "color": "#000000", "alpha": 1, "width": 4, "dash": [10, 20], "offset": 0,
                       "cap": "butt"}]},
          {"name": "dashes continue where the pressure changes",
           "mark": {"id": "m", "page": 0, "kind": "pen", "width": 0.02, "dash": [0.05, 0.1],
                    "points": [[0.25, 0.5], [0.25, 0.53, 0.04], [0.33, 0.53, 0], [0.75, 0.53, 0.02], [0.75, 0.6]]},
           "pieces": [{"line": [[50, 200], [50, 212]], "color": "#000000", "alpha": 1, "width": 4, "dash": [10, 20], "offset": 0, "cap": "round"},
                      {"line": [[50, 212], [66, 212]], "color": "#000000", "alpha": 1, "width": 8, "dash": [10, 20], "offset": 12,
                       "cap": "round"},
                      {"line": [[150, 212], [150, 240]], "color": "#000000", "alpha": 1, "width": 4, "dash": [10, 20], "offset": 112,
                       "cap": "round"}]},
          {"name": "a filled stroke that lets its page through",
           "mark": {"id": "m", "page": 0, "kind": "pen", "color": "#c8102e33", "width": 0.02, "fill": 0.5,
                    "points": [[0.25, 0.5], [0.5, 0.25], [0.75, 0.5]]},
           "pieces": [{"line": [[50, 200], [100, 100], [150, 200]], "color": "#c8102e", "alpha": 0.5},
                      {"line": [[50, 200], [100, 100], [150, 200]], "color": "#c8102e", "alpha": 0.2, "width": 4, "cap": "round"}]},
          {"name": "two points have nothing to fill",
           "mark": {"id": "m", "page": 0, "kind": "pen", "width": 0.02, "fill": 0.5, "points": [[0.25, 0.5], [0.75, 0.5]]},
           "pieces": [{"line": [[50, 200], [150, 200]], "color": "#000000", "alpha": 1, "width": 4, "cap": "round"}]},
          {"name": "a highlighter's nib is flat",
           "mark": {"id": "m", "page": 0, "kind": "highlighter", "color": "#ffe45c", "width": 0.1, "cap": "square",
                    "points": [[0.25, 0.5, 0.01], [0.5, 0.5, 0.2], [0.75, 0.5]]},
           "pieces": [{"line": [[50, 200], [100, 200], [150, 200]], "color": "#ffe45c", "alpha": 1, "width": 20, "cap": "square"}]},
          {"name": "white-out is white, whatever its colour",
           "mark": {"id": "m", "page": 0, "kind": "eraser", "color": "#c8102e80", "width": 0.1, "points": [[0.25, 0.5], [0.75, 0.5]]},
           "pieces": [{"line": [[50, 200], [150, 200]], "color": "#ffffff", "alpha": 1, "width": 20, "cap": "round"}]},
          {"name": "a line keeps its width",
           "mark": {"id": "m", "page": 0, "kind": "line", "width": 0.02, "points": [[0.25, 0.5, 0.1], [0.75, 0.25, 0.2]]},
           "pieces": [{"line": [[50, 200], [150, 100]], "color": "#000000", "alpha": 1, "width": 4, "cap": "round"}]},
          {"name": "a line of one point is nothing",
           "mark": {"id": "m", "page": 0, "kind": "line", "width": 0.02, "points": [[0.25, 0.5]]},
           "pieces": []},
          {"name": "a box between any two of its corners",
           "mark": {"id": "m", "page": 0, "kind": "rectangle", "color": "#1a7f37", "width": 0.02, "dash": [0.1], "points": [[0.75, 0.25], [0.25, 0.75]]},
           "pieces": [{"box": [[50, 100], [100, 200]], "color": "#1a7f37", "alpha": 1, "width": 4, "dash": [20], "offset": 0, "cap": "round"}]},
          {"name": "a filled box without a border",
           "mark": {"id": "m", "page": 0, "kind": "rectangle", "color": "#1a7f37", "width": 0, "fill": 0.25, "points": [[0.25, 0.25], [0.75, 0.75]]},
           "pieces": [{"box": [[50, 100], [100, 200]], "color": "#1a7f37", "alpha": 0.25}]},
          {"name": "an ellipse, filled below its border",
           "mark": {"id": "m", "page": 0, "kind": "ellipse", "color": "#d9730d", "width": 0.02, "fill": 0.25, "points": [[0.25, 0.75], [0.5, 0.25]]},
           "pieces": [{"oval": [[50, 100], [50, 200]], "color": "#d9730d", "alpha": 0.25},
                      {"oval": [[50, 100], [50, 200]], "color": "#d9730d", "alpha": 1, "width": 4, "cap": "round"}]},
          {"name": "a text is below and right of its place",
           "mark": {"id": "m", "page": 0, "kind": "text", "color": "#7b2fa8", "text": "watch", "size": 0.1, "points": [[0.25, 0.5]]},
           "pieces": [{"text": [[50, 200]], "color": "#7b2fa8", "alpha": 1, "width": 20}]},
          {"name": "what only newer programs know is nothing",
           "mark": {"id": "m", "page": 0, "kind": "spiral", "width": 0.02, "points": [[0.25, 0.5], [0.75, 0.5]]},
           "pieces": []}
        ]
        """
}
