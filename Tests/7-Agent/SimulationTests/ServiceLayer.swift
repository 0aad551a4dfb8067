import TestSupport

/// A layer of marks as the service holds it.
struct ServiceLayer: Hashable {
    let id: String
    let attachment: String
    var revision = 1
    var isDeleted = false
    var dots: [MarkText.Dot] = []
    /// The visible dots of the layer.
    var shown: [MarkText.Dot] { isDeleted ? [] : dots }

    var json: String {
        let marks = dots.enumerated().map { number, dot in
            ##"{"id":"m\##(number)","page":\##(dot.page),"kind":"pen","color":"#ff0000","width":0.01,"points":[[\##(dot.x),0.5]]}"##
        }
        return """
            {"type":"AnnotationLayer","id":"\(id)","attributes":{"attachment_id":"\(attachment)","person_id":"104","person_name":"A",
             "name":"mine","shared":true,"revision":\(revision),"updated_at":"2026-11-18T20:31:31Z",
             "deleted_at":\(isDeleted ? #""2026-11-18T20:31:31Z""# : "null"),"marks":[\(marks.joined(separator: ","))]}}
            """
    }
}
