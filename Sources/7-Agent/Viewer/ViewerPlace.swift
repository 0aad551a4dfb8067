public import Model

/// A page of the viewer that a browser can be sent to.
public enum ViewerPlace: Hashable, Sendable {
    case plans
    case plan(PlanID)
    /// A chart, by itself or in the running order of a plan.
    case chart(AttachmentID, plan: PlanID? = nil, item: ItemID? = nil)

    /// The path of its address.
    var path: String {
        switch self {
        case .plans: return "/"
        case .plan(let plan): return "/plan/" + Self.encoded(plan.text)
        case .chart(let chart, let plan, let item):
            let query = [("plan", plan?.text), ("item", item?.text)].compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" }
            }
            return "/chart/" + Self.encoded(chart.text) + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        }
    }

    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return result
    }
}
