extension Migration {
    /// When a plan's first service is, as against its rehearsals; the next poll tells it.
    static let twentySecond = Migration(name: "22 service times", sql: "ALTER TABLE plans ADD COLUMN service_time INTEGER;")
}
