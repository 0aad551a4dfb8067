public import Model

/// Plans and charts for tests.
public enum Samples {
    public static let monday = Timestamp(nanoseconds: 1_795_000_000_000_000_000)

    public static func attachment(_ id: String, updated: Int64 = 1, size: Int = 1000, filename: String? = nil) -> Model.Attachment {
        Model.Attachment(
            id: AttachmentID(id), filename: filename ?? "\(id).pdf", fileSize: size,
            updatedAt: Timestamp(nanoseconds: updated * 1_000_000_000), isGenerated: false, generatedFrom: "")
    }

    /// A plan whose items have one attachment each.
    public static func contents(_ id: String, day: Int = 0, attachments: [Model.Attachment]) -> PlanContents {
        let time = monday + .seconds(day * 86400)
        return PlanContents(
            plan: Plan(
                id: PlanID(id), serviceType: ServiceTypeID("7"), serviceTypeName: "Sunday", title: "Plan \(id)",
                dates: "day \(day)", firstTime: time, lastTime: time + .seconds(3600)),
            items: attachments.enumerated().map { index, attachment in
                PlanItem(
                    id: ItemID("\(id)-\(index)"), sequence: index + 1, title: "Song \(index)", keyName: "Bb",
                    attachments: [attachment])
            })
    }

    public static func hash(_ bytes: [UInt8]) -> ChartHash { ChartHash(SHA256.digest(of: bytes)) }
}
