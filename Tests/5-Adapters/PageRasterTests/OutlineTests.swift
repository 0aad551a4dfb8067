import JSON
import Model
import TestSupport
import Testing

@testable import PageRaster

@Suite(.timeLimit(.minutes(5)))
struct OutlineTests {
    /// The browser's script must pass the same cases.
    @Test(arguments: try JSONReader.decode([OutlineCase].self, from: Array(OutlineCase.json.utf8)))
    func marksAreMadeOfLinesAndAreas(_ each: OutlineCase) {
        #expect(pieces(each.mark) == each.pieces)
    }

    private func pieces(_ mark: Mark) -> [OutlineCase.Piece] {
        let outline = MarkOutline(width: 200, height: 400)
        guard mark.isDrawn else { return [] }
        guard mark.kind != .text else {
            let (corner, size) = outline.text(mark)
            var piece = OutlineCase.Piece(color: mark.color.description, alpha: 1)
            (piece.text, piece.width) = ([[corner.x, corner.y]], size)
            return [piece]
        }
        return outline.pieces(of: mark).map { made in
            let color = Color(red: made.color.red, green: made.color.green, blue: made.color.blue)
            var piece = OutlineCase.Piece(color: color.description, alpha: made.alpha)
            switch made.path {
            case .line(let places): piece.line = places.map { [rounded($0.x), rounded($0.y)] }
            case .box(let corner, let width, let height): piece.box = [[corner.x, corner.y], [width, height]]
            case .oval(let corner, let width, let height): piece.oval = [[corner.x, corner.y], [width, height]]
            }
            piece.width = made.line.map { rounded($0.width) }
            if let line = made.line, piece.line?.count != 1 { piece.cap = line.cap.rawValue }
            if let line = made.line, !line.dash.isEmpty { (piece.dash, piece.offset) = (line.dash.map(rounded), rounded(line.offset)) }
            return piece
        }
    }

    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
