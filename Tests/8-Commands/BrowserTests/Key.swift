/// A key, by WebDriver's code for it.
enum Key: String {
    case backspace = "\u{E003}"
    case tab = "\u{E004}"
    case enter = "\u{E006}"
    case escape = "\u{E00C}"
    case space = " "
    case pageUp = "\u{E00E}"
    case pageDown = "\u{E00F}"
    case end = "\u{E010}"
    case home = "\u{E011}"
    case left = "\u{E012}"
    case up = "\u{E013}"
    case right = "\u{E014}"
    case down = "\u{E015}"
    case a, b, d, g, h, i, j, k, l, m, n, o, p, q, s, t, u, v, w, x, y, z
    case plus = "+"
    case zero = "0"
    case slash = "/"
    case question = "?"
    case nextItem = "]"
    case previousItem = "["
}
