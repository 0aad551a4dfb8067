import JSON
public import Model

/// The offers of tonight's sets in a device's head.
extension TonightOffer {
    /// The form that this program reads and writes.
    private static let form = 1

    private struct Form: Decodable {
        struct Item: Decodable {
            let id: String
            let title: String?
            let left_out: Bool?
            let moved: Bool?
            let added: Bool?
            let chart: String?
            let page: Int?
            let key: String?
            let remark: String?
        }
        let form: Int
        let plan: String
        let items: [Item]
    }

    /// The offers in a head. One of another form says nothing about the rest of the head, so reading never fails.
    struct List: Decodable {
        private(set) var offers: [TonightOffer] = []
        private(set) var areAllRead = true

        private struct Part: Decodable {
            let offer: TonightOffer?

            init(from decoder: any Decoder) {
                guard let form = try? Form(from: decoder), form.form == TonightOffer.form else {
                    offer = nil
                    return
                }
                offer = TonightOffer(
                    of: form.plan,
                    form.items.map { item in
                        Row(
                            ItemID(item.id), title: item.title ?? "", isLeftOut: item.left_out ?? false, isMoved: item.moved ?? false,
                            isAdded: item.added ?? false, chart: item.chart.map { AttachmentID($0) },
                            page: item.page.map { PageIndex($0) }, key: item.key, remark: item.remark)
                    })
            }
        }

        init(from decoder: any Decoder) {
            let parts = try? decoder.singleValueContainer().decode([Part].self)
            offers = (parts ?? []).prefix(BandHead.mostOffers).compactMap(\.offer)
            areAllRead = offers.count == parts?.count
        }
    }

    var json: JSONText {
        let items = rows.map { row -> JSONText in
            var members: [(name: String, value: JSONText)] = [("id", .text(row.item.text))]
            let flags = [("left_out", row.isLeftOut), ("moved", row.isMoved), ("added", row.isAdded)]
            let title = row.title.isEmpty ? nil : row.title
            let texts = [("title", title), ("chart", row.chart?.text), ("key", row.key), ("remark", row.remark)]
            members += flags.filter(\.1).map { (name: $0.0, value: .boolean(true)) }
            members += texts.compactMap { name, text in text.map { (name: name, value: .text($0)) } }
            if let page = row.page { members.append((name: "page", value: .integer(page.value))) }
            return .object(members)
        }
        return ["form": .integer(Self.form), "plan": .text(plan), "items": .list(items)]
    }

    /// Tells the offer from its other states.
    public var tag: String { SHA256.digest(of: json.line).shortHex }
}
