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
    case a, d, g, h, i, k, l, m, n, o, p, s, t, v, w, x
    case plus = "+"
    case zero = "0"
    case slash = "/"
    case question = "?"
    case nextItem = "]"
    case previousItem = "["
}
